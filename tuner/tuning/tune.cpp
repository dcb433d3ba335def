#include "attune/tune.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/quiet_signal.hpp"
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
#include "tuning/tune_parts.hpp"
#include "worker/boards.hpp"
#include "worker/process/worker_program.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

// Returns the file that holds this code: a shared library, else the running program.
fs::path own_file() {
  Dl_info unused{};
  link_map* object = nullptr;
  const bool is_known = dladdr1(reinterpret_cast<const void*>(&own_file), &unused, reinterpret_cast<void**>(&object),
                                RTLD_DL_LINKMAP) != 0;
  if (is_known && object != nullptr && object->l_name[0] == '/') return object->l_name;
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed);
}

// Returns the path of a program that lies beside this code or where its package has programs, else in $PATH; "": none.
std::string installed_program(const std::string& name) {
  const fs::path folder = own_file().parent_path();
  for (const fs::path& place : {folder / name, folder / "../bin" / name})
    if (std::string found = find_program(place.string()); !found.empty()) return found;
  return find_program(name);
}

// Returns the path of the program that serves as worker.
std::string worker_program(const TuneOptions& options) {
  const std::string chosen = options.executable.string();
  if (!chosen.empty() && access(chosen.c_str(), X_OK) != 0)
    throw UsageError(fmt::format("tune(): {} cannot be run: it is the program for worker processes", chosen));
  if (!chosen.empty()) return chosen;
  if (is_worker_program()) return "/proc/self/exe";
  // A set-user-id program trusts neither $PATH nor the folder that it was started in.
  for (const char* const name : {"attune-worker", "attune"})
    if (std::string found = is_environment_trusted() ? installed_program(name) : ""; !found.empty()) return found;
  throw UsageError(
      "tune(): there is no program for worker processes; call attune::worker_main(argc, argv) first in main(), install "
      "`attune-worker` beside this program or in $PATH, name a program by TuneOptions::executable, or choose "
      "Isolation::none");
}

// Returns the device's name as open_device() takes it.
std::string name_of(const DeviceInfo& device) {
  return device.kind == "cuda" ? fmt::format("cuda:{}", device.ordinal) : device.kind;
}

fs::path database_of(const DispatcherOptions& options) {
  return options.database.empty() ? default_database_path() : options.database;
}

KernelRequest request_of(const Dispatcher& gpu, const KernelSpec& spec, const Problem& problem, Effort effort,
                         const TuneOptions& options) {
  KernelRequest request;
  request.spec = spec;
  request.problem = problem;
  request.regime = regime_of(gpu.options().regime).value();  // the dispatcher has checked it
  request.objectives = Objectives(gpu.options().objective);
  fill_request(effort, options, request);
  return request;
}

TuneResult estimated(const Dispatcher& gpu, const KernelSpec& spec, const Problem& problem) {
  const DispatcherOptions& options = gpu.options();
  Warnings warnings([](const std::string&) {});  // the dispatcher reports them
  const AddedBundles none(warnings);
  auto database = std::make_unique<const WisdomReader>(database_of(options));
  const WisdomPlaces places{options.site, options.wisdom, options.agree};
  Planner planner(gpu.device(), wisdom_sources(std::move(database), places), none, {options.cache, options.site_cache},
                  regime_of(options.regime).value(), options.objective, warnings);
  return estimate_of(planner.match(make_pack(spec, spec.name), problem));
}

// Opens several devices of the class of `own`.
void open_boards(Pool& pool, const Boards& boards, const DeviceInfo& own, Observer& observer, SessionRequest& request) {
  for (const std::string& note : boards.notes) observer.note(note);
  for (const std::string& note : pool.open_all(boards.names)) observer.note(note);
  if (const DeviceInfo& opened = pool.device().info; opened.class_key() != own.class_key())
    throw UsageError(
        fmt::format("TuneOptions::devices: {} is of another class than the dispatcher's {}: name boards of that class, "
                    "or make the dispatcher on one of these",
                    board_text(opened), own.name));
  if (boards.are_one_device) request.lock_folder.clear();
}

}  // namespace

TuneResult tune(Dispatcher& gpu, const KernelSpec& spec, const Problem& given, Effort effort,
                const TuneOptions& options) {
  const DeviceInfo& device = gpu.device_info();
  const Problem problem = make_problem(spec, given, device.kind);
  if (effort == Effort::estimate) return estimated(gpu, spec, problem);
  const std::string program = options.isolation == Isolation::processes ? worker_program(options) : "";
  KernelRequest request = request_of(gpu, spec, problem, effort, options);

  std::atomic<int> stop = 0;
  const std::stop_callback stopping(options.stop, [&stop] { stop = 1; });
  WisdomStore store(database_of(gpu.options()), WisdomStore::Access::read_write, {{}, &stop});
  const fs::path& wished = gpu.options().cache;
  std::optional<ImageCache> images;  // a user without a place for files has none
  if (!wished.empty() || !request.lock_folder.empty()) images.emplace(wished.empty() ? default_cache_path() : wished);
  ImageCache* const kept = images ? &*images : nullptr;
  ListenerObserver observer(options);
  if (options.isolation == Isolation::none && !options.devices.empty())
    throw UsageError("TuneOptions::devices needs a worker for each device: Isolation::processes");
  if (options.isolation == Isolation::none) {
    // A device of its own, which only one thread drives.
    const std::unique_ptr<Device> own = open_device(name_of(device));
    return result_of(run_session(request, *own, store, kept, observer, stop), options);
  }
  const QuietSignal quiet(SIGPIPE);  // before the pool starts threads
  const Boards boards = options.devices.empty() ? Boards{{name_of(device)}, {}} : boards_of(options.devices);
  const std::unique_ptr<Workers> workers = process_workers(program, boards.names);
  Pool pool(*workers);
  if (!options.devices.empty()) open_boards(pool, boards, device, observer, request);
  return result_of(run_session(request, pool, store, kept, observer, stop), options);
}

TuneResult tune(Dispatcher& gpu, const std::string& kernel, const Problem& problem, Effort effort,
                const TuneOptions& options) {
  return tune(gpu, load_kernel(kernel), problem, effort, options);
}

}  // namespace attune
