#include "support/kernel_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "attune/attune.hpp"
#include "space/default_configuration.hpp"
#include "spec/kernel_file.hpp"
#include "support/on_device.hpp"

namespace attune::test {
namespace {

using Pair = std::tuple<std::size_t, std::string, std::size_t, std::string>;  // parameter, value, parameter, value

std::vector<Pair> pairs_of(const Configuration& configuration) {
  std::vector<std::string> values;
  for (const Binding& binding : configuration) values.push_back(binding.value.text());
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < values.size(); ++a)
    for (std::size_t b = a + 1; b < values.size(); ++b) pairs.emplace_back(a, values[a], b, values[b]);
  return pairs;
}

Status check_one(OnDevice& problem, const CompiledInstance& compiled) {
  if (!compiled.outcome.image) return {compiled.outcome.verdict, compiled.outcome.log, false};
  const Instance& instance = *compiled.instance;
  if (Status status = problem.load(instance, *compiled.outcome.image); !status.ok()) return status;
  Numerics numerics;
  Status again = problem.runner().check_again(instance.id, numerics);
  if (!again.sticky) problem.runner().release(instance.id);
  return again;
}

}  // namespace

KernelChecks::KernelChecks(Device& device, const KernelSpec& spec)
    : device_(device),
      spec_(spec),
      testbed_(kernel_testbed(device)),
      workers_(device),
      pool_(workers_),
      images_(pool_) {
  pool_.set_compilers(std::max(1u, std::thread::hardware_concurrency()));
}

std::optional<Configuration> KernelChecks::ask(const Problem& problem,
                                               const std::vector<Configuration>& configurations) {
  const KernelSubject subject(spec_, problem, device_.info());
  const SearchSpace& space = subject.space();
  std::optional<Configuration> first;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (!space.contains(configurations[i])) continue;
    images_.ask(subject.prepare(i, configurations[i]));
    if (!first) first = configurations[i];
  }
  return first;
}

std::vector<KernelFailure> KernelChecks::check(const std::vector<Problem>& problems,
                                               const std::vector<Configuration>& configurations) {
  std::vector<KernelFailure> failures;
  images_.take_all(Pool::never, [](const CompiledInstance&) {});  // those asked for ahead; their images are kept
  for (const Problem& problem : problems) {
    const std::optional<Configuration> first = ask(problem, configurations);
    if (!first) continue;
    OnDevice on_device(device_, testbed_, spec_, problem, *first);
    bool is_over = false;
    images_.take_all(Pool::never, [&](const CompiledInstance& compiled) {
      if (is_over) return;
      const Status status = check_one(on_device, compiled);
      if (status.ok()) return;
      failures.push_back({problem.text() + ": " + compiled.instance->text, status.verdict, status.detail});
      is_over = status.sticky;
    });
    if (is_over) return failures;
  }
  return failures;
}

std::vector<KernelFailure> check_configurations(Device& device, const KernelSpec& spec,
                                                const std::vector<Problem>& problems,
                                                const std::vector<Configuration>& configurations) {
  return KernelChecks(device, spec).check(problems, configurations);
}

std::string to_text(const std::vector<KernelFailure>& failures) {
  std::string text = std::to_string(failures.size()) + " failures";
  for (std::size_t i = 0; i < std::min<std::size_t>(failures.size(), 10); ++i)
    text += "\n" + failures[i].configuration + ": " + std::string(attune::to_text(failures[i].verdict)) + ": " +
            failures[i].detail;
  return text;
}

std::vector<Configuration> all_configurations(const SearchSpace& space) {
  std::vector<Configuration> all;
  for (SpaceSize i = 0; i < space.size(); ++i) all.push_back(space.at(i));
  return all;
}

std::vector<Configuration> some_configurations(const KernelSpec& spec, const SearchSpace& space, std::size_t count,
                                               std::uint64_t seed) {
  std::vector<Configuration> some{space.nearest(first_values(spec)).value()};
  std::mt19937_64 random(seed);
  while (some.size() < count + 1) some.push_back(space.sample(random));
  return some;
}

std::vector<Configuration> pairwise_configurations(const SearchSpace& space, std::uint64_t seed) {
  const std::vector<Configuration> all = all_configurations(space);
  std::set<Pair> uncovered;
  for (const Configuration& configuration : all)
    for (Pair& pair : pairs_of(configuration)) uncovered.insert(std::move(pair));
  std::mt19937_64 random(seed);
  std::vector<Configuration> chosen;
  while (!uncovered.empty()) {
    // The best of some random ones; when none of them adds anything, the first that holds an uncovered pair.
    std::size_t best = 0, best_gain = 0;
    const auto gain_of = [&](std::size_t i) {
      const std::vector<Pair> pairs = pairs_of(all[i]);
      return static_cast<std::size_t>(
          std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return uncovered.contains(pair); }));
    };
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::size_t i = random() % all.size();
      const std::size_t gain = gain_of(i);
      if (gain > best_gain) std::tie(best, best_gain) = std::tie(i, gain);
    }
    for (std::size_t i = 0; best_gain == 0; ++i) std::tie(best, best_gain) = std::make_tuple(i, gain_of(i));
    for (const Pair& pair : pairs_of(all[best])) uncovered.erase(pair);
    chosen.push_back(all[best]);
  }
  return chosen;
}

}  // namespace attune::test
