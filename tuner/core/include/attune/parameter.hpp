// Parameter: a tunable name with its values; the first value is the default.
#pragma once

#include <string>
#include <vector>

#include "attune/value.hpp"

namespace attune {

struct Parameter {
  std::string name;
  std::vector<Value> values;  // at least one, all of one kind, no value twice
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

}  // namespace attune
