#include "space/fallbacks.hpp"

#include <algorithm>
#include <array>

#include "attune/error.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

// 0 stands for the default of each size. The others apply to all sizes at once; then `small` to all but one, which is
// `large`.
constexpr std::array<std::int64_t, 6> tried_sizes{0, 4096, 1000, 1023, 1, 1 << 20};
constexpr std::int64_t small = 997, large = std::int64_t{1} << 40;
constexpr std::size_t most_combinations = 64;  // of types and choices
constexpr std::size_t most_failures = 4;       // of one set of sizes: spaces without a legal configuration

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

// Returns what is tried of the sizes: one set of bindings each.
std::vector<Problem> tried_sizes_of(const KernelSpec& spec) {
  std::vector<const ProblemParameter*> sizes;
  for (const ProblemParameter& parameter : spec.problem)
    if (parameter.kind == ProblemKind::size) sizes.push_back(&parameter);
  std::vector<Problem> tried(1);  // the defaults
  for (const std::int64_t size : tried_sizes) {
    if (size == 0) continue;
    Problem& all = tried.emplace_back();
    for (const ProblemParameter* const parameter : sizes) all.set(parameter->name, size);
  }
  for (const ProblemParameter* const one : sizes) {
    Problem& all = tried.emplace_back();
    for (const ProblemParameter* const parameter : sizes) all.set(parameter->name, parameter == one ? large : small);
  }
  return tried;
}

// Returns nothing where the kernel has no such problem, such as a size without a default.
std::optional<Problem> problem_of(const KernelSpec& spec, Problem chosen, const Problem& sizes,
                                  const DeviceInfo& device) {
  for (const Binding& size : sizes) chosen.set(size.name, size.value);
  try {
    return make_problem(spec, chosen, device.kind);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns how far a configuration is from the first values, as SearchSpace::nearest() counts.
std::uint64_t distance_of(const KernelSpec& spec, const Configuration& configuration) {
  constexpr std::uint64_t one_parameter = std::uint64_t{1} << 32;
  std::uint64_t distance = 0;
  for (const Parameter& parameter : spec.parameters) {
    const auto at = std::ranges::find(parameter.values, configuration.at(parameter.name)) - parameter.values.begin();
    if (at > 0) distance += one_parameter + static_cast<std::uint64_t>(at);
  }
  return distance;
}

class Collection {
 public:
  // Begins with `found`. Finds at most as many more as make `most`.
  Collection(const KernelSpec& spec, std::vector<Configuration> found, std::size_t most)
      : spec_(spec), most_(most), begun_(found.size()), found_(std::move(found)) {}

  bool is_full() const { return found_.size() >= most_; }
  // Other sizes may have what these have not.
  void begin_sizes() { failures_ = 0; }
  bool gives_these_up() const { return failures_ >= most_failures; }

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

  // Returns those it began with; then nearer ones to the first values come first, as the search space's own default is
  // the nearest.
  std::vector<Configuration> take() {
    std::stable_sort(found_.begin() + static_cast<std::ptrdiff_t>(begun_), found_.end(),
                     [&](const Configuration& a, const Configuration& b) {
                       return distance_of(spec_, a) < distance_of(spec_, b);
                     });
    return std::move(found_);
  }

 private:
  const KernelSpec& spec_;
  std::size_t most_, begun_, failures_ = 0;
  std::vector<Configuration> found_;
};

// Adds to `found` what is legal for the problems that are tried, on the devices that are known.
std::vector<Configuration> collected(const KernelSpec& spec, std::vector<Configuration> found, std::size_t most) {
  Collection collection(spec, std::move(found), most);
  const std::vector<DeviceInfo> known = devices();
  const std::vector<Problem> chosen = combinations(spec);
  for (const Problem& sizes : tried_sizes_of(spec)) {
    collection.begin_sizes();
    for (const DeviceInfo& device : known)
      for (const Problem& names : chosen) {
        if (collection.is_full()) return collection.take();
        if (collection.gives_these_up()) break;
        if (const auto problem = problem_of(spec, names, sizes, device)) collection.serve(*problem, device);
      }
  }
  return collection.take();
}

}  // namespace

std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  std::vector<Configuration> found = collected(spec, {std::move(first)}, most);
  if (!spec.deterministic || (spec.deterministic->names().empty() && !spec.deterministic->holds(Scope{}))) return found;
  KernelSpec narrowed = spec;  // where only deterministic configurations are legal
  narrowed.rules.push_back(*spec.deterministic);
  return collected(narrowed, std::move(found), most);
}

}  // namespace attune
