// WisdomStore: the wisdom database: devices, sessions, trials, attempts, records. SQLite underneath
// (docs/formats/wisdom.md). One connection; one thread at a time. Every write is one IMMEDIATE transaction, durable on
// return. Processes may share a file. A write waits up to 30 s for another, a read of a read_only store 5 s
// (ATTUNE_DB_WAIT). Then it throws Error with the command that finds the other process. A child must not use it after
// fork(): that throws Error. Throws Error for an unreadable, locked, damaged or newer file, for another kind of file,
// and for a full disk. Committed data is not lost.
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
#include "base/uuid.hpp"
#include "base/waiting.hpp"
#include "core/ceiling.hpp"
#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/wisdom_failure.hpp"

namespace attune {

enum class SessionState { running = 0, partial = 1, finished = 2 };

// What a session searches; two commands with equal keys share one session.
struct SessionKey {
  RecordKey record;
  std::string space;  // fingerprint of the searched space
  Effort effort = Effort::measure;
  std::string strategy;  // "random"
};

struct SessionRow {
  std::int64_t id = 0;
  SessionKey key;
  SessionState state = SessionState::running;
  std::uint64_t seed = 0;
  // of searching, over all continuations
  double used_seconds = 0;
  std::string toolchain, driver, device_uuid, host, attune_version;
  int protocol = first_present_protocol;  // version of the measuring protocol
  std::string constants;                  // of the protocol, as JSON text
  std::int64_t started_ms = 0;
  std::int64_t trials = 0;
};

// What is kept of all kernels with one name.
struct KernelTotals {
  std::string kernel;
  std::int64_t sessions = 0, trials = 0;
};

// A configuration under way.
struct Attempt {
  Configuration configuration;
  int begun = 1;  // how often it was begun without a verdict
  int alone = 0;  // how often of these it was the only one under way
};

// A configuration that must not be launched again, or was not, and why.
struct QuarantineEntry {
  Configuration configuration;
  Verdict verdict = Verdict::quarantined;
  std::string detail;
  std::int64_t made_ms = 0;        // Unix time, milliseconds
  bool has_second_chance = false;  // of suspected(): the next run of the session tries it again
};

// Waiting for a lock says so once in `note`, after a second. One more of `stop` ends it: WaitInterrupted.
// `seconds`: how long at most, unless ATTUNE_DB_WAIT says it.
struct DatabaseWaiting {
  WaitNote note = {};
  const std::atomic<int>* stop = nullptr;
  std::optional<double> seconds = {};
};

class WisdomStore {
 public:
  enum class Access { read_write, read_only };
  // read_write creates the file (0600) and its directory (0700), and brings older formats forward, keeping a backup.
  // read_only throws when there is no file. ":memory:" is allowed.
  // `waiting`: what to do while another process has locked the file.
  explicit WisdomStore(const std::filesystem::path& file, Access access = Access::read_write,
                       DatabaseWaiting waiting = {});
  ~WisdomStore();
  WisdomStore(WisdomStore&&) noexcept;
  WisdomStore& operator=(WisdomStore&&) noexcept;

  const std::filesystem::path& file() const noexcept;

  // Sessions. Returns the newest session with this key, or nothing.
  std::optional<SessionRow> find_session(const SessionKey& key);
  // Stores a new session; returns its id. `device` is stored once per class.
  std::int64_t begin_session(const SessionRow& session, const DeviceInfo& device);
  // Returns the sessions of all kernels with this name, the newest first.
  std::vector<SessionRow> sessions(std::string_view kernel);
  void update_session(std::int64_t session, SessionState state, double used_seconds);

  // Trials. Commits at once. A configuration tried again in the same session replaces its trial. A trial is a verdict:
  // it ends the attempt at its configuration, in the same transaction. With two deaths or more, and any verdict but ok,
  // it quarantines its configuration.
  void add_trial(std::int64_t session, const Trial& trial);
  // Adds several, in one transaction.
  void add_trials(std::int64_t session, std::span<const Trial> trials);
  // Returns the trials in their order.
  std::vector<Trial> trials(std::int64_t session);
  // Returns trials with verdict and times of any session with this record key. Newest first, each configuration once.
  std::vector<Trial> known_trials(const RecordKey& key, std::string_view space);

  // Returns the totals of each kernel's name, by name.
  std::vector<KernelTotals> kernel_totals();

  // Attempts: stored before a configuration is tried, so that they survive the end of the whole process. Begins one of
  // each configuration, or begins it once more, and returns them, in one transaction. `alone`: nothing else is under
  // way. `verdicts`: trials added before, in the same transaction.
  std::vector<Attempt> begin_attempts(std::int64_t session, const std::vector<Configuration>& configurations,
                                      bool alone, std::span<const Trial> verdicts = {});
  // Takes one beginning of each with the same `alone` back: nothing was launched.
  void withdraw_attempts(std::int64_t session, const std::vector<Configuration>& configurations, bool alone);
  // Returns the attempts without a verdict, the first begun first. While no process works on the session, its process
  // was killed during these.
  std::vector<Attempt> open_attempts(std::int64_t session);

  // Quarantine: configurations of trials with a verdict other than ok and two worker deaths; of compile_crash in two
  // sessions, of compile_timeout never. It holds for all sessions with the same code, contract, problem and device
  // class. Regime, objective, space and the kernel's name do not matter. Returns the oldest first, each configuration
  // once with its last verdict, as the next three do.
  std::vector<QuarantineEntry> quarantined(const RecordKey& key);
  // Returns what was lifted and not tried since, of the same sessions.
  std::vector<QuarantineEntry> lifted(const RecordKey& key);
  // Returns what the next run of this session tries again: what was lifted, and once what died with its compiler or was
  // killed from outside perhaps.
  std::vector<QuarantineEntry> second_chances(std::int64_t session);
  // Returns what this session left out for deaths or lateness that may not be the configuration's fault.
  std::vector<QuarantineEntry> suspected(std::int64_t session);
  // Notes in all these trials that they are held against nothing any more; returns their number.
  std::int64_t lift_quarantine(const RecordKey& key);

  // Records. All are kept; of each key the strongest sound one serves (core/record_order.hpp). Rows with a wrong hash
  // are left out and counted in damaged_rows(). Stores a record and its `finalists` in this order, with a new uuid
  // where it has none. One with the uuid of a stored record takes its place. If the record that serves has the uuid
  // `beaten`, the new one beat it in the same rounds: all that are stronger than the new one become superseded. Returns
  // whether the new one serves.
  bool put_record(const Record& record, std::string_view beaten = {}, std::span<const FinalistResult> finalists = {});
  // Returns the finalists of the record with this uuid.
  std::vector<FinalistResult> finalists(std::string_view record);
  // Returns the record that serves for a key, if its times mean what times mean today.
  std::optional<Record> find_record(const RecordKey& key);
  // Returns the records that serve for a kernel name (for all when empty), ordered by kernel, device class, problem.
  std::vector<Record> records(std::string_view kernel = {});
  // Returns the records that serve for this code, contract and objective, of any regime, device and problem. Records of
  // the same kernel name come first; then by kernel, device class, problem.
  std::vector<Record> candidates(const RecordKey& key);
  // Returns all records of a key, newest first.
  std::vector<Record> history(const RecordKey& key);

  // Stores the ceilings of a class of devices, by name; a present one is replaced.
  void put_ceilings(const DeviceInfo& device, std::span<const Ceiling> ceilings);
  std::vector<Ceiling> ceilings(std::string_view device_class);

  // Returns the number of rows left out because attune never writes such content.
  std::int64_t damaged_rows() const noexcept;

  static std::string sqlite_version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attune
