// KeyedTrial: a stored trial, with its session and the key of the record that the session was for. A plain value.
#pragma once

#include <cstdint>

#include "core/record.hpp"
#include "core/trial.hpp"

namespace attune {

struct KeyedTrial {
  RecordKey key;
  std::int64_t session = 0;
  Trial trial;
};

}  // namespace attune
