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
#include "worker/transport.hpp"

namespace attune {
namespace {

// A slice of a search without a limit of time, on several benches: the long problems of a suite then go on side by
// side, and none is left for one bench at the end. A slice costs a second of data and warm-up.
constexpr double unlimited_slice_seconds = 60;

struct Member {
  const Subject* subject = nullptr;
  std::string kernel;  // name and code: what wins for a kernel is tried for that kernel alone
  SearchSoFar search;
  SessionResult result;                // of its last visit
  std::int64_t session = 0;            // 0: none yet
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
  SuiteBudget left() const;
  void search_and_conclude();
  std::optional<std::size_t> next_visit(const SuiteBenches::IsFree& is_free);
  std::optional<std::size_t> next_slice(const SuiteBenches::IsFree& is_free);
  void search_slice(std::size_t at, const SuiteBench& bench);
  void end_slice(Member& member, SessionResult result);
  bool has_searched(const Member& member) const;
  void conclude(std::size_t at, const SuiteBench& bench);
  std::size_t complete();
  void complete(std::size_t at, const std::vector<Configuration>& winners, const SuiteBench& bench);
  Ending reason_of(const Member& member) const;
  std::vector<Configuration> leaders(const std::string& kernel) const;
  std::vector<std::size_t> in_order() const;
  void tell_done(std::size_t at);
  SessionResult visit(std::size_t at, SessionPart part, const Budget& limits, const std::atomic<int>& stop,
                      const SuiteBench& bench);
  SessionResult run_part(std::size_t at, const SessionRequest& request, const std::atomic<int>& stop,
                         const SuiteBench& bench);

  SessionRequest request_;
  SuiteBenches benches_;  // whose mutex guards all below, while several benches work
  ImageCache* const disk_;
  SuiteObserver& observer_;
  std::mutex observing_;
  const std::atomic<int>& stop_;
  std::vector<Member> members_;
  std::size_t open_ = 0;                     // members without a record that answers
  SuiteBudget whole_;                        // of this run
  std::optional<double> effort_left_;        // seconds, over all runs
  std::optional<double> seconds_left_;       // of the user's limit, of all benches together
  std::optional<std::int64_t> trials_left_;  // of the user's limit
  double seconds_given_ = 0;                 // to slices under way
  std::int64_t trials_given_ = 0;            // likewise
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
  Budget limits = request_.limits;
  if (limits.seconds) *limits.seconds *= static_cast<double>(benches_.size());
  const std::optional<double> share = share_of_effort(plan, limits, members_.size());
  double used = 0;
  for (const Member& member : members_) {
    open_ += !member.is_known;
    used += member.search.seconds;
  }
  const auto open = static_cast<double>(open_);
  if (share) effort_left_ = *share * open - used;
  seconds_left_ = limits.seconds;
  trials_left_ = request_.limits.trials;
  whole_ = left();
  if (share) whole_.seconds = std::min(*share * open, seconds_left_.value_or(*share * open));
  std::optional<double> each = whole_.seconds;
  if (each && open > 0) *each /= open;
  if (!request_.protocol) request_.protocol = suite_protocol(plan, request_.limits, each);
}

SuiteBudget Suite::left() const {
  SuiteBudget left{effort_left_, trials_left_};
  if (seconds_left_) left.seconds = std::min(*seconds_left_, left.seconds.value_or(*seconds_left_));
  if (left.seconds) *left.seconds -= seconds_given_;
  if (left.trials) *left.trials -= trials_given_;
  return left;
}

// Runs a part of a problem's session. What fails for this problem leaves the others.
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
  } catch (const DeviceLost&) {
    throw;
  } catch (const DatabaseLocked&) {
    throw;
  } catch (const Error& error) {  // of this problem, perhaps
    result.end = Ending::no_survivor;
    result.explanation = error.what();
  }
  const Lock lock(benches_.mutex());
  if (result.session != 0) member.session = result.session;
  return result;
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
  benches_.run([this](const SuiteBenches::IsFree& is_free) { return next_visit(is_free); },
               [this](std::size_t at, const SuiteBench& bench) {
                 const Member& member = members_[at];
                 if (!member.concludes) return search_slice(at, bench);
                 if (!member.is_known && member.result.end != Ending::no_survivor && stop_.load() < 2)
                   conclude(at, bench);
                 tell_done(at);
               });
}

std::optional<std::size_t> Suite::next_visit(const SuiteBenches::IsFree& is_free) {
  if (const std::optional<std::size_t> next = next_slice(is_free)) return next;
  for (const std::size_t at : in_order()) {
    Member& member = members_[at];
    if (member.concludes || !is_free(at) || !has_searched(member)) continue;
    member.concludes = member.search.is_over = true;
    return at;
  }
  return std::nullopt;
}

// Returns whether the problem gets no further slice, whatever slices under way leave of their limits.
bool Suite::has_searched(const Member& member) const {
  const SuiteBudget spent{effort_left_, trials_left_};
  return member.search.is_over || stop_.load() > 0 || spent.is_spent() || (seconds_left_ && *seconds_left_ <= 0);
}

// Returns the problem that has the next slice, and gives it the limits of that slice.
std::optional<std::size_t> Suite::next_slice(const SuiteBenches::IsFree& is_free) {
  if (stop_.load() != 0) return std::nullopt;
  std::vector<SearchSoFar> searches;
  for (std::size_t at = 0; at < members_.size(); ++at) {
    searches.push_back(members_[at].search);
    // When nothing is left, each problem still has its default tried.
    if ((left().is_spent() && searches[at].trials > 0) || !is_free(at)) searches[at].is_over = true;
  }
  const std::optional<std::size_t> next = next_problem(searches);
  if (!next || (left().is_spent() && searches[*next].slices > 0)) return std::nullopt;
  Budget& slice = members_[*next].slice;
  slice = slice_of(whole_, left(), open_);
  if (benches_.size() > 1 && !slice.seconds) slice.seconds = unlimited_slice_seconds;
  seconds_given_ += slice.seconds.value_or(0);
  trials_given_ += slice.trials.value_or(0);
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
  seconds_given_ -= member.slice.seconds.value_or(0);
  trials_given_ -= member.slice.trials.value_or(0);
  SearchSoFar& search = member.search;
  const double seconds = std::max(result.used_seconds - search.seconds, 0.0);
  if (effort_left_) *effort_left_ -= seconds;
  if (seconds_left_) *seconds_left_ -= seconds;
  if (trials_left_) *trials_left_ -= result.run_trials;
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
  if (effort_left_ && *effort_left_ <= 0) return Ending::effort_spent;
  return trials_left_ && *trials_left_ <= 0 ? Ending::trials : Ending::time;
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

SuiteResult run_suite(const SessionRequest& request, std::span<const Subject* const> subjects, Pool& pool,
                      WisdomStore& store, ImageCache* images, SuiteObserver& observer, const std::atomic<int>& stop) {
  const SuiteBench bench{pool, store};
  return run_suite(request, subjects, {&bench, 1}, images, observer, stop);
}

SuiteResult run_suite(const SessionRequest& request, std::span<const Subject* const> subjects,
                      std::span<const SuiteBench> benches, ImageCache* images, SuiteObserver& observer,
                      const std::atomic<int>& stop) {
  return Suite(request, subjects, benches, images, observer, stop).run();
}

}  // namespace attune
