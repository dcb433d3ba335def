#include "dispatch/request_ladder.hpp"

#include <iterator>
#include <utility>

#include "kernel/near_miss.hpp"

namespace attune {

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] RequestLadder::RequestLadder(const MatchRequest& request, Look look, Order order)
    : request_(request), look_(std::move(look)), order_(order) {}

[[gnu::cold]] const GradedMatch* RequestLadder::at(std::size_t i) {
  while (i >= rungs_.size() && next_ != nullptr) (this->*std::exchange(next_, nullptr))();
  return i < rungs_.size() ? &rungs_[i] : nullptr;
}

[[gnu::cold]] std::vector<Record> RequestLadder::look_for(Reach reach) {
  auto [found, is_final, failure] = look_(request_, reach);
  is_final_ = is_final_ && is_final;
  are_all_ = are_all_ || found.are_all;
  if (found.records.empty() && near_miss_.empty()) near_miss_ = say_near_miss(request_, found.near_misses);
  if (!found.covers.empty()) covers_ = std::move(found.covers);
  return std::move(found.records);
}

[[gnu::cold]] void RequestLadder::add_own() {
  records_ = look_for(Reach::this_problem);
  rungs_ = match_ladder(request_, records_, covers_);
  recorded_ = rungs_.size();
  if (rungs_.empty() && !records_.empty()) near_miss_ = say_near_miss(request_, records_);
  const bool are_fallbacks_next = order_ == Order::fallbacks_early && !rungs_.empty();
  next_ = are_all_             ? &RequestLadder::add_last
          : are_fallbacks_next ? &RequestLadder::add_early_fallbacks
                               : &RequestLadder::add_others;
}

[[gnu::cold]] void RequestLadder::add_early_fallbacks() {
  add_last_rungs(rungs_, request_, records_, near_miss_);
  next_ = &RequestLadder::add_others;
}

// The ladder of all records begins with the rungs of the problem's own. Where the wisdom has become unreadable since,
// those stay.
[[gnu::cold]] void RequestLadder::add_others() {
  std::vector<Record> all = look_for(Reach::all);
  std::vector<GradedMatch> rungs = match_ladder(request_, all, covers_);
  if (rungs.empty()) near_miss_ = all.empty() ? near_miss_ : say_near_miss(request_, all);
  for (std::size_t i = recorded_; i < rungs.size(); ++i) rungs_.push_back(std::move(rungs[i]));
  recorded_ = std::max(recorded_, rungs.size());
  if (!all.empty()) records_ = std::move(all);
  next_ = &RequestLadder::add_last;
}

[[gnu::cold]] void RequestLadder::add_last() {
  std::vector<Record> others = look_for(Reach::other_problems);
  std::ranges::move(others, std::back_inserter(records_));
  add_last_rungs(rungs_, request_, records_, near_miss_);
}

}  // namespace attune
