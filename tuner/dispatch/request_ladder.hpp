// RequestLadder: the configurations that may serve one request, best first. It looks farther in the wisdom only when it
// is asked for more than it has. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dispatch/wisdom.hpp"
#include "kernel/ladder.hpp"

namespace attune {

class RequestLadder {
 public:
  using Look = std::function<Wisdom::LookUpResult(const MatchRequest&, Reach)>;
  // `by_rung`: in the order of the match ladder. `fallbacks_early`: behind records of the problem itself, fall-backs
  // come before records of near problems, which take a farther look.
  enum class Order { by_rung, fallbacks_early };

  // `request` must outlive it.
  RequestLadder(const MatchRequest& request, Look look, Order order);

  // Returns candidate `i`, or null where there are no more. It is valid until the next call.
  const GradedMatch* at(std::size_t i);
  // Returns whether a record fits the request, as far as was looked.
  bool has_record() const noexcept { return recorded_ > 0; }
  // Returns whether every look was answered. If not, a later ladder may have more.
  bool is_final() const noexcept { return is_final_; }

 private:
  using Step = void (RequestLadder::*)();
  std::vector<Record> look_for(Reach reach);
  void add_own();
  void add_early_fallbacks();
  void add_others();
  void add_last();

  const MatchRequest& request_;
  const Look look_;
  const Order order_;
  Step next_ = &RequestLadder::add_own;  // null: nothing is left to add
  std::vector<Record> records_;
  std::vector<Cover> covers_;
  std::vector<GradedMatch> rungs_;
  std::size_t recorded_ = 0;  // rungs of records that fit
  std::string near_miss_;     // why no record serves
  bool are_all_ = false;      // a farther look finds no more records that fit
  bool is_final_ = true;
};

}  // namespace attune
