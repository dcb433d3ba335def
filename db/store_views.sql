-- Sessions, records and quarantine with their keys spelt out: what the store reads. Each of its connections makes these
-- views for itself, so that they are not in the file.
CREATE TEMP VIEW IF NOT EXISTS session_view AS
  SELECT session.*, kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.bindings AS problem,
         (SELECT count(*) FROM trial WHERE trial.session_id = session.id) AS trials
  FROM session
  JOIN kernel ON kernel.id = session.kernel_id
  JOIN device ON device.id = session.device_id
  JOIN problem ON problem.id = session.problem_id;

CREATE TEMP VIEW IF NOT EXISTS record_view AS
  SELECT record.*, kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.bindings AS problem
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id;

CREATE TEMP VIEW IF NOT EXISTS quarantine_view AS
  SELECT trial.id, trial.session_id, trial.configuration, trial.verdict, trial.detail, trial.made_ms, trial.deaths,
         kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.bindings AS problem
  FROM trial
  JOIN session ON session.id = trial.session_id
  JOIN kernel ON kernel.id = session.kernel_id
  JOIN device ON device.id = session.device_id
  JOIN problem ON problem.id = session.problem_id
  WHERE trial.deaths >= 2 AND trial.verdict <> 0 AND trial.lifted_ms IS NULL
    AND trial.verdict <> 3;  -- compile_timeout: of a busy machine perhaps
