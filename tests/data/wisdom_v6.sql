-- A wisdom database of format 6: what the one of format 5 holds, with fewer views.
PRAGMA foreign_keys=OFF;
PRAGMA application_id=1635021934;
PRAGMA user_version=6;
BEGIN TRANSACTION;
CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
INSERT INTO meta VALUES('uuid','f618f4f3-6aec-47e2-9402-88332b387dba');
INSERT INTO meta VALUES('created_ms','1760000000000');
INSERT INTO meta VALUES('attune_version','0.1.0');
CREATE TABLE device(
  id INTEGER PRIMARY KEY,
  class_key TEXT NOT NULL UNIQUE,
  kind TEXT,
  name TEXT,
  compute_capability INTEGER,
  multiprocessors INTEGER,
  memory_bytes INTEGER,
  memory_bus_bits INTEGER,
  l2_bytes INTEGER,
  mig_profile TEXT
) STRICT;
INSERT INTO device VALUES(1,'cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-','cuda','NVIDIA H200',90,132,151397597184,6144,62914560,'');
CREATE TABLE kernel(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  contract TEXT NOT NULL,
  UNIQUE(name, code, contract)
) STRICT;
INSERT INTO kernel VALUES(1,'reduce','cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd');
CREATE TABLE problem(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  bindings TEXT NOT NULL,
  UNIQUE(text, bindings)
) STRICT;
INSERT INTO problem VALUES(1,'n=1024 T=float','[["n","integer",1024],["T","name","float"]]');
CREATE TABLE session(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id INTEGER NOT NULL REFERENCES device,
  kernel_id INTEGER NOT NULL REFERENCES kernel,
  problem_id INTEGER NOT NULL REFERENCES problem,
  regime TEXT NOT NULL,
  objective TEXT NOT NULL,
  space TEXT NOT NULL,
  effort INTEGER NOT NULL,
  strategy TEXT NOT NULL,
  state INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  used_seconds REAL NOT NULL,
  toolchain TEXT NOT NULL,
  driver TEXT NOT NULL,
  device_uuid TEXT NOT NULL,
  host TEXT NOT NULL,
  attune_version TEXT NOT NULL,
  protocol TEXT NOT NULL,
  started_ms INTEGER NOT NULL
) STRICT;
INSERT INTO session VALUES(1,1,1,1,'cold','time','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',2,'random',2,-81985529216486896,61.25,'NVRTC 13.0','580.159 (CUDA 13.0)','GPU-1234','node7','0.1.0','{"version":1}',1760000000000);
CREATE TABLE trial(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
  configuration TEXT NOT NULL,
  verdict INTEGER NOT NULL,
  detail TEXT NOT NULL,
  samples_ns TEXT NOT NULL,
  min_ns REAL,
  q1_ns REAL,
  median_ns REAL,
  q3_ns REAL,
  compile_ms REAL,
  registers INTEGER NOT NULL,
  shared_static INTEGER NOT NULL,
  local_bytes INTEGER NOT NULL,
  spill_bytes INTEGER NOT NULL,
  constant_bytes INTEGER NOT NULL,
  max_error REAL,
  self_checked INTEGER NOT NULL,
  anchor_ns REAL,
  attempts INTEGER NOT NULL DEFAULT 1, batch INTEGER NOT NULL DEFAULT 1, max_relative REAL, max_ulp INTEGER NOT NULL DEFAULT 0, made_ms INTEGER NOT NULL DEFAULT 0, worker INTEGER NOT NULL DEFAULT 0, shapes TEXT NOT NULL DEFAULT '[]', deaths INTEGER NOT NULL DEFAULT 0, lifted_ms INTEGER,
  UNIQUE(session_id, configuration)
) STRICT;
INSERT INTO trial VALUES(1,1,'[["BLOCK","integer",64],["ORDER","name","Order::rows"]]',0,'','[12.5,13.25,0.1]',0.125,6.5,12.5,13.0,81.25,40,1024,16,8,400,0.0009765625,0,25.499999999999999999,2,60,9.9999999999999995472e-07,3,1760000000321,2,'[{"grid":[64,2,1],"block":[256,1,1],"shared":4096},{"grid":[1,1,1],"block":[1,1,1],"shared":0}]',0,NULL);
INSERT INTO trial VALUES(2,1,'[["BLOCK","integer",3],["ORDER","name","Order::rows"]]',2,'reduce.cu(12): error: ''it'' is no type','[]',0.0,0.0,0.0,0.0,0.0,0,0,0,0,0,0.0,0,0.0,1,1,NULL,0,1760000000322,0,'[]',0,NULL);
INSERT INTO trial VALUES(3,1,'[["BLOCK","integer",1024],["ORDER","name","Order::rows"]]',8,'an illegal address was read','[]',0.0,0.0,0.0,0.0,0.0,0,0,0,0,0,0.0,0,0.0,1,1,0.0,0,1760000000456,0,'[]',2,NULL);
INSERT INTO trial VALUES(4,1,'[["BLOCK","integer",2048],["ORDER","name","Order::rows"]]',9,'no answer within 10 s','[]',0.0,0.0,0.0,0.0,81.25,40,1024,16,8,400,9.9999999999999995472e-08,0,25.499999999999999999,1,1,0.0,0,1760000000500,1,'[{"grid":[64,1,1],"block":[2048,1,1],"shared":0}]',2,1760000000600);
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
  configuration TEXT NOT NULL,
  begun INTEGER NOT NULL,
  alone INTEGER NOT NULL,
  UNIQUE(session_id, configuration)
) STRICT;
INSERT INTO attempt VALUES(3,1,'[["BLOCK","integer",512],["ORDER","name","Order::rows"]]',2,2);
INSERT INTO attempt VALUES(4,1,'[["BLOCK","integer",128],["ORDER","name","Order::rows"]]',1,1);
CREATE TABLE ceiling(
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    detail TEXT NOT NULL,
    driver TEXT NOT NULL,
    attune_version TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    UNIQUE(device_id, name)
  ) STRICT;
INSERT INTO ceiling VALUES(1,1,'copy',4100000000000.0,'B/s','VECTOR=4','580.95.05','0.1.0',1760000000789);
CREATE TABLE record(
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    device_id INTEGER NOT NULL REFERENCES device,
    kernel_id INTEGER NOT NULL REFERENCES kernel,
    problem_id INTEGER NOT NULL REFERENCES problem,
    regime TEXT NOT NULL,
    objective TEXT NOT NULL,
    device_name TEXT NOT NULL,
    compute_capability INTEGER NOT NULL,
    multiprocessors INTEGER NOT NULL,
    configuration TEXT NOT NULL,
    median_ns REAL NOT NULL,
    default_ns REAL NOT NULL,
    speedup REAL NOT NULL,
    speedup_low REAL NOT NULL,
    speedup_high REAL NOT NULL,
    effort INTEGER NOT NULL,
    partial INTEGER NOT NULL,
    unstable INTEGER NOT NULL,
    self_checked INTEGER NOT NULL,
    space TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    driver TEXT NOT NULL,
    device_uuid TEXT NOT NULL,
    attune_version TEXT NOT NULL,
    protocol INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    made_ms INTEGER NOT NULL,
    row_hash TEXT NOT NULL,
    min_ns REAL,
    q1_ns REAL,
    q3_ns REAL,
    batch INTEGER NOT NULL DEFAULT 1,
    rounds INTEGER NOT NULL DEFAULT 0,
    rounds_dropped INTEGER NOT NULL DEFAULT 0,
    sm_clock_mhz REAL,
    anchor_ratio REAL,
    busy INTEGER NOT NULL DEFAULT 0,
    value REAL,
    default_value REAL,
    current INTEGER NOT NULL DEFAULT 0
  , configuration_text TEXT NOT NULL DEFAULT '', application_hash TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO record VALUES(1,'11111111-2222-4333-8444-555555555555',1,1,1,'cold','time','NVIDIA H200',90,132,'[["BLOCK","integer",256],["FAST","boolean",true],["SCALE","real",0.1],["ORDER","name","Order::rows"]]',12345.5,23456.75,1.875,1.75,2.0,1,0,0,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','NVRTC 13.0','580.159 (CUDA 13.0)','GPU-1234','0.1.0',3,-81985529216486896,321,1760000000123,'2d2ab64dfe8be6777105d2841e394e8cb1ab4194f19d7f17861742b4f1be7bbc',12000.499999999999999,12300.249999999999999,12400.749999999999999,60,40,2,1980.0,1.0078125,0,12345.5,23456.75,1,'BLOCK=256 FAST=true SCALE=0.1 ORDER=Order::rows','26c432e7b9c90e23fafcf847c665a7cd0be86bd9e9e568dfd80662a747d48a13');
INSERT INTO record VALUES(2,'22222222-3333-4444-8555-666666666666',1,1,1,'cold','time','NVIDIA H200',90,132,'[["BLOCK","integer",128],["FAST","boolean",true],["SCALE","real",0.1],["ORDER","name","Order::rows"]]',13000.499999999999999,23456.75,1.875,1.75,2.0,0,0,0,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','NVRTC 13.0','580.159 (CUDA 13.0)','GPU-1234','0.1.0',1,-81985529216486896,321,1759000000123,'1115c7de32300a8bb26cec57afdb68420fa333725b3207ee61264349f529979b',0.0,0.0,0.0,1,0,0,0.0,0.0,0,0.0,0.0,0,'BLOCK=128 FAST=true SCALE=0.1 ORDER=Order::rows','21bee147175277583789cd228278bf84bd48d16c1b7088a7c64490959428c49d');
CREATE TABLE finalist(
    id INTEGER PRIMARY KEY,
    record_id INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
    configuration TEXT NOT NULL,
    samples_ns TEXT NOT NULL,
    min_ns REAL,
    q1_ns REAL,
    median_ns REAL,
    q3_ns REAL,
    objectives TEXT NOT NULL,
    pareto INTEGER NOT NULL,
    energy_j REAL,
    energy_error REAL,
    max_error REAL,
    max_relative REAL,
    max_ulp INTEGER NOT NULL,
    deterministic INTEGER,
    registers INTEGER NOT NULL,
    shared_bytes INTEGER NOT NULL,
    UNIQUE(record_id, configuration)
  ) STRICT;
INSERT INTO finalist VALUES(1,1,'[["BLOCK","integer",256],["ORDER","name","Order::rows"]]','[12345.5,12346.0]',12345.5,12345.600000000000363,12345.749999999999999,12345.899999999999635,'[12345.75,0.25]',1,0.25,0.020000000000000000416,9.9999999999999995472e-08,9.9999999999999995472e-07,3,1,32,4096);
INSERT INTO finalist VALUES(2,1,'[["BLOCK","integer",64],["ORDER","name","Order::rows"]]','[13000.0]',13000.0,13000.0,13000.0,13000.0,'[13000.0,0.3]',0,NULL,0.0,0.0,0.0,0,NULL,40,0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('session',1);
INSERT INTO sqlite_sequence VALUES('trial',4);
CREATE INDEX session_by_key ON session(kernel_id, problem_id, device_id);
CREATE INDEX trial_quarantined ON trial(session_id) WHERE deaths >= 2 AND verdict <> 0 AND lifted_ms IS NULL;
CREATE UNIQUE INDEX record_current ON record(kernel_id, problem_id, device_id, regime, objective) WHERE current = 1;
CREATE INDEX record_by_key ON record(kernel_id, problem_id, device_id, regime, objective);
CREATE INDEX kernel_by_code ON kernel(code, contract);
CREATE INDEX record_by_device ON record(kernel_id, device_id) WHERE current = 1;
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
COMMIT;
