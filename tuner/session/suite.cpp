#include "session/suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernel/record_table.hpp"
#include "session/later_stop.hpp"
#include "session/session_terms.hpp"
#include "session/suite_plan.hpp"
#include "worker/transport.hpp"

namespace attune {
namespace {

// More winners than this are not tried for each problem.
constexpr std::size_t most_winners = 8;

// Makes the stages short after an interruption, because the user waits.
void make_short(Protocol& protocol) {
  protocol.final_seconds = std::min(protocol.final_seconds, 1.0);
  protocol.confirm_seconds = 0;  // one visit
  protocol.confirm_most = std::min(protocol.confirm_most, protocol.finalists);
}

struct Member {
  const Subject* subject = nullptr;
  SearchSoFar search;
  SessionResult result;                // of its last visit
  std::int64_t session = 0;            // 0: none yet
  std::optional<Configuration> leads;  // the best so far, or the record's
  double lead = 1;                     // its objective relative to the default's
  std::optional<Ending> over;          // why its own search has ended
  bool is_known = false;               // it had its record before
};

// Returns configurations with how often each is in the list, the most frequent first, `most_winners` at most.
std::vector<Configuration> most_frequent(const std::vector<Configuration>& all) {
  std::map<std::string, std::pair<std::size_t, const Configuration*>> counts;
  for (const Configuration& one : all) {
    auto& [count, where] = counts[one.text()];
    ++count;
    where = &one;
  }
  std::vector<std::pair<std::size_t, const Configuration*>> order;
  for (const auto& [text, entry] : counts) order.push_back(entry);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Configuration> chosen;
  for (std::size_t i = 0; i < std::min(order.size(), most_winners); ++i) chosen.push_back(*order[i].second);
  return chosen;
}

// Adds what the runs before this one took.
void add_use(const SessionResult& before, SessionResult& result) {
  result.run_trials += before.run_trials;
  result.seconds += before.seconds;
  result.device_busy_seconds += before.device_busy_seconds;
  result.compile_wait_seconds += before.compile_wait_seconds;
  result.timed_seconds += before.timed_seconds;
  result.workers_replaced += before.workers_replaced;
}

class Suite {
 public:
  Suite(const SessionRequest& request, std::span<const Subject* const> subjects, Pool& pool, WisdomStore& store,
        ImageCache* images, SuiteObserver& observer, const std::atomic<int>& stop)
      : request_(request), pool_(pool), store_(store), disk_(images), observer_(observer), stop_(stop) {
    for (const Subject* const subject : subjects) members_.emplace_back().subject = subject;
    request_.images = std::make_shared<KeptImages>();
  }

  SuiteResult run() {
    const double busy = pool_.figures().busy_seconds;
    know();
    set_budget();
    search();
    conclude();
    SuiteResult result;
    result.winners = complete();
    result.interrupted = stop_.load() > 0;
    result.busy_seconds = pool_.figures().busy_seconds - busy;
    result.compiled = request_.images->compiled();
    for (Member& member : members_) {
      result.known += member.is_known;
      result.problems.push_back(std::move(member.result));
    }
    return result;
  }

 private:
  void know();
  void set_budget();
  SuiteBudget left() const;
  void search();
  void search_slice(std::size_t at);
  void conclude();
  void conclude(std::size_t at);
  std::size_t complete();
  void complete(std::size_t at, const std::vector<Configuration>& winners);
  Ending reason_of(const Member& member) const;
  std::vector<Configuration> leaders() const;
  SessionResult visit(std::size_t at, SessionPart part, const Budget& limits, const std::atomic<int>& stop);

  SessionRequest request_;
  Pool& pool_;
  WisdomStore& store_;
  ImageCache* const disk_;
  SuiteObserver& observer_;
  const std::atomic<int>& stop_;
  std::vector<Member> members_;
  std::size_t open_ = 0;                     // members without a record that answers
  SuiteBudget whole_;                        // of this run
  std::optional<double> effort_left_;        // seconds, over all runs
  std::optional<double> seconds_left_;       // of the user's limit
  std::optional<std::int64_t> trials_left_;  // of the user's limit
};

// Takes over what the database knows: records that answer, and sessions that go on.
void Suite::know() {
  for (Member& member : members_) {
    const SessionKey key = session_key(request_, *member.subject, pool_.device().info);
    const bool is_lifted = request_.lift_quarantine && store_.lift_quarantine(key.record) > 0;
    const std::optional<SessionRow> row = store_.find_session(key);
    if (std::optional<SessionResult> known;
        !is_lifted && (known = known_result(request_, *member.subject, pool_.device().info, store_))) {
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
  const std::optional<double> share = share_of_effort(plan, request_.limits, members_.size());
  double used = 0;
  for (const Member& member : members_) {
    open_ += !member.is_known;
    used += member.search.seconds;
  }
  const auto open = static_cast<double>(open_);
  if (share) effort_left_ = *share * open - used;
  seconds_left_ = request_.limits.seconds;
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
  return left;
}

// Runs a part of a problem's session. What fails for this problem leaves the others.
SessionResult Suite::visit(std::size_t at, SessionPart part, const Budget& limits, const std::atomic<int>& stop) {
  Member& member = members_[at];
  SessionRequest request = request_;
  request.limits = limits;
  request.lift_quarantine = request.lift_quarantine && member.search.slices == 0;
  part.session = member.session;
  request.part = std::move(part);
  SessionResult result;
  try {
    result = run_session(request, *member.subject, pool_, store_, disk_, observer_.session(at), stop);
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
  if (result.session != 0) member.session = result.session;
  return result;
}

void Suite::search() {
  while (stop_.load() == 0) {
    std::vector<SearchSoFar> searches;
    for (const Member& member : members_) {
      searches.push_back(member.search);
      // When nothing is left, each problem still has its default tried.
      if (left().is_spent() && member.search.trials > 0) searches.back().is_over = true;
    }
    const std::optional<std::size_t> next = next_problem(searches);
    if (!next || (left().is_spent() && searches[*next].slices > 0)) return;
    search_slice(*next);
  }
}

// Returns the configurations that lead a problem.
std::vector<Configuration> Suite::leaders() const {
  std::vector<Configuration> leading;
  for (const Member& member : members_)
    if (member.leads) leading.push_back(*member.leads);
  return most_frequent(leading);
}

void Suite::search_slice(std::size_t at) {
  Member& member = members_[at];
  Budget limits = slice_of(whole_, left(), open_);
  limits.patience = request_.limits.patience;
  limits.target = request_.limits.target;
  SessionPart part{.first = leaders(), .concludes = false};
  for (const Member& other : members_)
    if (&other != &member && other.session != 0) part.learns_from.push_back(other.session);
  SessionResult result = visit(at, std::move(part), limits, stop_);
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
  observer_.slice_done(at, member.result);
}

// Returns why a problem's search has ended: for a reason of its own, else by what ended the suite's.
Ending Suite::reason_of(const Member& member) const {
  if (member.over) return *member.over;
  if (stop_.load() > 0) return Ending::interrupted;
  if (effort_left_ && *effort_left_ <= 0) return Ending::effort_spent;
  return trials_left_ && *trials_left_ <= 0 ? Ending::trials : Ending::time;
}

// Compares the finalists of each problem. After a request to stop, those of every problem still have a short final
// stage; a further request ends the present one, and a second one all.
void Suite::conclude() {
  for (std::size_t at = 0; at < members_.size(); ++at) {
    Member& member = members_[at];
    if (!member.is_known && member.result.end != Ending::no_survivor && stop_.load() < 2) conclude(at);
    observer_.problem_done(at, member.result);
  }
}

void Suite::conclude(std::size_t at) {
  Member& member = members_[at];
  const LaterStop later(stop_);
  if (stop_.load() > 0) make_short(*request_.protocol);
  SessionPart part{.asks_strategy = false, .reason = reason_of(member)};
  if (stop_.load() == 0) part.first = leaders();
  SessionResult result = visit(at, std::move(part), {}, later.count());
  add_use(member.result, result);
  if (result.record) member.leads = result.record->configuration;
  member.result = std::move(result);
}

// Tries the winners of all problems on every problem, so that the database knows what each costs. Returns how many
// there are.
std::size_t Suite::complete() {
  std::vector<Configuration> records;
  for (const Member& member : members_)
    if (member.result.record) records.push_back(member.result.record->configuration);
  const std::vector<Configuration> winners = most_frequent(records);
  const bool searched = std::any_of(members_.begin(), members_.end(), [](const Member& one) { return !one.is_known; });
  for (std::size_t at = 0; searched && at < members_.size(); ++at) complete(at, winners);
  return winners.size();
}

void Suite::complete(std::size_t at, const std::vector<Configuration>& winners) {
  Member& member = members_[at];
  if (!member.result.record || member.session == 0 || stop_.load() > 0) return;
  std::set<std::string> tried;
  for (const Trial& trial : store_.trials(member.session)) tried.insert(trial.configuration.text());
  SessionPart part{.asks_strategy = false, .concludes = false};
  const SearchSpace& space = member.subject->space();
  for (const Configuration& winner : winners) {
    const std::optional<Row> row = space.row_of(winner);
    if (row && space.contains(*row) && !tried.contains(winner.text())) part.first.push_back(winner);
  }
  if (part.first.empty()) return;
  const std::vector<Configuration> missing = part.first;
  const SessionResult tried_now = visit(at, std::move(part), {}, stop_);
  add_use(tried_now, member.result);
  member.result.trials = std::max(member.result.trials, tried_now.trials);
  // One that leads the problem now takes part in a final stage.
  if (!tried_now.leads || std::find(missing.begin(), missing.end(), *tried_now.leads) == missing.end()) return;
  conclude(at);
  observer_.problem_done(at, member.result);
}

}  // namespace

SuiteResult run_suite(const SessionRequest& request, std::span<const Subject* const> subjects, Pool& pool,
                      WisdomStore& store, ImageCache* images, SuiteObserver& observer, const std::atomic<int>& stop) {
  return Suite(request, subjects, pool, store, images, observer, stop).run();
}

}  // namespace attune
