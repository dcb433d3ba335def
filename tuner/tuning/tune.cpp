#include "attune/tune.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "attune/error.hpp"
#include "base/trusted_environment.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "dispatch/planner.hpp"
#include "files/image_cache.hpp"
#include "files/paths.hpp"
#include "kernel/problem.hpp"
#include "session/kernel_session.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "tuning/quiet_pipes.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

class Forwarder final : public Observer {
 public:
  explicit Forwarder(const TuneOptions& options) : options_(options) {}
  void trial_done(const Trial&, const Progress& progress) override {
    if (options_.progress) options_.progress({progress.trials, progress.default_ns, progress.best_ns, progress.best});
  }
  void note(const std::string& text) override {
    if (options_.note) options_.note(text);
  }

 private:
  const TuneOptions& options_;
};

// Returns the first executable file of this name in the folders of $PATH, or "".
fs::path found_in_path(const char* name) {
  std::string folders = trusted_environment("PATH").value_or("");
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path candidate = fs::path(folders.substr(begin, end - begin)) / name;
    if (end > begin && access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

fs::path executable_of(const TuneOptions& options) {
  const fs::path chosen = options.executable.empty() ? found_in_path("attune") : options.executable;
  if (chosen.empty())
    throw UsageError(
        "tune(): there is no program `attune` in $PATH for worker processes; name it by "
        "TuneOptions::executable, or choose Isolation::none");
  if (access(chosen.c_str(), X_OK) != 0)
    throw UsageError(fmt::format("tune(): {} cannot be run: it is the program for worker processes", chosen.string()));
  return chosen;
}

// Returns the device's name as open_device() takes it.
std::string name_of(const DeviceInfo& device) {
  return device.kind == "cuda" ? fmt::format("cuda:{}", device.ordinal) : device.kind;
}

fs::path database_of(const DispatcherOptions& options) {
  return options.database.empty() ? default_database_path() : options.database;
}

fs::path lock_folder(const TuneOptions& options) {
  std::string why;
  fs::path folder = usable_lock_folder(why);
  if (folder.empty() && options.note)
    options.note(fmt::format("turns with other tuners are not taken, as there is no folder of locks ({})", why));
  return folder;
}

KernelRequest request_of(const Dispatcher& gpu, const KernelSpec& spec, const Problem& problem, Effort effort,
                         const TuneOptions& options) {
  KernelRequest request;
  request.spec = spec;
  request.problem = problem;
  request.regime = regime_of(gpu.options().regime).value();  // the dispatcher has checked it
  request.objectives = Objectives(gpu.options().objective);
  request.effort = effort;
  request.limits.seconds = options.seconds;
  request.limits.trials = options.trials;
  request.limits.patience = options.patience;
  request.strategy = options.strategy;
  request.seed = options.seed;
  request.fresh = options.fresh;
  request.lock_folder = lock_folder(options);
  return request;
}

TuneResult result_of(SessionResult session) {
  TuneResult result;
  result.end = session.end;
  result.trials = session.trials;
  result.explanation = std::move(session.explanation);
  if (!session.record) return result;
  result.configuration = session.record->configuration;
  result.median_ns = session.record->median_ns;
  result.default_ns = session.record->default_ns;
  result.speedup = session.record->speedup;
  return result;
}

TuneResult estimated(const Dispatcher& gpu, const KernelSpec& spec, const Problem& problem) {
  const DispatcherOptions& options = gpu.options();
  Warnings warnings([](const std::string&) {});  // the dispatcher reports them
  const AddedBundles none(warnings);
  auto database = std::make_unique<const WisdomReader>(database_of(options));
  Planner planner(gpu.device(), std::move(database), none, {options.cache, options.site_cache},
                  regime_of(options.regime).value(), options.objective, warnings);
  Match match = planner.match(make_pack(spec, spec.name), problem);
  TuneResult result;
  result.end = Ending::estimated;
  result.configuration = std::move(match.configuration);
  result.speedup = match.speedup;
  result.explanation = std::move(match.why);
  return result;
}

}  // namespace

TuneResult tune(Dispatcher& gpu, const KernelSpec& spec, const Problem& given, Effort effort,
                const TuneOptions& options) {
  const DeviceInfo& device = gpu.device_info();
  const Problem problem = make_problem(spec, given, device.kind);
  if (effort == Effort::estimate) return estimated(gpu, spec, problem);
  const fs::path executable = options.isolation == Isolation::processes ? executable_of(options) : fs::path();
  const KernelRequest request = request_of(gpu, spec, problem, effort, options);

  std::atomic<int> stop = 0;
  const std::stop_callback stopping(options.stop, [&stop] { stop = 1; });
  WisdomStore store(database_of(gpu.options()), WisdomStore::Access::read_write, {{}, &stop});
  const fs::path& wished = gpu.options().cache;
  std::optional<ImageCache> images;  // a user without a place for files has none
  if (!wished.empty() || !request.lock_folder.empty()) images.emplace(wished.empty() ? default_cache_path() : wished);
  ImageCache* const kept = images ? &*images : nullptr;
  Forwarder observer(options);
  if (options.isolation == Isolation::none) {
    // A device of its own, which only one thread drives.
    const std::unique_ptr<Device> own = open_device(name_of(device));
    return result_of(run_session(request, *own, store, kept, observer, stop));
  }
  const QuietPipes quiet;  // before the pool starts threads
  const std::unique_ptr<Workers> workers =
      process_workers(executable.string(), {"--device", name_of(device)}, name_of(device));
  Pool pool(*workers);
  return result_of(run_session(request, pool, store, kept, observer, stop));
}

TuneResult tune(Dispatcher& gpu, const std::string& kernel, const Problem& problem, Effort effort,
                const TuneOptions& options) {
  return tune(gpu, load_kernel(kernel), problem, effort, options);
}

}  // namespace attune
