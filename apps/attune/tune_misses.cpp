#include "tune_misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>

#include "attune/error.hpp"
#include "base/waiting.hpp"
#include "files/paths.hpp"
#include "json_lines.hpp"
#include "kernel/problem.hpp"
#include "kernel/record_table.hpp"
#include "miss_log.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "subject/kernel_subject.hpp"
#include "worker.hpp"

namespace attune::cli {
namespace {

struct NamedKernel {
  std::string given;  // a file or a built-in name
  KernelSpec spec;
};

// A line that can be tuned.
struct TunableMiss {
  const NamedKernel* kernel = nullptr;
  Problem problem;
  Regime regime = Regime::cold;
  Objectives objectives;
};

// Messages about lines: equal ones are said once.
class LineNotes {
 public:
  explicit LineNotes(std::string file) : file_(std::move(file)) {}
  void add(std::size_t line, const std::string& message) {
    const auto [place, is_new] = lines_.try_emplace(message, line, 0);
    ++place->second.second;
    if (is_new) order_.push_back(message);
    ++count_;
  }
  void show() const {
    for (const std::string& message : order_) {
      const auto& [line, count] = lines_.at(message);
      const std::string more = count > 1 ? fmt::format(" (and {} more)", count - 1) : "";
      put_error(fmt::format("{}:{}{}: {}", file_, line, more, message));
    }
  }
  std::int64_t count() const { return count_; }

 private:
  std::string file_;
  std::map<std::string, std::pair<std::size_t, std::int64_t>> lines_;  // the first line, and how many
  std::vector<std::string> order_;
  std::int64_t count_ = 0;
};

// The kernels of the given files, and the built-in ones.
class Kernels {
 public:
  explicit Kernels(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (!is_kernel_file(file))
        throw UsageError(
            fmt::format("--misses takes kernel files, not `{}`: built-in kernels are found by their names", file));
      kernels_.push_back({file, load_kernel(file)});
    }
  }

  // Returns the kernel whose code and contract are those of the line. Throws Error saying why there is none.
  const NamedKernel& find(const Miss& miss) {
    load_builtin(miss.kernel);
    const NamedKernel* other = nullptr;
    for (const NamedKernel& kernel : kernels_) {
      if (kernel.spec.name != miss.kernel) continue;
      if (kernel.spec.fingerprints.code == miss.code && kernel.spec.fingerprints.contract == miss.contract)
        return kernel;
      if (other == nullptr) other = &kernel;
    }
    if (other == nullptr)
      throw Error(
          fmt::format("there is no built-in kernel `{}`; give its file as an argument (the application has it "
                      "from {})",
                      miss.kernel, miss.tune_target));
    const Fingerprints& own = other->spec.fingerprints;
    std::string differing;
    if (own.code != miss.code) differing = fmt::format("code {}, here {}", miss.code, own.code);
    if (own.contract != miss.contract)
      differing += fmt::format("{}contract {}, here {}", differing.empty() ? "" : "; ", miss.contract, own.contract);
    throw Error(
        fmt::format("the application's kernel {} is not that of {}: {}; tune with the kernel file that the "
                    "application was built with",
                    miss.kernel, other->given, differing));
  }

 private:
  void load_builtin(const std::string& name) {
    if (!asked_.insert(name).second) return;
    if (auto spec = builtin_kernel(name)) kernels_.push_back({name, *std::move(spec)});
  }
  std::list<NamedKernel> kernels_;  // files before built-in ones; places stay
  std::set<std::string> asked_;
};

// What a line asks for. Throws Error where it cannot be tuned.
TunableMiss wanted_by(const Miss& miss, Kernels& kernels, const DeviceInfo& device) {
  TunableMiss wanted;
  wanted.kernel = &kernels.find(miss);
  wanted.problem = parse_problem(wanted.kernel->spec, miss.problem, device.kind);
  const std::optional<Regime> regime = attune::regime_of(miss.regime);
  if (!regime) throw Error("unknown regime `" + miss.regime + "`");
  wanted.regime = *regime;
  wanted.objectives = Objectives(miss.objective);
  return wanted;
}

// Returns what can be tuned here, each once, and says why the other lines cannot.
std::vector<TunableMiss> choose(const MissLog& log, Kernels& kernels, const DeviceInfo& device, LineNotes& refused,
                                LineNotes& elsewhere) {
  std::vector<TunableMiss> chosen;
  std::set<std::string> seen;
  for (const Miss& miss : log.misses) {
    if (miss.device_class != device.class_key()) {
      elsewhere.add(miss.line, fmt::format("skipped: it is of the device class {}; this one is {}", miss.device_class,
                                           device.class_key()));
      continue;
    }
    try {
      TunableMiss wanted = wanted_by(miss, kernels, device);
      const std::string key = fmt::format("{} {} {} {}", wanted.kernel->given, wanted.problem.text(),
                                          to_text(wanted.regime), wanted.objectives.text());
      if (seen.insert(key).second) chosen.push_back(std::move(wanted));
    } catch (const Error& error) {
      refused.add(miss.line, error.what());
    }
  }
  return chosen;
}

KernelRequest request_for(const TunableMiss& wanted, const SessionRequest& terms) {
  KernelRequest request{terms, {}, {}};
  request.spec = wanted.kernel->spec;
  request.problem = wanted.problem;
  request.regime = wanted.regime;
  request.objectives = wanted.objectives;
  return request;
}

std::string text_of(const TunableMiss& wanted) {
  std::string text = fmt::format("{} for {}", wanted.kernel->spec.name, wanted.problem.text());
  if (wanted.regime != Regime::cold) text += fmt::format(", regime {}", to_text(wanted.regime));
  if (!wanted.objectives.is_time()) text += fmt::format(", objective {}", wanted.objectives.text());
  return text;
}

void list_one(const TunableMiss& wanted, bool is_known, bool json) {
  if (!json) return put_text("{}  {}\n", is_known ? "known" : "tune ", text_of(wanted));
  nlohmann::ordered_json line;
  line["type"] = "miss";
  line["kernel"] = wanted.kernel->spec.name;
  line["given"] = wanted.kernel->given;
  line["problem"] = to_json(wanted.problem);
  line["regime"] = to_text(wanted.regime);
  line["objective"] = wanted.objectives.text();
  line["known"] = is_known;
  print_line(line);
}

// Opens no database that is not there.
int list_all(const MissesQuery& query, const std::vector<TunableMiss>& chosen, const SessionRequest& terms,
             const DeviceInfo& device) {
  std::error_code unknown;
  std::optional<WisdomStore> store;
  if (std::filesystem::exists(query.database, unknown) || unknown)
    store.emplace(query.database, WisdomStore::Access::read_only, DatabaseWaiting{note_on_stderr});
  for (const TunableMiss& wanted : chosen) {
    const KernelRequest request = request_for(wanted, terms);
    const KernelSubject subject(request.spec, request.problem, device);
    list_one(wanted, store && known_result(request, subject, device, *store), query.view == SessionView::json);
  }
  return exit_done;
}

int tune_all(const std::vector<TunableMiss>& chosen, const SessionRequest& terms, Pool& pool, WisdomStore& store,
             ImageCache* images, SessionView view) {
  const bool json = view == SessionView::json;
  int code = exit_done;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const KernelRequest request = request_for(chosen[i], terms);
    if (!json && chosen.size() > 1) put_text("miss {} of {}: {}\n", i + 1, chosen.size(), text_of(chosen[i]));
    if (i == 0 && pool.device().info.kind == "cuda") calibrate_first(request, pool, store, json);
    int one = exit_done;
    try {
      const KernelSubject subject(request.spec, request.problem, pool.device().info);
      one = tune_one(request, subject, pool, store, images, view);
    } catch (const WaitInterrupted&) {
      throw;
    } catch (const DeviceLost&) {
      throw;
    } catch (const DatabaseLocked&) {
      throw;
    } catch (const Error& error) {  // of this kernel and problem, perhaps
      put_error(fmt::format("{}: {}", text_of(chosen[i]), error.what()));
      one = exit_error;
    }
    if (one != exit_done) code = one;
    if (one == exit_interrupted) break;
  }
  return code;
}

}  // namespace

int tune_misses(const MissesQuery& query, SessionRequest terms) {
  const MissLog log = read_miss_log(query.log);
  Kernels kernels(query.files);
  for (const std::string& note : log.notes) put_error(note);
  LineNotes refused(query.log), elsewhere(query.log);
  const auto chosen_for = [&](const DeviceInfo& device) {
    std::vector<TunableMiss> chosen = choose(log, kernels, device, refused, elsewhere);
    elsewhere.show();
    refused.show();
    put_error(fmt::format("{}: {} to tune, {} refused, {} of other devices", query.log, chosen.size(), refused.count(),
                          elsewhere.count()));
    return chosen;
  };
  int code = exit_done;
  if (query.is_dry_run) {
    const std::unique_ptr<Device> device = open_device(query.device);
    DeviceInfo info = device->info();
    apply_aliases(info, aliases_in(query.database));
    code = list_all(query, chosen_for(info), terms, info);
  } else {
    catch_signals();
    const std::unique_ptr<Workers> workers = workers_for(query.device, query.workers);
    Pool pool(*workers);
    pool.set_aliases(aliases_in(query.database));
    const std::vector<TunableMiss> chosen = chosen_for(pool.device().info);
    if (!chosen.empty()) {
      WisdomStore store(query.database, WisdomStore::Access::read_write, {note_on_stderr, &stop_requests});
      terms.lock_folder = usable_lock_folder();
      std::optional<ImageCache> images;
      if (!terms.lock_folder.empty()) images.emplace(default_cache_path());
      code = tune_all(chosen, terms, pool, store, images ? &*images : nullptr, query.view);
    }
  }
  return code == exit_done && refused.count() > 0 ? exit_error : code;
}

}  // namespace attune::cli
