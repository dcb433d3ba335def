// Which keys a command is asked about: --problem and --device.
#pragma once

#include <string>

#include "core/record.hpp"
#include "options.hpp"

namespace attune::cli {

struct KeyFilter {
  Bindings problem;    // what is not listed may have any value
  std::string device;  // a kind ("cuda", "host", "cuda:0"), or a part of a class key; "": any

  bool includes(const RecordKey& key) const;
  bool includes_all() const { return problem.empty() && device.empty(); }
};

// Adds --problem and --device.
void add_key_options(Options& options);
KeyFilter key_filter_of(const Options& options);

}  // namespace attune::cli
