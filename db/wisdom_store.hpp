// WisdomStore: the wisdom database: devices, sessions, trials, attempts, records. SQLite underneath
// (docs/formats/wisdom.md). One connection; one thread at a time. Every write is one IMMEDIATE transaction, durable on
// return. Two processes may share a file: writes wait for each other (up to 30 s, reads of a read_only store 5 s;
// ATTUNE_DB_WAIT), then throw Error saying who to look for. Not to be used in a child after fork(): that throws Error.
// Throws Error for anything the file or disk does: unreadable, locked, not a wisdom database, newer version, damaged,
// disk full; nothing that was committed before is lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "core/ceiling.hpp"
#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"

namespace attune {

enum class SessionState { running = 0, partial = 1, finished = 2 };

// What a session searches; two commands that ask for the same are the same session.
struct SessionKey {
  RecordKey record;
  std::string space;  // fingerprint of the space that is searched
  Effort effort = Effort::measure;
  std::string strategy;  // "random"
};

struct SessionRow {
  std::int64_t id = 0;
  SessionKey key;
  SessionState state = SessionState::running;
  std::uint64_t seed = 0;
  // spent so far, over all continuations
  double used_seconds = 0;
  // protocol: its constants, as JSON text
  std::string toolchain, driver, device_uuid, host, attune_version, protocol;
  std::int64_t started_ms = 0;
  std::int64_t trials = 0;
};

// A configuration that is being tried.
struct Attempt {
  Configuration configuration;
  int begun = 1;  // how often it was begun without coming to a verdict
  int alone = 0;  // how often of these nothing else was under way
};

// A configuration that is not to be launched again, and why.
struct QuarantineEntry {
  std::string configuration;  // Configuration::text()
  Verdict verdict = Verdict::quarantined;
  std::string detail;
  std::int64_t made_ms = 0;  // Unix time, milliseconds
};

class WisdomStore {
 public:
  enum class Access { read_write, read_only };
  // read_write creates the file (0600) and its directory (0700) and migrates older versions forward, keeping a backup;
  // read_only throws when there is no file. ":memory:" is allowed.
  explicit WisdomStore(const std::filesystem::path& file, Access access = Access::read_write);
  ~WisdomStore();
  WisdomStore(WisdomStore&&) noexcept;
  WisdomStore& operator=(WisdomStore&&) noexcept;

  const std::filesystem::path& file() const noexcept;

  // Sessions. The newest session with this key, or nothing.
  std::optional<SessionRow> find_session(const SessionKey& key);
  // Stores a new session; returns its id. `device` is stored once per class.
  std::int64_t begin_session(const SessionRow& session, const DeviceInfo& device);
  void update_session(std::int64_t session, SessionState state, double used_seconds);

  // Trials. Commits at once; a configuration tried again in the same session replaces its trial. A trial is a verdict:
  // it ends the attempt at its configuration, in the same transaction. With two deaths or more, and any verdict but ok,
  // it quarantines its configuration.
  void add_trial(std::int64_t session, const Trial& trial);
  // Several, in one transaction.
  void add_trials(std::int64_t session, std::span<const Trial> trials);
  // In the order in which they were tried.
  std::vector<Trial> trials(std::int64_t session);
  // Trials with verdict and times of any session with this record key, newest first, each configuration once.
  std::vector<Trial> known_trials(const RecordKey& key, std::string_view space);

  // Attempts: what is written before a configuration is tried, so that what ends the whole process is known
  // afterwards. Begins one, or begins it once more; returns it as it is now. `alone`: nothing else is under way.
  // `verdicts`: trials that are added in the same transaction, before.
  Attempt begin_attempt(std::int64_t session, const Configuration& configuration, bool alone,
                        std::span<const Trial> verdicts = {});
  // Takes one beginning back, which had the same `alone`: nothing was launched after all.
  void withdraw_attempt(std::int64_t session, const Configuration& configuration, bool alone);
  // Those without a verdict, the one first begun first: while no process works on the session, those during which its
  // process was killed.
  std::vector<Attempt> open_attempts(std::int64_t session);

  // Quarantine: the configurations of trials with another verdict than ok during which two worker processes died. Holds
  // for all sessions with the same code, contract, problem and device class, whatever their regime, objective and
  // space, and whatever the kernel is called. Oldest first, each configuration once with its last verdict.
  std::vector<QuarantineEntry> quarantined(const RecordKey& key);
  // Notes in those trials that they quarantine no longer; returns how many there were.
  std::int64_t lift_quarantine(const RecordKey& key);

  // Records. Stores one, and gives it a uuid where it has none; `finalists` stay with it, in this order. All are kept,
  // and one of each key is current. The new one becomes it unless the one before is of more effort, or is complete and
  // the new one partial; where `replaces` is the uuid of the one before, always. Returns whether it became current.
  bool put_record(const Record& record, std::string_view replaces = {}, std::span<const FinalistResult> finalists = {});
  // Of the record with this uuid.
  std::vector<FinalistResult> finalists(std::string_view record);
  // Look-ups know the current record of a key. Rows whose hash does not match their content are left out and counted in
  // damaged_rows(); the strongest sound record of the key serves in place of a current one that is damaged.
  std::optional<Record> find_record(const RecordKey& key);
  // Those of a kernel name (of all kernels when empty), ordered by kernel, device class, problem text.
  std::vector<Record> records(std::string_view kernel = {});
  // Those that share code and contract, regime and objective: what the match ladder chooses from. Records of the same
  // kernel name first; then by kernel, device class, problem text.
  std::vector<Record> candidates(const RecordKey& key);
  // All records of a key, current or not, newest first.
  std::vector<Record> history(const RecordKey& key);

  // What devices of a class were measured to reach, by name; one that is there already is replaced.
  void put_ceilings(const DeviceInfo& device, std::span<const Ceiling> ceilings);
  std::vector<Ceiling> ceilings(std::string_view device_class);

  // Rows that were left out because they hold what no attune writes.
  std::int64_t damaged_rows() const noexcept;

  static std::string sqlite_version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A fresh random RFC 4122 version 4 identifier, as text.
std::string make_uuid();

}  // namespace attune
