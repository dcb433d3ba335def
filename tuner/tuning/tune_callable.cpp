#include "attune/tune_callable.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <utility>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/quiet_signal.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "dispatch/request_ladder.hpp"
#include "files/paths.hpp"
#include "subject/callable_subject.hpp"
#include "tuning/tune_parts.hpp"
#include "worker/callable_runner.hpp"
#include "worker/callable_spec.hpp"
#include "worker/process/worker_program.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

fs::path database_at(const fs::path& chosen) { return chosen.empty() ? default_database_path() : chosen; }

std::unique_ptr<Workers> workers_of(const Tunable& tunable, Isolation isolation) {
  if (isolation == Isolation::none)
    return std::make_unique<LocalWorkers>([&tunable] { return callable_testbed(tunable); },
                                          []() -> std::shared_ptr<Compiler> { throw Error("a callable has no code"); });
  if (!is_worker_of(tunable.name))
    throw UsageError(
        fmt::format("tune(): no worker of this program would know `{}`; call attune::worker_main(argc, argv, {{...}}) "
                    "with this tunable first in main(), or choose Isolation::none",
                    tunable.name));
  return process_workers("/proc/self/exe", callable_kind, {.arguments = {tunable.name}});
}

void refuse_options_of_kernels(const TuneOptions& options) {
  if (!options.devices.empty())
    throw UsageError(
        "tune(): TuneOptions::devices is of kernels; a tunable's work opens its devices itself: leave it out");
  if (!options.executable.empty())
    throw UsageError("tune(): TuneOptions::executable is of kernels; a tunable's worker is this program: leave it out");
}

}  // namespace

TuneResult tune(const Tunable& tunable, const Problem& given, Effort effort, const TuneCallableOptions& options) {
  const KernelSpec spec = callable_spec(tunable);  // is an error before anything starts
  const Problem problem = callable_problem(tunable, given);
  refuse_options_of_kernels(options);
  if (effort == Effort::estimate) return estimate_of(find(tunable, problem, options.database));
  const std::unique_ptr<Workers> workers = workers_of(tunable, options.isolation);
  SessionRequest request;
  request.regime = callable_regime;
  fill_request(effort, options, request);

  std::atomic<int> stop = 0;
  const std::stop_callback stopping(options.stop, [&stop] { stop = 1; });
  WisdomStore store(database_at(options.database), WisdomStore::Access::read_write, {{}, &stop});
  ListenerObserver observer(options);
  const QuietSignal quiet(SIGPIPE);  // before the pool starts threads
  Pool pool(*workers);
  const CallableSubject subject(spec, problem, pool.device().info);
  return result_of(run_session(request, subject, pool, store, nullptr, observer, stop), options);
}

TuneResult tune(Tunable tunable, Work work, Effort effort, TuneCallableOptions options) {
  tunable.make = [work = std::move(work)](const Problem&) { return work; };
  options.isolation = Isolation::none;
  return tune(tunable, tunable.problem, effort, options);
}

Match find(const Tunable& tunable, const Problem& given, const fs::path& database) {
  const KernelSpec spec = callable_spec(tunable);
  const Problem problem = callable_problem(tunable, given);
  Warnings warnings([](const std::string&) {});
  const AddedBundles none(warnings);
  Wisdom wisdom(wisdom_sources(std::make_unique<const WisdomReader>(database_at(database)), {}), none, warnings);
  const DeviceInfo own = callable_device(tunable);
  const DeviceInfo& device = wisdom.known_as(own);
  std::vector<Configuration> fallbacks;
  if (auto usual = default_configuration(spec, problem, device)) fallbacks.push_back(*std::move(usual));
  const MatchRequest request{spec, problem, device, tunable.name, to_text(callable_regime), "time", fallbacks};
  const auto look = [&wisdom](const MatchRequest& of, Reach reach) { return wisdom.find(of, reach); };
  RequestLadder ladder(request, look, RequestLadder::Order::by_rung);
  const GradedMatch* const best = ladder.at(0);
  if (best == nullptr)
    throw Error(fmt::format("no configuration of `{}` is legal for {}", tunable.name, problem.text()));
  return best->match;
}

}  // namespace attune
