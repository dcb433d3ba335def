// attune tune
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "attune/error.hpp"
#include "console.hpp"
#include "core/problem.hpp"
#include "db/paths.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "search/strategy.hpp"
#include "spec/kernel_file.hpp"

namespace attune::cli {
namespace {

std::atomic<int> stop_requests{0};

// The first asks the session to end with the best so far, the second to skip the final stage, the third leaves at once
// (trials are committed as they end).
void on_signal(int) {
  if (stop_requests.fetch_add(1) >= 2) _exit(kInterrupted);
}

Options tune_options() {
  Options options(
      "attune tune KERNEL|FILE.cu [options]",
      "  attune tune transpose --problem \"width=8192 height=8192 T=float\"\n"
      "  attune tune reduce --problem \"n=2**22\" --problem \"n=2**28\" --time-limit 5m\n"
      "  attune tune my_kernel.cu --device host --trials 50      # no GPU needed\n"
      "  attune tune axpy --effort exhaustive --parameters \"BLOCK=128,256 VECTOR=4\" --json\n"
      "\nThe same command again goes on with a session that was cut short, and prints the record of a finished one.\n"
      "Ctrl-C keeps the best so far.\n",
      {"kernel"});
  namespace po = boost::program_options;
  options.add()("problem,p", po::value<std::vector<std::string>>()->composing(),
                "what to tune for: \"width=8192 T=float\"; may be given several times; values may be formulas (2**28)")(
      "device,d", po::value<std::string>(), "cuda, cuda:N or host (default: $ATTUNE_DEVICE, else cuda)")(
      "effort", po::value<std::string>(), "measure (default; a minute of search) or exhaustive (every configuration)")(
      "strategy", po::value<std::string>(), "random or exhaustive (default: the effort's own)")(
      "time-limit", po::value<std::string>(), "end the search after this long: 60s, 5m, 1h")(
      "trials", po::value<std::string>(), "end the search after so many trials")(
      "parameters", po::value<std::string>(), "narrow the values of parameters: \"BLOCK=128,256 PAD=1\"")(
      "seed", po::value<std::string>(), "of the data and of random choices")(
      "fresh", "start over: neither continue a session nor use logged trials")(
      "db", po::value<std::string>(), "the wisdom database (default: $ATTUNE_DB, else the user's own)")(
      "json", "one JSON object per line instead of text");
  return options;
}

int exit_code(SessionResult::End end) {
  if (end == SessionResult::End::interrupted) return kInterrupted;
  return end == SessionResult::End::no_survivor ? kNoSurvivor : kDone;
}

int tune_one(const SessionRequest& request, Device& device, WisdomStore& store, ImageCache& images, bool json) {
  SessionResult result;
  if (json) {
    JsonLines lines(request.spec);
    result = run_session(request, device, store, &images, lines, stop_requests);
    lines.show_result(request, result);
    if (!result.record) std::cerr << "attune: " << request.spec.name << ": " << result.explanation << "\n";
    return exit_code(result.end);
  }
  Console console(request.spec);
  result = run_session(request, device, store, &images, console, stop_requests);
  if (result.record)
    console.show_result(request, result, store.file().string());
  else
    std::cerr << "attune: " << request.spec.name << " for " << request.problem.text() << ": " << result.explanation
              << "\n";
  return exit_code(result.end);
}

}  // namespace

int run_tune(const Arguments& arguments) {
  Options options = tune_options();
  if (options.parse(arguments)) return kDone;
  SessionRequest request;
  request.spec = load_kernel(options.required("kernel"));
  if (const auto narrowing = options.text("parameters")) request.spec = narrow(std::move(request.spec), *narrowing);
  request.effort = effort_from_text(options.text("effort").value_or("measure"));
  effort_plan(request.effort);  // refuses efforts that cannot be tuned with, before anything is opened
  request.strategy = options.text("strategy").value_or("");
  if (!request.strategy.empty()) strategy_named(request.strategy);
  request.limits.seconds = options.seconds("time-limit");
  request.limits.trials = options.integer("trials", 1, 1'000'000'000'000);
  if (const auto seed = options.integer("seed", 0, 9'223'372'036'854'775'807))
    request.seed = static_cast<std::uint64_t>(*seed);
  request.fresh = options.has("fresh");

  const std::string name = device_name(options);
  const std::string kind = name.substr(0, name.find(':'));
  std::vector<std::string> texts = options.list("problem");
  if (texts.empty()) texts.emplace_back();
  std::vector<Problem> problems;
  for (const std::string& text : texts) problems.push_back(parse_problem(request.spec, text, kind));

  WisdomStore store(database_path(options));
  const std::unique_ptr<Device> device = open_device(name);
  ImageCache images(default_cache_path());
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  int code = kDone;
  for (const Problem& problem : problems) {
    request.problem = problem;
    const int one = tune_one(request, *device, store, images, options.has("json"));
    if (one != kDone) code = one;
    if (one == kInterrupted) break;
  }
  return code;
}

}  // namespace attune::cli
