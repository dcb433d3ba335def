// The steps from each format of the wisdom database to the next. A step makes the tables of its own format. A later
// format adds a step and leaves these unchanged.
#include "db/wisdom_schema.hpp"

namespace attune {
namespace {

// From format 1 to 2.
constexpr const char* add_attempts_and_quarantine = R"sql(
  ALTER TABLE trial ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;
  CREATE TABLE attempt(
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    configuration TEXT NOT NULL,
    begun INTEGER NOT NULL,
    deaths INTEGER NOT NULL,
    UNIQUE(session_id, configuration)
  ) STRICT;
  CREATE TABLE quarantine(
    id INTEGER PRIMARY KEY,
    kernel_id INTEGER NOT NULL REFERENCES kernel,
    problem_id INTEGER NOT NULL REFERENCES problem,
    device_id INTEGER NOT NULL REFERENCES device,
    configuration TEXT NOT NULL,
    verdict INTEGER NOT NULL,
    detail TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    UNIQUE(kernel_id, problem_id, device_id, configuration)
  ) STRICT;
  PRAGMA user_version = 2;
)sql";

// From format 2 to 3.
constexpr const char* add_finalists_and_ceilings = R"sql(
  ALTER TABLE trial ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE trial ADD COLUMN max_relative REAL;
  ALTER TABLE trial ADD COLUMN max_ulp INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN min_ns REAL;
  ALTER TABLE record ADD COLUMN q1_ns REAL;
  ALTER TABLE record ADD COLUMN q3_ns REAL;
  ALTER TABLE record ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE record ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN rounds_dropped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN sm_clock_mhz REAL;
  ALTER TABLE record ADD COLUMN anchor_ratio REAL;
  ALTER TABLE record ADD COLUMN busy INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN value REAL;
  ALTER TABLE record ADD COLUMN default_value REAL;
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
  PRAGMA user_version = 3;
)sql";

// From format 3 to 4: this step and the next. Entries of the quarantine become trials with two deaths. If a trial has
// the entry's verdict and detail, it is that trial. Otherwise a new trial comes into the newest session of the kernel,
// problem and device without that configuration. If there is no such session, one is made.
constexpr const char* add_fields_of_trials = R"sql(
  ALTER TABLE trial ADD COLUMN made_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE trial ADD COLUMN worker INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE trial ADD COLUMN shapes TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE trial ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE trial ADD COLUMN lifted_ms INTEGER;
  CREATE INDEX trial_quarantined ON trial(session_id) WHERE deaths >= 2 AND verdict <> 0 AND lifted_ms IS NULL;
  CREATE TABLE moved AS
    SELECT quarantine.*, (
      SELECT max(trial.id) FROM trial JOIN session ON session.id = trial.session_id
      WHERE session.kernel_id = quarantine.kernel_id AND session.problem_id = quarantine.problem_id
        AND session.device_id = quarantine.device_id AND trial.configuration = quarantine.configuration
        AND trial.verdict = quarantine.verdict AND trial.detail = quarantine.detail) AS trial_id
    FROM quarantine;
  UPDATE trial SET deaths = 2, made_ms = moved.made_ms FROM moved WHERE trial.id = moved.trial_id;
  DELETE FROM moved WHERE trial_id IS NOT NULL;
  INSERT INTO session(device_id, kernel_id, problem_id, regime, objective, space, effort, strategy, state, seed,
    used_seconds, toolchain, driver, device_uuid, host, attune_version, protocol, started_ms)
  SELECT device_id, kernel_id, problem_id, 'cold', 'time', '', 0, 'quarantine', 2, 0, 0, '', '', '', '', '', '{}',
    min(made_ms)
  FROM moved
  WHERE NOT EXISTS (
    SELECT 1 FROM session WHERE session.kernel_id = moved.kernel_id AND session.problem_id = moved.problem_id
      AND session.device_id = moved.device_id AND NOT EXISTS (
        SELECT 1 FROM trial WHERE trial.session_id = session.id AND trial.configuration = moved.configuration))
  GROUP BY device_id, kernel_id, problem_id;
  INSERT INTO trial(session_id, configuration, verdict, detail, samples_ns, min_ns, q1_ns, median_ns, q3_ns, compile_ms,
    registers, shared_static, local_bytes, spill_bytes, constant_bytes, max_error, self_checked, anchor_ns,
    max_relative, made_ms, deaths)
  SELECT (
      SELECT max(session.id) FROM session
      WHERE session.kernel_id = moved.kernel_id AND session.problem_id = moved.problem_id
        AND session.device_id = moved.device_id AND NOT EXISTS (
          SELECT 1 FROM trial WHERE trial.session_id = session.id AND trial.configuration = moved.configuration)),
    configuration, verdict, detail, '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, made_ms, 2
  FROM moved ORDER BY id;
  DELETE FROM attempt WHERE EXISTS (
    SELECT 1 FROM trial JOIN moved USING (configuration)
    WHERE trial.session_id = attempt.session_id AND trial.configuration = attempt.configuration AND trial.deaths = 2);
  DROP TABLE moved;
  DROP TABLE quarantine;
  ALTER TABLE attempt RENAME COLUMN deaths TO alone;
  UPDATE attempt SET alone = begun;
)sql";
// The tables are made anew, to remove a uniqueness condition. Children are dropped before their parents, whose removal
// would cascade.
constexpr const char* keep_records = R"sql(
  CREATE TABLE kept_record AS SELECT * FROM record;
  CREATE TABLE kept_finalist AS SELECT * FROM finalist;
  DROP TABLE finalist;
  DROP TABLE record;
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
  ) STRICT;
  CREATE UNIQUE INDEX record_current ON record(kernel_id, problem_id, device_id, regime, objective) WHERE current = 1;
  CREATE INDEX record_by_key ON record(kernel_id, problem_id, device_id, regime, objective);
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
  INSERT INTO record SELECT *, 1 FROM kept_record;
  INSERT INTO finalist SELECT * FROM kept_finalist;
  DROP TABLE kept_record;
  DROP TABLE kept_finalist;
  PRAGMA user_version = 4;
)sql";

// From format 4 to 5. complete_records() fills the columns in.
constexpr const char* add_what_applications_read = R"sql(
  ALTER TABLE record ADD COLUMN configuration_text TEXT NOT NULL DEFAULT '';
  ALTER TABLE record ADD COLUMN application_hash TEXT NOT NULL DEFAULT '';
  CREATE INDEX kernel_by_code ON kernel(code, contract);
  CREATE INDEX record_by_device ON record(kernel_id, device_id) WHERE current = 1;
  PRAGMA user_version = 5;
)sql";

// From format 5 to 6: the views alone.
constexpr const char* have_fewer_views = R"sql(
  PRAGMA user_version = 6;
)sql";

constexpr Migration migrations[] = {{1, add_attempts_and_quarantine}, {2, add_finalists_and_ceilings},
                                    {3, add_fields_of_trials},        {3, keep_records},
                                    {4, add_what_applications_read},  {5, have_fewer_views}};

}  // namespace

std::span<const Migration> wisdom_migrations() noexcept { return migrations; }

}  // namespace attune
