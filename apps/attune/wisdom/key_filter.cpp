#include "wisdom/key_filter.hpp"

#include <algorithm>

#include "expression/assignments.hpp"
#include "kernel/nearness.hpp"

namespace attune::cli {

bool KeyFilter::includes(const RecordKey& key) const {
  const auto has = [&](const Binding& one) {
    const Value* const value = key.problem.find(one.name);
    return value != nullptr && value->text() == one.value.text();
  };
  const bool is_of_device = device.empty() || kind_of(key.device_class) == device.substr(0, device.find(':')) ||
                            key.device_class.find(device) != std::string::npos;
  return is_of_device && std::ranges::all_of(problem, has);
}

void add_key_options(Options& options) {
  options.add()("problem,p", named_value("PROBLEM"), "of these values of the problem alone: \"width=8192 T=float\"")(
      "device,d", named_value("DEVICE"), "of devices of this kind (cuda, host) or name alone");
}

KeyFilter key_filter_of(const Options& options) {
  return {parse_bindings(options.text("problem").value_or("")), options.text("device").value_or("")};
}

}  // namespace attune::cli
