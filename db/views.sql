-- The views of the wisdom database. They hold nothing: a migration drops all and makes these anew. They are few and short,
-- as every application parses them at its first look-up.

-- For applications: every later format keeps it, with these columns. Typed bindings become objects; of [name, kind,
-- value] the value alone is left when the first element is removed twice, so that its text is what was stored.
CREATE VIEW wisdom AS
  SELECT record.uuid, kernel.name AS kernel, problem.text AS problem,
         (SELECT json_group_object(json_extract(value, '$[0]'), json(trim(json_remove(value, '$[0]', '$[0]'), '[]')))
          FROM json_each(bindings)) AS problem_json,
         class_key AS device, device_name, regime, objective,
         (SELECT json_group_object(json_extract(value, '$[0]'), json(trim(json_remove(value, '$[0]', '$[0]'), '[]')))
          FROM json_each(configuration)) AS configuration,
         median_ns AS time_ns, default_ns, speedup, speedup_low, speedup_high, value, default_value,
         CASE effort WHEN 0 THEN 'estimate' WHEN 1 THEN 'measure' WHEN 2 THEN 'patient' WHEN 3 THEN 'exhaustive' END
         AS effort, partial, unstable, self_checked, busy, trials, made_ms, code, contract, space, toolchain, driver,
         device_uuid, attune_version
  FROM record
  JOIN kernel ON kernel.id = kernel_id
  JOIN device ON device.id = device_id
  JOIN problem ON problem.id = problem_id
  WHERE current = 1;

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
