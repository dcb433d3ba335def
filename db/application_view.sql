-- For attune's own run-time library, of any version: frozen. Another list of columns is another view.
CREATE VIEW application_record_1 AS
  SELECT kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
         problem.bindings AS problem, record.uuid, record.regime, record.objective, record.device_name,
         record.compute_capability, record.multiprocessors, record.configuration, record.median_ns, record.default_ns,
         record.speedup, record.speedup_low, record.speedup_high, record.effort, record.partial, record.narrowed,
         record.origin, record.superseded, record.unstable, record.default_verdict, record.self_checked, record.trials,
         record.toolchain, record.driver, record.attune_version, record.protocol, record.made_ms, record.hash
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id;
