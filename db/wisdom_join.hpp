// Joins what is known elsewhere into a wisdom database: sessions with their trials, records with their finalists,
// ceilings, covers. Sessions and records are known by their uuids, so that joining the same once more changes nothing.
// Each call is one transaction, so that processes that write meanwhile lose nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/wisdom_store.hpp"

namespace attune {

struct JoinedSession {
  SessionRow session;
  DeviceInfo device;
  std::vector<Trial> trials;
};
struct JoinedRecord {
  Record record;
  std::vector<FinalistResult> finalists = {};
};
// What is joined besides databases. Each session and record has its uuid.
struct WisdomParts {
  std::vector<JoinedSession> sessions;
  std::vector<JoinedRecord> records;
};

// Decides what becomes of the rows of another database. Each function may change its value, and returns false for a
// value that is left out; its trials or finalists are then left out too.
class JoinFilter {
 public:
  virtual ~JoinFilter() = default;
  virtual bool admits(SessionRow& session) const = 0;
  virtual bool admits(Trial& trial) const = 0;
  virtual bool admits(Record& record) const = 0;
  virtual bool admits(FinalistResult& finalist) const = 0;
};

struct JoinTerms {
  std::filesystem::path into;    // is made if it is missing
  bool only_looks = false;       // counts what would be joined, and writes nothing
  bool keeps_backup = true;      // of the database as it was, before the first change (db/wisdom_copy.hpp)
  DatabaseWaiting waiting = {};  // its `stop` also ends the joining, as a whole: WaitInterrupted
};

// What was new, for one kernel on one class of devices.
struct JoinCount {
  std::int64_t sessions = 0, trials = 0, records = 0;
  std::int64_t serving = 0;  // keys of which a new record serves now
  std::int64_t known = 0;    // sessions and records that were there already
};
struct JoinResult {
  std::map<std::pair<std::string, std::string>, JoinCount> counts;  // by kernel and device class
  std::int64_t ceilings = 0, covers = 0;
  std::int64_t left_out = 0;  // by the filter
  std::int64_t damaged = 0;   // rows of the other database that attune never writes
  bool has_backup = false;
};

// Joins parts. Throws Error, and UsageError for a record whose times or ratios are not finite; nothing is joined then.
JoinResult join_parts(const WisdomParts& parts, const JoinTerms& terms);

// Joins another database. It is copied first and read from the copy, which nobody else has: without triggers, without
// its own schema being trusted, and only if its tables are those of the format. Without a filter both databases are
// peers: all is joined as it stands, with ceilings and lifted quarantine, and records that were beaten there are beaten
// here. A session that is known with another protocol gets no trials. Throws Error, with a filter also for a damaged
// database.
JoinResult join_database(const std::filesystem::path& from, const JoinTerms& terms, const JoinFilter* filter = nullptr);

}  // namespace attune
