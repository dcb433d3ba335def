// attune plan
#include <fmt/format.h>

#include "attune/dispatcher.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"

namespace attune::cli {

int run_plan(const Arguments& arguments) {
  Options options("attune plan KERNEL|FILE.cu [options]",
                  "  attune plan transpose --problem \"width=8000 height=8000\"\n"
                  "  attune plan my_kernel.cu --problem \"n=1000\" --device host\n",
                  {"kernel"});
  namespace po = boost::program_options;
  options.add()("problem,p", po::value<std::string>(), "the problem: \"width=8192 T=float\"")(
      "device,d", po::value<std::string>(), "cuda, cuda:N or host (default: $ATTUNE_DEVICE, else cuda)")(
      "regime", po::value<std::string>(), "of the caches that was tuned for: cold (default) or warm")(
      "objective", po::value<std::string>(), "what was tuned for (default: time)")(
      "db", po::value<std::string>(), "the wisdom database (default: $ATTUNE_DB, else the user's own)");
  if (options.parse(arguments)) return exit_done;

  const std::string given = options.required("kernel");
  const KernelSpec spec = load_kernel(given);
  DispatcherOptions wanted;
  wanted.device = device_name(options);
  wanted.database = database_path(options);
  wanted.regime = options.text("regime").value_or(wanted.regime);
  wanted.objective = Objectives(options.text("objective").value_or(wanted.objective)).text();
  Dispatcher dispatcher(wanted);
  if (given != spec.name) dispatcher.add_file(given);
  const Problem problem = parse_problem(spec, options.text("problem").value_or(""), dispatcher.device_info().kind);
  const Match match = dispatcher.match(spec.name, problem);
  fmt::print("{} for {} on {}\n  rung           {}\n  why            {}\n  configuration  {}\n", spec.name,
             problem.text(), dispatcher.device_info().name, to_text(match.rung), match.why, match.configuration.text());
  if (match.rung == Rung::none) return exit_done;
  fmt::print("  recorded for   {}\n  speed-up       {} over the default\n", match.record_problem,
             ratio_text(match.speedup));
  return exit_done;
}

}  // namespace attune::cli
