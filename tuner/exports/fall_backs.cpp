// Fall-back configurations: which are legal where no record is.
#include <algorithm>
#include <cstdint>

#include "attune/error.hpp"
#include "exports/tables.hpp"
#include "kernel/legality.hpp"
#include "kernel/nearness.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

// Some places are left for recorded configurations.
constexpr std::size_t most_fall_backs = 16, most_legal = 12;
// Search spaces that are built to find them.
constexpr std::size_t most_spaces = 256;

struct Place {
  Problem problem;
  DeviceInfo device;
};

// Returns the device of a record's class, as far as the class tells: its limits are those of its architecture.
DeviceInfo device_of(const Record& record) {
  DeviceInfo device;
  const std::string architecture = "sm_" + std::to_string(record.compute_capability);
  const std::vector<std::string> known = known_architectures();
  if (std::ranges::find(known, architecture) != known.end()) device = device_limits(architecture);
  device.kind = kind_of(record.key.device_class);
  device.multiprocessors = record.multiprocessors;
  return device;
}

std::vector<DeviceInfo> devices_of(std::span<const Record> records) {
  std::vector<DeviceInfo> devices;
  std::vector<std::string> classes;
  for (const Record& record : records) {
    if (std::ranges::find(classes, record.key.device_class) != classes.end()) continue;
    classes.push_back(record.key.device_class);
    devices.push_back(device_of(record));
  }
  constexpr std::string_view first[] = {"sm_90", "sm_80", "sm_75"};
  for (const std::string_view architecture : first) devices.push_back(device_limits(architecture));
  for (const std::string& architecture : known_architectures())
    if (std::ranges::find(first, architecture) == std::end(first)) devices.push_back(device_limits(architecture));
  return devices;
}

// Returns a problem of these types and sizes: all `size`, but for one that may be far larger.
Problem problem_of(const KernelSpec& spec, const Bindings& types, std::int64_t size, const ProblemParameter* large) {
  constexpr std::int64_t default_size = 4096, large_size = std::int64_t{1} << 44;
  constexpr std::int64_t most_small = 64;  // radii, numbers of channels: they keep their default
  Problem problem;
  for (const ProblemParameter& parameter : spec.problem) {
    const bool is_integer = parameter.kind == ProblemKind::integer;
    if (const Value* const type = types.find(parameter.name))
      problem.set(parameter.name, *type);
    else if (size == 0 || is_integer || parameter.default_value.value_or(most_small + 1) <= most_small)
      problem.set(parameter.name, parameter.default_value.value_or(is_integer ? 0 : default_size));
    else
      problem.set(parameter.name, &parameter == large ? large_size : size);
  }
  return problem;
}

// Returns problems of each combination of types: of default, least, odd and large sizes, and large in one dimension.
std::vector<Problem> problems_of(const KernelSpec& spec, std::span<const Bindings> admitted) {
  // 0 stands for the defaults. Some are odd, some multiples of 2, 4 or more.
  constexpr std::int64_t sizes[] = {0, 1, 997, 998, 100, 6000, 30000, 1048576, std::int64_t{1} << 33};
  const std::vector<Bindings> combinations = type_combinations(spec, admitted, false);
  std::vector<Problem> problems;
  for (const std::int64_t size : sizes)
    for (const Bindings& types : combinations) problems.push_back(problem_of(spec, types, size, nullptr));
  for (const ProblemParameter& parameter : spec.problem)
    for (const Bindings& types : combinations)
      if (parameter.kind == ProblemKind::size) problems.push_back(problem_of(spec, types, 997, &parameter));
  return problems;
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

void add_once(std::vector<Configuration>& all, const Configuration& configuration) {
  if (all.size() < most_fall_backs && std::ranges::find(all, configuration) == all.end()) all.push_back(configuration);
}

// What attune itself takes at a place where the first values are not legal.
struct Answer {
  const Place* place;
  Configuration configuration;
};

// Adds these configurations, and returns the answers.
std::vector<Answer> add_legal_elsewhere(const KernelSpec& spec, std::span<const Place> places,
                                        std::vector<Configuration>& all) {
  std::vector<Answer> answers;
  for (const Place& place : places) {
    if (all.size() == most_legal || answers.size() == most_spaces) break;
    if (legal_configuration(spec, place.problem, place.device, all.front())) continue;
    try {
      answers.push_back({&place, default_for(spec, place.problem, place.device)});
      add_once(all, answers.back().configuration);
    } catch (const Error&) {
      continue;  // nothing is legal there
    }
  }
  return answers;
}

// Returns whether attune takes `a` where `b` is legal too and as near.
bool is_preferred(const KernelSpec& spec, std::span<const Answer> answers, const Configuration& a,
                  const Configuration& b) {
  return std::ranges::any_of(answers, [&](const Answer& answer) {
    return answer.configuration == a && legal_configuration(spec, answer.place->problem, answer.place->device, b);
  });
}

// Sorts by distance. Of two that are equally near the one comes first that attune was seen to take.
void sort_by_nearness(const KernelSpec& spec, std::span<const Answer> answers, std::vector<Configuration>& all) {
  std::ranges::stable_sort(all, {}, [&](const Configuration& one) { return distance_of(spec, one); });
  for (std::size_t i = 1; i < all.size(); ++i)
    for (std::size_t at = i; at > 0; --at) {
      if (distance_of(spec, all[at - 1]) != distance_of(spec, all[at])) break;
      if (!is_preferred(spec, answers, all[at], all[at - 1])) break;
      std::swap(all[at - 1], all[at]);
    }
}

}  // namespace

std::vector<Configuration> fall_backs(const KernelSpec& spec, std::span<const Record> records,
                                      std::span<const Bindings> problems) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  std::vector<Configuration> all = {first};
  std::vector<Place> places;
  const std::vector<Problem> asked = problems_of(spec, problems);
  for (const DeviceInfo& device : devices_of(records))
    for (const Problem& problem : asked) places.push_back({problem, device});
  const std::vector<Answer> answers = add_legal_elsewhere(spec, places, all);
  for (const Record& record : records) {
    Configuration configuration;
    for (const Parameter& parameter : spec.parameters)
      configuration.set(parameter.name, record.configuration.at(parameter.name));
    add_once(all, configuration);
  }
  sort_by_nearness(spec, answers, all);
  return all;
}

}  // namespace attune
