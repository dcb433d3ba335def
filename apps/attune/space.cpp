// attune space
#include <fmt/format.h>

#include <iostream>

#include "attune/error.hpp"
#include "core/problem.hpp"
#include "options.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

void show_effects(const SearchSpace& space) {
  fmt::print("rules, and what each alone removes\n");
  for (const RuleEffect& effect : space.effects()) {
    if (effect.implied && effect.removed_alone <= 0) continue;
    fmt::print("  {}{:6.2f} %  {}{}\n", effect.exact ? " " : "~", 100 * effect.removed_alone, effect.rule,
               effect.implied ? "  (a limit of the device)" : "");
  }
}

}  // namespace

int run_space(const Arguments& arguments) {
  Options options("attune space KERNEL|FILE.cu [options]",
                  "  attune space reduce --device sm_90 --count\n"
                  "  attune space transpose --problem \"T=double\" --device sm_80 --list 10\n",
                  {"kernel"});
  namespace po = boost::program_options;
  options.add()("problem,p", po::value<std::string>(), "the problem: \"n=1000 T=float\"")(
      "device,d", po::value<std::string>(), "cuda, cuda:N, host, or an architecture such as sm_90 (no GPU needed)")(
      "count", "print the number of legal configurations only")(
      "list", po::value<std::string>(), "print the first N legal configurations, in index order");
  if (options.parse(arguments)) return kDone;
  const KernelSpec spec = load_kernel(options.required("kernel"));
  const std::string name = device_name(options);
  const DeviceInfo info = device_info_for(name);
  const Problem problem = parse_problem(spec, options.text("problem").value_or(""), info.kind);
  const SearchSpace space = make_space(spec, problem, info);
  if (options.has("count")) {
    fmt::print("{}\n", to_text(space.size()));
    return kDone;
  }
  if (const auto wanted = options.integer("list", 1, 1'000'000'000)) {
    for (long long i = 0; i < *wanted && static_cast<SpaceSize>(i) < space.size(); ++i)
      fmt::print("{}\n", space.at(static_cast<SpaceSize>(i)).text());
    return kDone;
  }
  fmt::print("{} for {} on {}\n  {} legal configurations of {} combinations\n", spec.name, problem.text(), info.name,
             count_text(space.size()), count_text(space.cartesian_size()));
  for (const Parameter& parameter : spec.parameters) {
    std::string values;
    for (const Value& value : parameter.values) values += (values.empty() ? "" : ", ") + value.text();
    fmt::print("  {:<16}{}\n", parameter.name, values);
  }
  show_effects(space);
  return kDone;
}

}  // namespace attune::cli
