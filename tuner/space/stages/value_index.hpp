// ValueIndex: the position of a value in the values of a parameter. Immutable; any thread may read it.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "attune/value.hpp"

namespace attune::space {

class ValueIndex {
 public:
  // `values` must outlive the index. Most lists ascend, and then the index stores nothing.
  explicit ValueIndex(const std::vector<Value>& values) : values_(&values) {
    if (std::adjacent_find(values.begin(), values.end(), [](const Value& a, const Value& b) { return !(a < b); }) ==
        values.end())
      return;
    sorted_.resize(values.size());
    std::iota(sorted_.begin(), sorted_.end(), std::uint16_t{0});
    std::sort(sorted_.begin(), sorted_.end(), [&](std::uint16_t a, std::uint16_t b) { return values[a] < values[b]; });
  }

  std::optional<std::uint16_t> position_of(const Value& value) const {
    const auto& values = *values_;
    std::size_t low = 0, high = values.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (values[at(middle)] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == values.size() || values[at(low)] != value) return std::nullopt;
    return static_cast<std::uint16_t>(at(low));
  }

  // Returns a value that is listed twice, or null.
  const Value* repeated() const {
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      if ((*values_)[sorted_[i]] == (*values_)[sorted_[i - 1]]) return &(*values_)[sorted_[i]];
    }
    return nullptr;
  }

 private:
  std::size_t at(std::size_t rank) const { return sorted_.empty() ? rank : sorted_[rank]; }
  const std::vector<Value>* values_;
  std::vector<std::uint16_t> sorted_;  // positions by value; empty where the values ascend as they are
};

}  // namespace attune::space
