-- The views of the wisdom database. They hold nothing: a migration drops all and makes these anew.

-- Sessions, records and quarantine with their keys spelt out: what attune reads. Any format may change them.
CREATE VIEW session_view AS
  SELECT session.*, kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.text AS problem_text, problem.bindings AS problem,
         (SELECT count(*) FROM trial WHERE trial.session_id = session.id) AS trials
  FROM session
  JOIN kernel ON kernel.id = session.kernel_id
  JOIN device ON device.id = session.device_id
  JOIN problem ON problem.id = session.problem_id;

CREATE VIEW record_view AS
  SELECT record.*, kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.text AS problem_text, problem.bindings AS problem
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id;

CREATE VIEW quarantine_view AS
  SELECT trial.id, trial.session_id, trial.configuration, trial.verdict, trial.detail, trial.made_ms,
         kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.text AS problem_text, problem.bindings AS problem
  FROM trial
  JOIN session ON session.id = trial.session_id
  JOIN kernel ON kernel.id = session.kernel_id
  JOIN device ON device.id = session.device_id
  JOIN problem ON problem.id = session.problem_id
  WHERE trial.deaths >= 2 AND trial.verdict <> 0 AND trial.lifted_ms IS NULL;

-- For applications: every later format keeps it, with these columns. Typed bindings become objects; of [name, kind,
-- value] the value alone is left when the first element is removed twice, so that its text is what was stored.
CREATE VIEW wisdom AS
  SELECT record.uuid, kernel.name AS kernel, problem.text AS problem,
         (SELECT '{' || coalesce(group_concat(json_quote(name) || ':' || substr(item, 2, length(item) - 2)), '') || '}'
          FROM (SELECT json_extract(value, '$[0]') AS name, json_remove(value, '$[0]', '$[0]') AS item
                FROM json_each(problem.bindings) ORDER BY key)) AS problem_json,
         device.class_key AS device, record.device_name, record.regime, record.objective,
         (SELECT '{' || coalesce(group_concat(json_quote(name) || ':' || substr(item, 2, length(item) - 2)), '') || '}'
          FROM (SELECT json_extract(value, '$[0]') AS name, json_remove(value, '$[0]', '$[0]') AS item
                FROM json_each(record.configuration) ORDER BY key)) AS configuration,
         record.median_ns AS time_ns, record.default_ns, record.speedup, record.speedup_low, record.speedup_high,
         record.value, record.default_value,
         CASE record.effort WHEN 0 THEN 'estimate' WHEN 1 THEN 'measure' WHEN 2 THEN 'patient'
                            WHEN 3 THEN 'exhaustive' END AS effort,
         record.partial, record.unstable, record.self_checked, record.busy, record.trials, record.made_ms, kernel.code,
         kernel.contract, record.space, record.toolchain, record.driver, record.device_uuid, record.attune_version
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id
  WHERE record.current = 1;

-- For attune's own run-time library, of any version: frozen. Another list of columns is another view.
CREATE VIEW application_record_1 AS
  SELECT record.id, record.current, record.uuid, kernel.name AS kernel, kernel.code, kernel.contract,
         device.class_key AS device_class, record.device_name, record.compute_capability, record.multiprocessors,
         problem.text AS problem, record.regime, record.objective, record.configuration_text AS configuration,
         record.median_ns, record.default_ns, record.speedup, record.effort, record.partial, record.unstable,
         record.trials, record.toolchain, record.driver, record.attune_version, record.protocol, record.made_ms,
         record.application_hash AS hash
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id;
