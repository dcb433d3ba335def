// Session: one search for one subject on one device, from the space to the record. Its stages are search,
// confirm, compare and decide (docs/design.md). It runs on the caller's thread; a pool compiles and launches.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record.hpp"
#include "core/regime.hpp"
#include "core/verdict_counts.hpp"
#include "db/wisdom_store.hpp"
#include "files/image_cache.hpp"
#include "measure/objective.hpp"
#include "measure/protocol.hpp"
#include "session/effort.hpp"
#include "session/kept_images.hpp"
#include "session/observer.hpp"
#include "session/rejections.hpp"
#include "subject/subject.hpp"
#include "worker/pool.hpp"

namespace attune {

// What one run does of a session that several runs make up, in a suite (session/suite.hpp), or of one that searches
// nothing (session/revalidate.hpp). The strategy learns, and `first` is tried, before the strategy proposes anything.
struct SessionPart {
  std::int64_t session = 0;  // the session that goes on, even a finished one; 0: the one of the key, or a new one
  std::vector<Configuration> first = {};
  std::vector<std::int64_t> learns_from = {};  // sessions of other problems, by whose trials the strategy learns
  bool asks_strategy = true;                   // searches on after `first`
  bool concludes = true;                       // confirms, compares and decides
  std::optional<Ending> reason = {};           // why the search of the parts before ended
  std::optional<Record> revalidates = {};      // compares this record with the default, and stores no record
};

struct SessionRequest {
  Regime regime = Regime::cold;  // of all measurements; part of the record's key
  Objectives objectives;         // to minimise; part of the record's key
  Effort effort = Effort::measure;
  // The user's limits, for this run. A limit of time or trials below the effort's budget makes the session partial;
  // patience and target finish it.
  Budget limits;
  std::string strategy;  // "": the effort's own
  std::optional<std::uint64_t> seed;
  bool fresh = false;                       // neither continues a session nor answers from the log
  bool cold_start = false;                  // does not try records of other problems and devices first
  std::optional<Protocol> protocol;         // nothing: the effort and the time limit decide
  unsigned compile_threads = 0;             // 0: as many as cores
  unsigned depth = 4;                       // how many trials are sent at once, the present one included
  bool keep_going = false;                  // goes on even if nearly all of the first configurations fail alike
  bool lift_quarantine = false;             // tries again what died or was late, even in a finished session
  std::filesystem::path lock_folder;        // of the device's lock; "": measures without taking turns
  std::optional<SessionPart> part = {};     // nothing: the whole session
  std::shared_ptr<KeptImages> images = {};  // compiled by sessions before this one; null: none
};

struct TimeInRegime {
  Regime regime = Regime::stream;
  double median_ns = 0;
};

struct SessionResult {
  Ending end = Ending::everything_tried;  // `reason`, unless it was interrupted later or nothing survived
  std::optional<Ending> reason;           // why the search ended; nothing without a search
  std::optional<Record> record;           // the record in the database for this problem
  std::optional<FinalDecision> decision;  // of the final stage of this run
  std::optional<TimeInRegime> elsewhere;  // a short winner's time in another regime
  bool record_stands = false;             // `record` is an earlier one, with its own figures
  std::vector<FinalistResult> finalists;  // of the record: each one's results in the final stage
  std::int64_t trials = 0, survivors = 0;
  std::int64_t run_trials = 0;            // how many of these trials were made in this run; the others were known
  VerdictCounts verdicts;                 // of these trials; empty without a search
  std::vector<Rejection> rejections;      // of these trials, the most frequent first
  bool few_survived = false;              // few of these trials survived: the answer may be far from the optimum
  std::vector<std::string> remarks;       // the compiler's, on the default and on the best
  std::vector<QuarantineEntry> left_out;  // quarantined, or left out by this session: WisdomStore::suspected()
  std::string explanation;
  std::int64_t session = 0;            // its number in the database; 0: none was run
  std::optional<Configuration> leads;  // the best by the search
  double lead = 0;                     // its objective relative to the anchor's
  double used_seconds = 0;             // of searching, in all runs
  int workers_replaced = 0;            // device workers replaced in this run
  // Seconds of this run's search: all; those in which the device worker worked; those of waiting for compilers with
  // nothing to measure.
  double seconds = 0, device_busy_seconds = 0, compile_wait_seconds = 0;
  double timed_seconds = 0;  // the sum of all samples of all stages
};

// Runs a session for a subject on the pool's device. `stop` counts requests to end early: at 1 the search ends and a
// short final stage follows; at 2 the final stage ends too. Throws Error for a broken environment; every completed
// trial is in the database then. `images` may be null.
SessionResult run_session(const SessionRequest& request, const Subject& subject, Pool& pool, WisdomStore& store,
                          ImageCache* images, Observer& observer, const std::atomic<int>& stop);
// Returns what run_session() would return without a search, if the database has the answer.
std::optional<SessionResult> known_result(const SessionRequest& request, const Subject& subject,
                                          const DeviceInfo& device, WisdomStore& store);

}  // namespace attune
