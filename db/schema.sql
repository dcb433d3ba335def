-- The tables of format 1 of the wisdom database, as docs/formats/wisdom.md describes them. wisdom_view.sql and
-- application_view.sql have the views.
PRAGMA application_id = 0x6174756e;  -- "atun"
PRAGMA user_version = 1;

CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- One row per device class. The columns after class_key are filled by the first session on such a device.
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

-- Devices that count as others: names or class keys.
CREATE TABLE device_alias(
  device TEXT PRIMARY KEY,
  counts_as TEXT NOT NULL
) STRICT;

CREATE TABLE kernel(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  contract TEXT NOT NULL,
  UNIQUE(name, code, contract)
) STRICT;
CREATE INDEX kernel_by_code ON kernel(code, contract);

CREATE TABLE problem(
  id INTEGER PRIMARY KEY,
  bindings TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE session(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
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
  protocol INTEGER NOT NULL,
  constants TEXT NOT NULL,
  started_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_key ON session(kernel_id, problem_id, device_id);

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
  attempts INTEGER NOT NULL,
  batch INTEGER NOT NULL,
  max_relative REAL,
  max_share REAL,
  max_ulp INTEGER NOT NULL,
  made_ms INTEGER NOT NULL,
  worker INTEGER NOT NULL,
  shapes TEXT NOT NULL,
  deaths INTEGER NOT NULL,
  board TEXT NOT NULL,
  lifted_ms INTEGER,
  UNIQUE(session_id, configuration)
) STRICT;
-- Configurations that are not launched again, by any session of their kernel, problem and device.
CREATE INDEX trial_quarantined ON trial(session_id) WHERE deaths >= 2 AND verdict <> 0 AND lifted_ms IS NULL;

-- What is being tried: begun, and without a verdict so far. Its trial takes its place.
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
  configuration TEXT NOT NULL,
  begun INTEGER NOT NULL,
  alone INTEGER NOT NULL,
  UNIQUE(session_id, configuration)
) STRICT;

-- All that were found. `strength` is that of core/record_order.hpp: of each key the strongest serves.
CREATE TABLE record(
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device,
  kernel_id INTEGER NOT NULL REFERENCES kernel,
  problem_id INTEGER NOT NULL REFERENCES problem,
  uuid TEXT NOT NULL UNIQUE,
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
  narrowed INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  superseded INTEGER NOT NULL,
  unstable INTEGER NOT NULL,
  default_verdict INTEGER NOT NULL,
  self_checked INTEGER NOT NULL,
  trials INTEGER NOT NULL,
  toolchain TEXT NOT NULL,
  driver TEXT NOT NULL,
  attune_version TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  made_ms INTEGER NOT NULL,
  space TEXT NOT NULL,
  seed INTEGER NOT NULL,
  device_uuid TEXT NOT NULL,
  min_ns REAL NOT NULL,
  q1_ns REAL NOT NULL,
  q3_ns REAL NOT NULL,
  batch INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  rounds_dropped INTEGER NOT NULL,
  sm_clock_mhz REAL NOT NULL,
  anchor_ratio REAL NOT NULL,
  busy INTEGER NOT NULL,
  value REAL NOT NULL,
  default_value REAL NOT NULL,
  choice INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  source TEXT NOT NULL,
  boards TEXT NOT NULL,
  boards_differ INTEGER NOT NULL,
  strength INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX record_by_key ON record(kernel_id, problem_id, device_id, regime, objective, strength, made_ms);
CREATE INDEX record_by_device ON record(kernel_id, device_id);

-- The configurations that the final stage measured for a record: the winner and the others.
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
  max_share REAL,
  max_ulp INTEGER NOT NULL,
  deterministic INTEGER,
  registers INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  UNIQUE(record_id, configuration)
) STRICT;

-- One for each key, and all that applications read of it. `configurations`: one JSON object a line.
CREATE TABLE cover(
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  code TEXT NOT NULL,
  contract TEXT NOT NULL,
  device_class TEXT NOT NULL,
  regime TEXT NOT NULL,
  objective TEXT NOT NULL,
  device_name TEXT NOT NULL,
  configurations TEXT NOT NULL,
  tree TEXT NOT NULL,
  measured TEXT NOT NULL,
  problems INTEGER NOT NULL,
  mean_loss REAL NOT NULL,
  worst_loss REAL NOT NULL,
  protocol INTEGER NOT NULL,
  attune_version TEXT NOT NULL,
  made_ms INTEGER NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE(code, contract, device_class, regime, objective, kernel)
) STRICT;

-- What a device was measured to reach, and what measuring itself costs there.
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
