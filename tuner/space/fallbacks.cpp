#include "space/fallbacks.hpp"

#include <algorithm>
#include <array>

#include "attune/error.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

// 0 stands for the default of each size. The others apply to all sizes at once.
constexpr std::array<std::int64_t, 6> tried_sizes{0, 4096, 1000, 1023, 1, 1 << 20};
constexpr std::size_t most_combinations = 64;  // of types and choices
constexpr std::size_t most_failures = 16;      // spaces without a legal configuration that are looked through

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> known;
  for (const std::string& architecture : known_architectures()) known.push_back(device_limits(architecture));
  DeviceInfo host = device_limits("sm_90");  // its limits are those of a present GPU
  host.kind = "host";
  host.compute_capability = 0;
  host.multiprocessors = 4;
  known.push_back(host);
  return known;
}

const std::vector<std::string>& names_of(const ProblemParameter& parameter) {
  return parameter.kind == ProblemKind::type ? parameter.types : parameter.choices;
}

// Returns the combinations of types and choices, the defaults first.
std::vector<Problem> combinations(const KernelSpec& spec) {
  std::vector<Problem> found(1);
  for (const ProblemParameter& parameter : spec.problem) {
    const auto& names = names_of(parameter);
    std::vector<Problem> next;
    for (const std::string& name : names)
      for (const Problem& begun : found)
        if (next.size() < most_combinations) {
          next.push_back(begun);
          next.back().set(parameter.name, name);
        }
    if (!names.empty()) found = std::move(next);
  }
  return found;
}

// Returns nothing where the kernel has no such problem, such as a size without a default.
std::optional<Problem> problem_of(const KernelSpec& spec, Problem chosen, std::int64_t size, const DeviceInfo& device) {
  for (const ProblemParameter& parameter : spec.problem)
    if (parameter.kind == ProblemKind::size && size > 0) chosen.set(parameter.name, size);
  try {
    return make_problem(spec, chosen, device.kind);
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Collection {
 public:
  Collection(const KernelSpec& spec, std::size_t most) : spec_(spec), most_(most) {
    Configuration first;
    for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
    found_.push_back(std::move(first));
  }

  bool is_full() const { return found_.size() >= most_ || failures_ >= most_failures; }

  void serve(const Problem& problem, const DeviceInfo& device) {
    const bool is_served = std::ranges::any_of(found_, [&](const Configuration& configuration) {
      return legal_configuration(spec_, problem, device, configuration).has_value();
    });
    if (is_served) return;
    try {
      found_.push_back(default_for(spec_, problem, device));
    } catch (const Error&) {
      ++failures_;
    }
  }

  std::vector<Configuration> take() { return std::move(found_); }

 private:
  const KernelSpec& spec_;
  std::size_t most_, failures_ = 0;
  std::vector<Configuration> found_;
};

}  // namespace

std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most) {
  Collection collection(spec, most);
  const std::vector<DeviceInfo> known = devices();
  const std::vector<Problem> chosen = combinations(spec);
  for (const std::int64_t size : tried_sizes)
    for (const DeviceInfo& device : known)
      for (const Problem& names : chosen) {
        if (collection.is_full()) return collection.take();
        if (const auto problem = problem_of(spec, names, size, device)) collection.serve(*problem, device);
      }
  return collection.take();
}

}  // namespace attune
