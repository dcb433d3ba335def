#include "space/stages/wide_states.hpp"

#include <algorithm>

namespace attune::space {
namespace {

constexpr std::size_t most_pending = 64;  // the rows fetched at once; with what they meet they fit the first-level
                                          // cache

bool fits_a_word(const Term& term) {
  return term.kind != TermKind::real && term.range.low >= 0 && term.range.high <= ~std::uint32_t{0};
}

}  // namespace

std::size_t StateValues::bytes() const {
  std::size_t total = 0;
  for (const auto& values : known) total += values.capacity() * sizeof(std::int64_t);
  for (const auto& states : guards) total += states.capacity() * sizeof(std::uint32_t);
  return total;
}

std::size_t WideStates::row_length(const WideTerms& terms, std::size_t step, const Thresholds* thresholds,
                                   const std::vector<GuardStep>& guards) {
  std::size_t length = thresholds != nullptr ? 1 : 0;
  if (thresholds == nullptr) {
    for (const TermId id : terms.frontier[step]) length += fits_a_word(terms.graph[id]) ? 1 : 2;
  }
  for (const GuardStep& guard : guards) length += guard.goes_on ? 1 : 0;
  return length;
}

WideStates::WideStates(const WideTerms& terms, std::size_t step, std::size_t width, bool is_last,
                       std::vector<GuardStep> guards, const Thresholds* thresholds, const StateValues& before,
                       std::size_t guard_count)
    : frontier_(terms.frontier[step]),
      decided_(terms.decided[step]),
      width_(width),
      is_last_(is_last),
      guards_(std::move(guards)),
      thresholds_(thresholds),
      before_(before),
      rows_(row_length(terms, step, thresholds, guards_)),
      row_(rows_.length()) {
  behind_.known.resize(frontier_.size());
  behind_.guards.resize(guard_count);
  for (const TermId id : frontier_) two_words_.push_back(fits_a_word(terms.graph[id]) ? 0 : 1);
  auto slot = static_cast<std::uint32_t>(row_.size());
  for (const GuardStep& guard : guards_) places_.push_back({0, nullptr, nullptr, guard.goes_on ? --slot : no_state});
  const bool only_class = thresholds_ != nullptr && row_.size() == 1;
  if (only_class) by_class_.assign(thresholds_->ascending().size() + 1, no_state);
}

void WideStates::add(const TermProgram& program, HopesOfStep* hopes, std::size_t first, std::size_t count,
                     std::uint32_t* children) {
  alive_.assign(count * width_, 1);
  for (const TermId root : decided_) {
    const std::int64_t* const holds = program.output(root);
    for (std::size_t i = 0; i < alive_.size(); ++i) alive_[i] &= holds[i];
  }
  if (hopes != nullptr) hopes->settle(program, alive_.size(), alive_.data());
  outputs_.clear();
  for (const TermId id : frontier_) outputs_.push_back(program.output(id));
  if (thresholds_ != nullptr) classes_ = thresholds_->classes_of({outputs_[0], alive_.size()}).data();
  for (std::size_t i = 0; i < count; ++i) {
    place_guards(first + i);
    for (std::size_t at = i * width_; at < (i + 1) * width_; ++at) {
      const bool allowed = alive_[at] != 0 && (!guards_move_ || move_guards(at - i * width_));
      if (allowed) {
        put(at, &children[at]);
      } else {
        children[at] = no_state;
      }
    }
  }
  settle();
}

void WideStates::place_guards(std::size_t state) {
  guards_move_ = false;
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    const GuardStep& guard = guards_[g];
    Place& place = places_[g];
    place.state = before_.guards[guard.number][state];
    place.next = place.mask = nullptr;
    if (place.slot != no_state) row_[place.slot] = place.state;
    if (!guard.has_step || place.state == true_state) continue;
    guards_move_ = true;
    const std::size_t number = place.state - first_state;
    if (guard.goes_on) {
      place.next = guard.automaton->next[guard.step].data() + number * width_;
    } else {
      place.mask = guard.automaton->masks.data() + number * guard.automaton->mask_words;
    }
  }
}

bool WideStates::move_guards(std::size_t value) {
  for (const Place& place : places_) {
    if (place.mask != nullptr && (place.mask[value / 32] >> (value % 32) & 1) == 0) return false;
    if (place.next == nullptr) continue;
    if (place.next[value] == false_state) return false;
    row_[place.slot] = place.next[value];
  }
  return true;
}

void WideStates::write_row(std::size_t at) {
  std::size_t word = 0;
  if (thresholds_ != nullptr) {
    row_[word++] = classes_[at];
    return;
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const auto value = static_cast<std::uint64_t>(outputs_[k][at]);
    row_[word++] = static_cast<std::uint32_t>(value);
    if (two_words_[k] != 0) row_[word++] = static_cast<std::uint32_t>(value >> 32);
  }
}

// Writes the number of a state to `child`, at the latest when it is settled.
void WideStates::put(std::size_t at, std::uint32_t* child) {
  if (is_last_) {
    *child = 0;
    return;
  }
  if (!by_class_.empty()) {
    std::uint32_t& known = by_class_[classes_[at]];
    if (known == no_state) {
      write_row(at);
      known = rows_.number_of(row_.data());
      remember(at, row_.data());
    }
    *child = known;
    return;
  }
  write_row(at);
  pending_.push_back({at, child});
  pending_rows_.insert(pending_rows_.end(), row_.begin(), row_.end());
  if (pending_.size() == most_pending) settle();
}

void WideStates::settle() {
  pending_numbers_.resize(pending_.size());
  rows_.numbers_of(pending_rows_.data(), pending_.size(), pending_numbers_.data(),
                   [&](std::size_t i) { remember(pending_[i].at, pending_rows_.data() + i * row_.size()); });
  for (std::size_t i = 0; i < pending_.size(); ++i) *pending_[i].child = pending_numbers_[i];
  pending_.clear();
  pending_rows_.clear();
}

void WideStates::remember(std::size_t at, const std::uint32_t* row) {
  for (std::size_t k = 0; k < outputs_.size(); ++k) behind_.known[k].push_back(outputs_[k][at]);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    if (places_[g].slot != no_state) behind_.guards[guards_[g].number].push_back(row[places_[g].slot]);
  }
}

StateValues WideStates::take() {
  behind_.count = size();
  return std::move(behind_);
}

}  // namespace attune::space
