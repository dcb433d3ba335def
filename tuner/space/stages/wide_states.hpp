// WideStates: collects the states after one step of a wide automaton and gives equal states one number. States are
// equal if the open guards have equal states, and if their known terms are equal or lie in one class between
// thresholds. Belongs to one construction and one thread.
#pragma once

#include "space/stages/automaton.hpp"
#include "space/stages/row_set.hpp"
#include "space/stages/term_program.hpp"
#include "space/stages/thresholds.hpp"
#include "space/stages/wide_prune.hpp"

namespace attune::space {

constexpr std::uint32_t no_state = ~std::uint32_t{0};

// States as columns of known values. Equal states share the values of the first combination that led to them.
struct StateValues {
  std::size_t count = 1;
  std::vector<std::vector<std::int64_t>> known;    // by frontier term, by state: see WideStates
  std::vector<std::vector<std::uint32_t>> guards;  // by guard, by state; empty where the guard is finished
  std::size_t bytes() const;
};

struct GuardStep {
  const Automaton* automaton = nullptr;
  std::size_t number = 0;  // among the guards
  std::size_t step = 0;    // its own step, if has_step
  bool has_step = false;
  bool goes_on = false;  // it has later steps
};

class WideStates {
 public:
  // `before` has the states before the step. All references must outlive the object.
  WideStates(const WideTerms& terms, std::size_t step, std::size_t width, bool is_last, std::vector<GuardStep> guards,
             const Thresholds* thresholds, const StateValues& before, std::size_t guard_count);

  // Adds the states that follow the states first .. first+count-1 for each value of the step's variable. `program` must
  // have run on these combinations. `hopes` may be null. Writes the states' numbers to `children`, count * width of
  // them; no_state marks a combination that some rule forbids.
  void add(const TermProgram& program, HopesOfStep* hopes, std::size_t first, std::size_t count,
           std::uint32_t* children);
  std::size_t size() const { return is_last_ ? 1 : rows_.size(); }
  std::size_t bytes() const { return rows_.bytes() + behind_.bytes(); }
  StateValues take();

 private:
  struct Place {
    std::uint32_t state;
    const std::uint32_t* next;  // by value, or null
    const std::uint32_t* mask;  // of allowed values, or null
    std::uint32_t slot;         // in row_, or no_state
  };

  static std::size_t row_length(const WideTerms& terms, std::size_t step, const Thresholds* thresholds,
                                const std::vector<GuardStep>& guards);
  void place_guards(std::size_t state);
  bool move_guards(std::size_t value);
  void write_row(std::size_t at);
  void put(std::size_t at, std::uint32_t* child);
  void settle();
  void remember(std::size_t at, const std::uint32_t* row);

  const std::vector<TermId>& frontier_;
  const std::vector<TermId>& decided_;
  std::size_t width_;
  bool is_last_;
  std::vector<GuardStep> guards_;  // the open guards at this step
  const Thresholds* thresholds_;
  const StateValues& before_;
  RowSet rows_;
  StateValues behind_;
  std::vector<std::uint32_t> row_;
  std::vector<std::uint8_t> two_words_;  // by frontier term: does it need two words of the row?
  std::vector<Place> places_;
  bool guards_move_ = false;             // some guard moves, from the present state
  std::vector<std::uint32_t> by_class_;  // by class: its state; used if no guard goes on
  std::vector<std::int64_t> alive_;
  std::vector<const std::int64_t*> outputs_;
  const std::uint32_t* classes_ = nullptr;
  // Combinations whose states are not looked up yet, and where to write the numbers. Their rows lie one after another
  // in pending_rows_.
  struct PendingState {
    std::size_t at;
    std::uint32_t* child;
  };
  std::vector<PendingState> pending_;
  std::vector<std::uint32_t> pending_rows_, pending_numbers_;
};

}  // namespace attune::space
