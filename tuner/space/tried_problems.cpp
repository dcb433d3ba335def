#include "space/tried_problems.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "attune/error.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

// 0 stands for the default of each size. Each other number applies to all sizes at once. After them, each size in turn
// is `large` while all others are `small`.
constexpr std::array<std::int64_t, 8> usual_sizes{0, 4096, 1000, 1023, 256, 64, 1, 1 << 20};
constexpr std::int64_t small = 997, large = std::int64_t{1} << 40;
constexpr std::array<std::int64_t, 14> swept_sizes{1,    5,    8,     16,    64,      100,     256,
                                                   1000, 4096, 16384, 65537, 1 << 18, 1 << 20, 1 << 25};
constexpr double most_elements = 1.1e12;
constexpr std::size_t most_choices = 64;  // of types and choices
constexpr std::size_t most_swept = 600;

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> known;
  for (const std::string& architecture : known_architectures()) known.push_back(device_limits(architecture));
  DeviceInfo host = device_limits("sm_90");  // the host device has the limits of this GPU
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
        if (next.size() < most_choices) {
          next.push_back(begun);
          next.back().set(parameter.name, name);
        }
    if (!names.empty()) found = std::move(next);
  }
  return found;
}

std::vector<std::string> names_of_sizes(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const ProblemParameter& parameter : spec.problem)
    if (parameter.kind == ProblemKind::size) names.push_back(parameter.name);
  return names;
}

// Returns bindings with `own` for one size and `others` for all others.
Problem sizes_of(const std::vector<std::string>& names, const std::string& one, std::int64_t own, std::int64_t others) {
  Problem sizes;
  for (const std::string& name : names) sizes.set(name, name == one ? own : others);
  return sizes;
}

std::vector<Problem> usual_sizes_of(const KernelSpec& spec) {
  const std::vector<std::string> names = names_of_sizes(spec);
  std::vector<Problem> tried(1);  // the defaults
  for (const std::int64_t size : usual_sizes)
    if (size > 0) tried.push_back(sizes_of(names, {}, size, size));
  for (const std::string& one : names) tried.push_back(sizes_of(names, one, large, small));
  return tried;
}

std::vector<Problem> swept_sizes_of(const KernelSpec& spec) {
  const std::vector<std::string> names = names_of_sizes(spec);
  std::vector<Problem> swept;
  for (const std::string& one : names)
    for (const std::int64_t own : swept_sizes)
      for (const std::int64_t others : swept_sizes) {
        double elements = static_cast<double>(own);
        for (std::size_t i = 1; i < names.size(); ++i) elements *= static_cast<double>(others);
        Problem sizes = sizes_of(names, one, own, others);
        if (elements <= most_elements && std::ranges::find(swept, sizes) == swept.end())
          swept.push_back(std::move(sizes));
      }
  return swept;
}

// Returns a stride that visits each of `count` places once, each far from the place before.
std::size_t scattering_stride(std::size_t count) {
  auto stride = static_cast<std::size_t>(0.618 * static_cast<double>(count)) + 1;
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

// Returns nothing where the kernel has no such problem, for example if a size has no default.
std::optional<TriedProblem> tried_problem(const KernelSpec& spec, Problem chosen, const Problem& sizes,
                                          const DeviceInfo& device) {
  for (const Binding& size : sizes) chosen.set(size.name, size.value);
  try {
    return TriedProblem{make_problem(spec, chosen, device.kind), device};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::vector<TriedProblem>> usual_problems(const KernelSpec& spec) {
  const std::vector<DeviceInfo> known = devices();
  const std::vector<Problem> chosen = combinations(spec);
  std::vector<std::vector<TriedProblem>> groups;
  for (const Problem& sizes : usual_sizes_of(spec)) {
    auto& group = groups.emplace_back();
    for (const DeviceInfo& device : known)
      for (const Problem& names : chosen)
        if (auto tried = tried_problem(spec, names, sizes, device)) group.push_back(std::move(*tried));
  }
  return groups;
}

std::vector<TriedProblem> swept_problems(const KernelSpec& spec) {
  const std::vector<DeviceInfo> known = devices();
  const std::vector<Problem> chosen = combinations(spec), sizes = swept_sizes_of(spec);
  const std::size_t all = sizes.size() * chosen.size(), stride = scattering_stride(all);
  std::vector<TriedProblem> swept;
  for (std::size_t i = 0; i < std::min(all, most_swept); ++i) {
    const std::size_t at = i * stride % all;
    const DeviceInfo& device = known[i % known.size()];
    if (auto tried = tried_problem(spec, chosen[at % chosen.size()], sizes[at / chosen.size()], device))
      swept.push_back(std::move(*tried));
  }
  return swept;
}

}  // namespace attune
