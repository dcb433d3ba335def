-- For people and their programs: every later format keeps this view, with these columns. Of each key it shows the record
-- that serves. A view holds nothing: a migration drops it and makes it anew.
CREATE VIEW wisdom AS
  SELECT record.uuid, kernel.name AS kernel, problem.bindings AS problem, class_key AS device, device_name, regime,
         objective, configuration, median_ns AS time_ns, default_ns, speedup, speedup_low, speedup_high, value,
         default_value,
         CASE effort WHEN 0 THEN 'estimate' WHEN 1 THEN 'measure' WHEN 2 THEN 'patient' WHEN 3 THEN 'exhaustive' END
         AS effort, partial, narrowed,
         CASE origin WHEN 0 THEN 'measured' WHEN 1 THEN 'imported' WHEN 2 THEN 'adopted' WHEN 3 THEN 'pinned' END AS origin,
         unstable, self_checked, busy, trials, made_ms, code, contract, space,
         toolchain, driver, device_uuid, attune_version
  FROM record
  JOIN kernel ON kernel.id = kernel_id
  JOIN device ON device.id = device_id
  JOIN problem ON problem.id = problem_id
  WHERE NOT EXISTS (
    SELECT 1 FROM record AS other
    WHERE other.kernel_id = record.kernel_id AND other.problem_id = record.problem_id
      AND other.device_id = record.device_id AND other.regime = record.regime AND other.objective = record.objective
      AND (other.strength, other.made_ms, record.uuid) > (record.strength, record.made_ms, other.uuid));
