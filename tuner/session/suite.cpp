#include "session/suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/usable_processors.hpp"
#include "kernel/record_table.hpp"
#include "session/later_stop.hpp"
#include "session/one_at_a_time.hpp"
#include "session/session_terms.hpp"
#include "session/suite_plan.hpp"
#include "worker/boards.hpp"

namespace attune {
namespace {

struct Member {
  const Subject* subject = nullptr;
  std::string kernel;  // name and code: what wins for a kernel is tried for that kernel alone
  SearchSoFar search;
  SessionResult result;                // of its last visit
  std::int64_t session = 0;            // 0: none yet
  std::int64_t former = 0;             // the newest one before this run, if it does not go on
  std::optional<Configuration> leads;  // the best so far, or the record's
  double lead = 1;                     // its objective relative to the default's
  std::optional<Ending> over;          // why its own search has ended
  bool is_known = false;               // it had its record before
  bool concludes = false;              // its search is over, and its finalists are compared or were
  Budget slice;                        // limits of the slice that it has now
};

class Suite {
 public:
  Suite(const SessionRequest& request, std::span<const Subject* const> subjects, std::span<const SuiteBench> benches,
        ImageCache* images, SuiteObserver& observer, const std::atomic<int>& stop)
      : request_(request), benches_(benches, subjects.size()), disk_(images), observer_(observer), stop_(stop) {
    for (const Subject* const subject : subjects) members_.emplace_back().subject = subject;
    request_.images = std::make_shared<KeptImages>();
    const auto share = static_cast<unsigned>(benches_.size());
    const auto processors =
        request_.compile_threads > 0 ? request_.compile_threads : static_cast<unsigned>(usable_processors());
    if (share > 1) request_.compile_threads = std::max(1u, processors / share);
  }

  SuiteResult run() {
    const double busy = benches_.busy_seconds();
    know();
    set_budget();
    search_and_conclude();
    SuiteResult result;
    result.winners = complete();
    result.interrupted = stop_.load() > 0;
    result.busy_seconds = benches_.busy_seconds() - busy;
    result.wall_seconds = benches_.seconds();
    result.compiled = request_.images->compiled();
    for (Member& member : members_) {
      result.known += member.is_known;
      result.problems.push_back(std::move(member.result));
    }
    return result;
  }

 private:
  using Lock = std::lock_guard<std::mutex>;
  void know();
  void set_budget();
  void search_and_conclude();
  std::optional<std::size_t> next_visit(const SuiteBenches::IsFree& is_free, double now);
  std::optional<std::size_t> next_slice(const SuiteBenches::IsFree& is_free, double now);
  void search_slice(std::size_t at, const SuiteBench& bench);
  void end_slice(Member& member, SessionResult result);
  bool has_searched(const Member& member, double now) const;
  void conclude(std::size_t at, const SuiteBench& bench);
  std::size_t complete();
  void complete(std::size_t at, const std::vector<Configuration>& winners, const SuiteBench& bench);
  Ending reason_of(const Member& member) const;
  std::vector<Configuration> leaders(const std::string& kernel) const;
  std::vector<std::size_t> in_order() const;
  void tell_done(std::size_t at);
  SessionResult visit(std::size_t at, SessionPart part, const Budget& limits, const std::atomic<int>& stop,
                      const SuiteBench& bench);
  void blame_bench(std::size_t at, const SuiteBench& bench, const Error& error);
  void give_back(std::size_t at, const SuiteBench& bench);
  SessionResult run_part(std::size_t at, const SessionRequest& request, const std::atomic<int>& stop,
                         const SuiteBench& bench);

  SessionRequest request_;
  SuiteBenches benches_;  // whose mutex guards all below, while several benches work
  ImageCache* const disk_;
  SuiteObserver& observer_;
  std::mutex observing_;
  const std::atomic<int>& stop_;
  std::vector<Member> members_;
  SuiteLimits limits_;
};

// Takes over what the database knows: records that answer, and sessions that go on.
void Suite::know() {
  WisdomStore& store = benches_.first().store;
  const DeviceInfo& device = benches_.first().pool.device().info;
  for (Member& member : members_) {
    const SessionKey key = session_key(request_, *member.subject, device);
    member.kernel = key.record.kernel + ' ' + key.record.code;
    const bool is_lifted = request_.lift_quarantine && store.lift_quarantine(key.record) > 0;
    const std::optional<SessionRow> row = store.find_session(key);
    if (row && (request_.fresh || row->state == SessionState::finished)) member.former = row->id;
    if (std::optional<SessionResult> known;
        !is_lifted && (known = known_result(request_, *member.subject, device, store))) {
      member.is_known = member.search.is_over = true;
      member.leads = known->record->configuration;
      member.session = row ? row->id : 0;
      member.result = *std::move(known);
    } else if (row && !request_.fresh && row->state != SessionState::finished) {
      member.search.seconds = row->used_seconds;
      member.search.trials = row->trials;
    }
  }
}

void Suite::set_budget() {
  const EffortPlan& plan = effort_plan(request_.effort);
  double used = 0;
  std::size_t open = 0;
  for (const Member& member : members_) {
    open += !member.is_known;
    used += member.search.seconds;
  }
  limits_ = SuiteLimits(plan, request_.limits, members_.size(), open, benches_.size(), used);
  if (!request_.protocol) request_.protocol = suite_protocol(plan, request_.limits, limits_.seconds_each());
}

// Runs a part of a problem's session. What fails for this problem leaves the others. Throws BenchAtFault if another
// bench may do better.
SessionResult Suite::visit(std::size_t at, SessionPart part, const Budget& limits, const std::atomic<int>& stop,
                           const SuiteBench& bench) {
  Member& member = members_[at];
  SessionRequest request;
  {
    const Lock lock(benches_.mutex());
    request = request_;
    request.lift_quarantine = request.lift_quarantine && member.search.slices == 0;
    part.session = member.session;
  }
  request.limits = limits;
  request.part = std::move(part);
  SessionResult result;
  try {
    result = run_part(at, request, stop, bench);
  } catch (const WaitInterrupted&) {
    throw;
  } catch (const DatabaseLocked&) {
    throw;
  } catch (const Error& error) {  // of this problem, perhaps
    blame_bench(at, bench, error);
    result.end = Ending::no_survivor;
    result.explanation = error.what();
  }
  const Lock lock(benches_.mutex());
  if (result.session != 0) member.session = result.session;
  return result;
}

// Throws BenchAtFault for the error under way, unless the problem is to blame. A board is lost that fails a job for
// good, but not the second one at the same problem. Other errors leave the problem to the benches where it has not
// failed yet. A killed worker that does not end is the device's fault.
void Suite::blame_bench(std::size_t at, const SuiteBench& bench, const Error& error) {
  bool is_lost = dynamic_cast<const DeviceLost*>(&error) != nullptr;
  if (benches_.size() == 1 && is_lost) throw;
  if (dynamic_cast<const StepsFailure*>(&error) != nullptr || dynamic_cast<const UsageError*>(&error) != nullptr)
    return;
  {
    const Lock lock(benches_.mutex());
    is_lost = is_lost || (benches_.size() > 1 && bench.pool.has_lost_device() && !benches_.has_failed(at));
    if (!is_lost && !benches_.others_may_visit(at, bench)) return;
  }
  const std::string board = board_text(bench.pool.device().info);
  const Lock lock(observing_);
  observer_.session(at).note(is_lost ? no_part_note(error.what(), board)
                                     : board + " leaves this problem to the other devices: " + error.what());
  throw BenchAtFault{std::current_exception(), is_lost};
}

// Leaves the problem with its session to other benches. What it has used so far counts.
void Suite::give_back(std::size_t at, const SuiteBench& bench) {
  const Lock lock(benches_.mutex());
  Member& member = members_[at];
  const SearchSoFar before = member.search;
  const SessionKey key = session_key(request_, *member.subject, bench.pool.device().info);
  if (const std::optional<SessionRow> row = bench.store.find_session(key); row && row->id != member.former) {
    member.session = row->id;
    member.search.seconds = std::max(row->used_seconds, before.seconds);
    member.search.trials = std::max(row->trials, before.trials);
  }
  if (!std::exchange(member.concludes, false))
    limits_.end_slice(member.slice, member.search.seconds - before.seconds, member.search.trials - before.trials);
}

SessionResult Suite::run_part(std::size_t at, const SessionRequest& request, const std::atomic<int>& stop,
                              const SuiteBench& bench) {
  std::unique_lock lock(observing_);
  Observer& observer = observer_.session(at);
  lock.unlock();
  OneAtATime one_at_a_time(observer, observing_);
  return run_session(request, *members_[at].subject, bench.pool, bench.store, disk_, one_at_a_time, stop);
}

// Searches slice by slice, then compares the finalists of each problem. A bench for which no slice is left compares
// while others search. After a request to stop, those of every problem still have a short final stage; a further
// request ends the present one, and a second one all.
void Suite::search_and_conclude() {
  const auto visit_once = [this](std::size_t at, const SuiteBench& bench) {
    const Member& member = members_[at];
    if (!member.concludes) return search_slice(at, bench);
    if (!member.is_known && member.result.end != Ending::no_survivor && stop_.load() < 2) conclude(at, bench);
    tell_done(at);
  };
  benches_.run([this](const SuiteBenches::IsFree& is_free, double now) { return next_visit(is_free, now); },
               [&](std::size_t at, const SuiteBench& bench) {
                 try {
                   visit_once(at, bench);
                 } catch (const BenchAtFault&) {
                   give_back(at, bench);
                   throw;
                 }
               });
}

std::optional<std::size_t> Suite::next_visit(const SuiteBenches::IsFree& is_free, double now) {
  if (const std::optional<std::size_t> next = next_slice(is_free, now)) return next;
  for (const std::size_t at : in_order()) {
    Member& member = members_[at];
    if (member.concludes || !is_free(at) || !has_searched(member, now)) continue;
    member.concludes = member.search.is_over = true;
    return at;
  }
  return std::nullopt;
}

// Returns whether the problem gets no further slice, whatever slices under way leave of their limits.
bool Suite::has_searched(const Member& member, double now) const {
  return member.search.is_over || stop_.load() > 0 || limits_.is_spent(now);
}

// Returns the problem that has the next slice, and gives it the limits of that slice.
std::optional<std::size_t> Suite::next_slice(const SuiteBenches::IsFree& is_free, double now) {
  if (stop_.load() != 0) return std::nullopt;
  const bool is_given = limits_.is_given(now);
  std::vector<SearchSoFar> searches;
  for (std::size_t at = 0; at < members_.size(); ++at) {
    searches.push_back(members_[at].search);
    // When nothing is left, each problem still has its default tried.
    if ((is_given && searches[at].trials > 0) || !is_free(at)) searches[at].is_over = true;
  }
  const std::optional<std::size_t> next = next_problem(searches);
  if (!next || (is_given && searches[*next].slices > 0)) return std::nullopt;
  members_[*next].slice = limits_.give_slice(now);
  return next;
}

// Returns the configurations that lead a problem of the kernel.
std::vector<Configuration> Suite::leaders(const std::string& kernel) const {
  std::vector<Configuration> leading;
  for (const Member& member : members_)
    if (member.leads && member.kernel == kernel) leading.push_back(*member.leads);
  return most_frequent(leading);
}

void Suite::search_slice(std::size_t at, const SuiteBench& bench) {
  Member& member = members_[at];
  SessionPart part{.concludes = false};
  Budget limits;
  {
    const Lock lock(benches_.mutex());
    limits = member.slice;
    part.first = leaders(member.kernel);
    for (const Member& other : members_)
      if (&other != &member && other.session != 0 && other.kernel == member.kernel)
        part.learns_from.push_back(other.session);
  }
  limits.patience = request_.limits.patience;
  limits.target = request_.limits.target;
  SessionResult result = visit(at, std::move(part), limits, stop_, bench);
  {
    const Lock lock(benches_.mutex());
    end_slice(member, std::move(result));
  }
  const Lock lock(observing_);
  observer_.slice_done(at, member.result);
}

void Suite::end_slice(Member& member, SessionResult result) {
  SearchSoFar& search = member.search;
  const double seconds = std::max(result.used_seconds - search.seconds, 0.0);
  limits_.end_slice(member.slice, seconds, result.run_trials);
  ++search.slices;
  search.seconds += seconds;
  search.before = std::exchange(search.trials, std::max(search.trials, result.trials));
  search.log_gain = result.lead > 0 ? std::max(std::log(member.lead / result.lead), 0.0) : 0;
  if (result.leads) {
    member.leads = result.leads;
    member.lead = result.lead;
  }
  const bool ends = result.reason && (finishes(*result.reason) || result.reason == Ending::hopeless);
  if (ends) member.over = result.reason;
  search.is_over = ends || result.end == Ending::no_survivor;
  add_use(member.result, result);
  member.result = std::move(result);
}

// Returns why a problem's search has ended: for a reason of its own, else by what ended the suite's.
Ending Suite::reason_of(const Member& member) const {
  if (member.over) return *member.over;
  if (stop_.load() > 0) return Ending::interrupted;
  return limits_.reason();
}

// Returns all problems. Several benches begin with those whose trials take longest.
std::vector<std::size_t> Suite::in_order() const {
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto pace = [this](std::size_t at) {
    return members_[at].search.seconds / static_cast<double>(std::max<std::int64_t>(members_[at].search.trials, 1));
  };
  if (benches_.size() > 1) std::ranges::stable_sort(order, std::greater(), pace);
  return order;
}

void Suite::tell_done(std::size_t at) {
  const Lock lock(observing_);
  observer_.problem_done(at, members_[at].result);
}

void Suite::conclude(std::size_t at, const SuiteBench& bench) {
  Member& member = members_[at];
  const LaterStop later(stop_);
  SessionPart part{.asks_strategy = false};
  {
    const Lock lock(benches_.mutex());
    if (stop_.load() > 0) make_short(*request_.protocol);
    part.reason = reason_of(member);
    if (stop_.load() == 0) part.first = leaders(member.kernel);
  }
  SessionResult result = visit(at, std::move(part), {}, later.count(), bench);
  add_use(member.result, result);
  const Lock lock(benches_.mutex());
  if (result.record) member.leads = result.record->configuration;
  member.result = std::move(result);
}

// Tries the winners of all problems of a kernel on each of them, so that the database knows what each costs. Returns
// how many there are.
std::size_t Suite::complete() {
  std::map<std::string, std::vector<Configuration>> records, winners;  // by kernel
  for (const Member& member : members_)
    if (member.result.record) records[member.kernel].push_back(member.result.record->configuration);
  std::size_t count = 0;
  for (const auto& [kernel, of_kernel] : records) count += (winners[kernel] = most_frequent(of_kernel)).size();
  const bool searched = std::any_of(members_.begin(), members_.end(), [](const Member& one) { return !one.is_known; });
  if (searched)
    benches_.run_each(in_order(), [&](std::size_t at, const SuiteBench& bench) {
      if (const auto found = winners.find(members_[at].kernel); found != winners.end())
        complete(at, found->second, bench);
    });
  return count;
}

void Suite::complete(std::size_t at, const std::vector<Configuration>& winners, const SuiteBench& bench) {
  Member& member = members_[at];
  if (!member.result.record || member.session == 0 || stop_.load() > 0) return;
  std::set<std::string> tried;
  for (const Trial& trial : bench.store.trials(member.session)) tried.insert(trial.configuration.text());
  SessionPart part{.asks_strategy = false, .concludes = false};
  const SearchSpace& space = member.subject->space();
  for (const Configuration& winner : winners) {
    const std::optional<Row> row = space.row_of(winner);
    if (row && space.contains(*row) && !tried.contains(winner.text())) part.first.push_back(winner);
  }
  if (part.first.empty()) return;
  const std::vector<Configuration> missing = part.first;
  const SessionResult tried_now = visit(at, std::move(part), {}, stop_, bench);
  add_use(tried_now, member.result);
  member.result.trials = std::max(member.result.trials, tried_now.trials);
  // One that leads the problem now takes part in a final stage.
  if (!tried_now.leads || std::find(missing.begin(), missing.end(), *tried_now.leads) == missing.end()) return;
  conclude(at, bench);
  tell_done(at);
}

}  // namespace

SuiteResult run_suite(const SessionRequest& request, std::span<const Subject* const> subjects,
                      std::span<const SuiteBench> benches, ImageCache* images, SuiteObserver& observer,
                      const std::atomic<int>& stop) {
  return Suite(request, subjects, benches, images, observer, stop).run();
}

}  // namespace attune
