// WisdomStore: the wisdom database, which holds devices, sessions, trials, attempts and records in an SQLite file
// (docs/formats/wisdom.md). It has one connection; one thread at a time. Every write is one IMMEDIATE transaction,
// durable on return. Processes may share a file. A read_write store waits up to 30 s for a lock of another process, a
// read_only store up to 5 s; ATTUNE_DB_WAIT overrides both. After that it throws DatabaseLocked, an Error with the
// command that finds the other process. Use in a child process after fork() throws Error. Functions throw Error for an
// unreadable, locked, damaged or newer file, for another kind of file, and for a full disk. Committed data are not
// lost.
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
#include "core/cover.hpp"
#include "core/device_class.hpp"
#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/wisdom_failure.hpp"

namespace attune {

enum class SessionState { running = 0, partial = 1, finished = 2 };

// What a session searches. Two commands with equal keys share one session.
struct SessionKey {
  RecordKey record;
  std::string space;  // fingerprint of the searched space
  Effort effort = Effort::measure;
  std::string strategy;  // "random"
};

struct SessionRow {
  std::int64_t id = 0;
  std::string uuid;  // by which other databases know the session; "": begin_session() makes one
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

// How much is stored for all kernels with one name.
struct KernelTotals {
  std::string kernel;
  std::int64_t sessions = 0, trials = 0;
};

// A configuration under way.
struct Attempt {
  Configuration configuration;
  int begun = 1;  // how often it began without a verdict
  int alone = 0;  // how many of these times it was the only one under way
};

// A configuration that must not be launched again, or was not launched again, and why.
struct QuarantineEntry {
  Configuration configuration;
  Verdict verdict = Verdict::quarantined;
  std::string detail;
  std::int64_t made_ms = 0;        // Unix time, milliseconds
  bool has_second_chance = false;  // set by suspected(): the next run of the session tries it again
};

// How a store waits for a lock. After a second it says so, once, by `note`. If `stop` rises by one, the wait ends and
// throws WaitInterrupted. `seconds` is the longest wait; ATTUNE_DB_WAIT overrides it.
struct DatabaseWaiting {
  WaitNote note = {};
  const std::atomic<int>* stop = nullptr;
  std::optional<double> seconds = {};
};

class WisdomStore {
 public:
  enum class Access { read_write, read_only };
  // Opens a file, or ":memory:". read_write creates the file (0600) and its directory (0700) if missing, and brings
  // older formats forward, keeping a backup. read_only throws Error if there is no file. `waiting` says how to wait
  // while another process has locked the file.
  explicit WisdomStore(const std::filesystem::path& file, Access access = Access::read_write,
                       DatabaseWaiting waiting = {});
  ~WisdomStore();
  WisdomStore(WisdomStore&&) noexcept;
  WisdomStore& operator=(WisdomStore&&) noexcept;

  const std::filesystem::path& file() const noexcept;

  // Sessions. Returns the newest session with this key, or nothing.
  std::optional<SessionRow> find_session(const SessionKey& key);
  // Stores a new session, with a new uuid if it has none; returns its id. `device` is stored once per class.
  std::int64_t begin_session(const SessionRow& session, const DeviceInfo& device);
  // Returns the sessions of all kernels with this name, or of all if the name is empty, the newest first.
  std::vector<SessionRow> sessions(std::string_view kernel);
  void update_session(std::int64_t session, SessionState state, double used_seconds);

  // Trials. Stores a trial. A second trial of a configuration in the same session replaces the first. A trial ends the
  // attempt at its configuration in the same transaction. A trial with two deaths or more, and any verdict but ok,
  // quarantines its configuration.
  void add_trial(std::int64_t session, const Trial& trial);
  // Stores several trials in one transaction.
  void add_trials(std::int64_t session, std::span<const Trial> trials);
  // Returns the trials of a session in the order in which they were stored.
  std::vector<Trial> trials(std::int64_t session);
  // Returns the trials, with verdict and times, of all sessions with this record key and space whose times have the
  // present meaning: the newest first, each configuration once.
  std::vector<Trial> known_trials(const RecordKey& key, std::string_view space);

  // Returns the totals for each name of a kernel, ordered by name.
  std::vector<KernelTotals> kernel_totals();

  // Attempts are stored before a configuration is tried, so that they survive the end of the whole process. Begins an
  // attempt at each configuration, or counts its attempt once more, and returns the attempts. `alone` says that nothing
  // else is under way. `verdicts` are trials to store before, in the same transaction.
  std::vector<Attempt> begin_attempts(std::int64_t session, const std::vector<Configuration>& configurations,
                                      bool alone, std::span<const Trial> verdicts = {});
  // Takes one beginning of each attempt back, because nothing was launched. `alone` must be as it was at the beginning.
  void withdraw_attempts(std::int64_t session, const std::vector<Configuration>& configurations, bool alone);
  // Returns the attempts without a verdict, the first begun first. If no process works on the session, its process was
  // killed during these attempts.
  std::vector<Attempt> open_attempts(std::int64_t session);

  // Quarantine. Returns the quarantined configurations: those with a trial of two worker deaths and a verdict other
  // than ok. The verdict compile_crash counts only if it occurs in two sessions, and compile_timeout never counts.
  // Quarantine holds for all sessions with the same code, contract, problem and device class, whatever their regime,
  // objective, space and kernel name. This function and the next three return the oldest first, and each configuration
  // once, with its last verdict.
  std::vector<QuarantineEntry> quarantined(const RecordKey& key);
  // Returns the configurations, of the same sessions, that were lifted from quarantine and not tried since.
  std::vector<QuarantineEntry> lifted(const RecordKey& key);
  // Returns the configurations that the next run of this session tries again: those that were lifted, and once those
  // whose compiler died or was late, or that were perhaps killed from outside.
  std::vector<QuarantineEntry> second_chances(std::int64_t session);
  // Returns the configurations that this session left out for deaths or lateness that may not be their fault.
  std::vector<QuarantineEntry> suspected(std::int64_t session);
  // Lifts the quarantine: marks all its trials, and those that may be suspected, as no longer held against their
  // configurations. Returns the number of trials.
  std::int64_t lift_quarantine(const RecordKey& key);

  // Records. All are kept; the strongest sound record of each key serves (core/record_order.hpp). Rows with a wrong
  // hash are left out and counted in damaged_rows(). Stores a record, with a new uuid if it has none, and its
  // `finalists` in this order. The record replaces a stored record with the same uuid. If the strongest record that is
  // not pinned has the uuid `beaten`, the new record has beaten it in the same rounds, so all records that are stronger
  // than the new one become superseded, but for pinned ones. Returns whether the new record serves.
  bool put_record(const Record& record, std::string_view beaten = {}, std::span<const FinalistResult> finalists = {});
  // Returns the finalists of the record with this uuid, in the order in which they were stored.
  std::vector<FinalistResult> finalists(std::string_view record);
  // Returns the strongest record of a key that is not pinned, if its times have the present meaning.
  std::optional<Record> find_record(const RecordKey& key);
  // Returns the records that serve for a kernel name, or for all if the name is empty, ordered by kernel, device class,
  // problem.
  std::vector<Record> records(std::string_view kernel = {});
  // Returns the records that serve for this code, contract and objective, of any regime, device and problem. Records
  // with the kernel name of `key` come first; the order is then by kernel, device class, problem.
  std::vector<Record> candidates(const RecordKey& key);
  // Returns all records of a key, newest first.
  std::vector<Record> history(const RecordKey& key);

  // Stores the ceilings of a class of devices. A ceiling replaces a stored one of the same name.
  void put_ceilings(const DeviceInfo& device, std::span<const Ceiling> ceilings);
  std::vector<Ceiling> ceilings(std::string_view device_class);

  // Stores that a device counts as another one, in place of what was stored for it.
  void put_alias(const DeviceAlias& alias);
  // Returns whether there was an alias of the device.
  bool remove_alias(std::string_view device);
  std::vector<DeviceAlias> aliases();
  // Covers. Stores a cover, which replaces the one with its key.
  void put_cover(const Cover& cover);
  // Returns the covers of this kernel name, or all if it is empty, ordered by kernel and device class.
  std::vector<Cover> covers(std::string_view kernel = {});

  // Returns how many rows were left out because attune never writes such content.
  std::int64_t damaged_rows() const noexcept;

  static std::string sqlite_version();

  struct State;
  // Returns the members, for the functions of db/ that are no members.
  State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace attune
