-- For people and their programs, as the view `wisdom`: all trials, with what their sessions were for. The names of
-- verdicts are put in from their list when the view is made.
CREATE VIEW trials AS
  SELECT trial.id, session_id AS session, kernel.name AS kernel, problem.bindings AS problem, class_key AS device,
         regime, objective, configuration, CASE verdict WHEN :number THEN :name END AS verdict, detail,
         CASE verdict WHEN 0 THEN median_ns END AS time_ns, anchor_ns AS default_ns, compile_ms, registers,
         shared_static AS shared_bytes, local_bytes, spill_bytes, max_error, max_share, made_ms, code, contract, space, board
  FROM trial
  JOIN session ON session.id = session_id
  JOIN kernel ON kernel.id = kernel_id
  JOIN device ON device.id = device_id
  JOIN problem ON problem.id = problem_id;
