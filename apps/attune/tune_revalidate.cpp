#include "tune_revalidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "apps/terminal/live_line.hpp"
#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/waiting.hpp"
#include "command.hpp"
#include "files/paths.hpp"
#include "json_lines.hpp"
#include "kernel/problem.hpp"
#include "kernel/record_table.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "session/revalidate.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "subject/kernel_subject.hpp"
#include "text.hpp"
#include "worker.hpp"

namespace attune::cli {
namespace {

// A record that is to be measured.
struct DueRecord {
  Record record;
  const KernelSpec* spec = nullptr;
  std::string reason;
};

std::string named(const Record& record) {
  std::string text = record.key.kernel + " " + record.key.problem.text();
  if (record.key.regime != "cold") text += ", regime " + record.key.regime;
  if (record.key.objective != "time") text += ", objective " + record.key.objective;
  return text;
}

// The kernels whose records are looked at, by name.
class RecordedKernels {
 public:
  RecordedKernels(const std::vector<std::string>& given, WisdomStore& store) : is_limited_(!given.empty()) {
    for (const std::string& one : given) {
      std::optional<KernelSpec> spec = is_kernel_file(one) ? std::optional(load_kernel(one)) : builtin_kernel(one);
      if (!spec) refuse(one, why_no_kernel(store, one));
      const std::string name = spec->name;
      by_name_.insert_or_assign(name, std::move(spec));
    }
  }
  bool is_wanted(const std::string& name) const { return !is_limited_ || by_name_.contains(name); }
  // Returns null where the kernel's text is not at hand.
  const KernelSpec* find(const std::string& name) {
    const auto [place, is_new] = by_name_.try_emplace(name);
    if (is_new) place->second = builtin_kernel(name);
    return place->second ? &*place->second : nullptr;
  }

 private:
  [[noreturn]] static void refuse(const std::string& name, const std::string& why) {
    if (!why.empty()) throw UsageError("--revalidate: " + why);
    throw UsageError(fmt::format("--revalidate: there is no built-in kernel `{}`; give its file", name));
  }

  const bool is_limited_;
  std::map<std::string, std::optional<KernelSpec>> by_name_;
};

// Chooses records, and says why others of this class of devices are left out.
class DueRecords {
 public:
  DueRecords(const RevalidationQuery& query, WisdomStore& store, const DeviceInfo& device, std::string toolchain)
      : query_(query),
        kernels_(query.kernels, store),
        store_(store),
        device_(device),
        toolchain_(std::move(toolchain)) {
    for (Record& record : store.records())
      if (record.key.device_class == device.class_key() && kernels_.is_wanted(record.key.kernel))
        see(std::move(record));
  }
  const std::vector<DueRecord>& due() const noexcept { return due_; }
  std::int64_t sound() const noexcept { return sound_; }

 private:
  void see(Record record) {
    const KernelSpec* const spec = kernels_.find(record.key.kernel);
    if (spec == nullptr) return note(record, "it is no built-in kernel; give its file as an argument");
    if (record.key.code != spec->fingerprints.code || record.key.contract != spec->fingerprints.contract)
      return note(record, "its kernel has changed since; tune anew");
    const std::string why = why_revalidate(record, {device_.driver, toolchain_, has_session(record.key)});
    if (why.empty()) ++sound_;
    if (!why.empty() || query_.all) due_.push_back({std::move(record), spec, why.empty() ? "asked for" : why});
  }
  bool has_session(const RecordKey& key) {
    const auto [place, is_new] = sessions_.try_emplace(key.kernel);
    if (is_new) place->second = store_.sessions(key.kernel);
    return std::any_of(place->second.begin(), place->second.end(),
                       [&](const SessionRow& session) { return session.key.record == key; });
  }
  void note(const Record& record, const std::string& why) const {
    put_error(fmt::format("{}: left out: {}", named(record), why));
  }

  const RevalidationQuery& query_;
  RecordedKernels kernels_;
  WisdomStore& store_;
  const DeviceInfo& device_;
  const std::string toolchain_;
  std::map<std::string, std::vector<SessionRow>> sessions_;  // by kernel
  std::vector<DueRecord> due_;
  std::int64_t sound_ = 0;
};

// Returns what was found: "12.3 us, 1.83x [1.81, 1.85] over the default".
std::string found_text(const Record& former, const Revalidation& found) {
  if (!found.record) return found.why;
  const Record& now = *found.record;
  switch (found.standing) {
    case RecordStanding::replaced:
      return fmt::format("the default is better: {}, against {}", time_text(now.median_ns), time_text(found.record_ns));
    case RecordStanding::dropped:
      return fmt::format("{}; the default serves: {}", found.why, time_text(now.median_ns));
    case RecordStanding::unsure:
      return found.why + "; it stays as it was";
    case RecordStanding::moved:
      return fmt::format("{}, where {} were stored; {}", time_text(now.median_ns), time_text(former.median_ns),
                         gain_text(now));
    case RecordStanding::pinned:
      if (!found.why.empty()) return found.why + "; it stays as pinned";
      return fmt::format("{}{}; it stays", time_text(found.record_ns),
                         now.default_ns > 0 ? ", the default " + time_text(now.default_ns) : "");
    default:
      return fmt::format("{}; {}", time_text(now.median_ns), gain_text(now));
  }
}

void print_found(const DueRecord& due, const Revalidation& found) {
  const RecordKey& key = due.record.key;
  nlohmann::ordered_json line = {{"type", "revalidated"},
                                 {"kernel", key.kernel},
                                 {"problem", to_json(key.problem)},
                                 {"regime", key.regime},
                                 {"objective", key.objective},
                                 {"configuration", to_json(due.record.configuration)},
                                 {"reason", due.reason},
                                 {"standing", to_text(found.standing)},
                                 {"stored_ns", due.record.median_ns},
                                 {"record_ns", nullptr},
                                 {"default_ns", nullptr}};
  if (!found.why.empty()) line["why"] = found.why;
  if (found.record_ns > 0) line["record_ns"] = found.record_ns;
  if (found.record && found.record->default_ns > 0) line["default_ns"] = found.record->default_ns;
  print_line(line);
}

void show_due(const std::vector<DueRecord>& due, bool json) {
  for (const DueRecord& one : due) {
    if (!json) {
      put_text("{}\n", in_lines(named(one.record) + ": " + one.reason, 2));
      continue;
    }
    print_line({{"type", "due"},
                {"kernel", one.record.key.kernel},
                {"problem", to_json(one.record.key.problem)},
                {"regime", one.record.key.regime},
                {"objective", one.record.key.objective},
                {"reason", one.reason}});
  }
}

using Standings = std::map<RecordStanding, std::int64_t>;

std::string counts_text(const Standings& counts) {
  std::string text;
  for (const auto& [standing, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(standing));
  return text;
}

// Measures one record. What fails for this one leaves the others.
Revalidation measure(const DueRecord& due, const SessionRequest& terms, Pool& pool, WisdomStore& store,
                     ImageCache* images) {
  Observer quiet;
  try {
    const Problem problem = make_problem(*due.spec, due.record.key.problem, pool.device().info.kind);
    const KernelSubject subject(*due.spec, problem, pool.device().info);
    return revalidate(due.record, terms, subject, pool, store, images, quiet, stop_requests);
  } catch (const WaitInterrupted&) {
    throw;
  } catch (const DeviceLost&) {
    throw;
  } catch (const DatabaseLocked&) {
    throw;
  } catch (const Error& error) {  // of this kernel and problem, perhaps
    Revalidation failed;
    failed.why = error.what();
    failed.interrupted = stop_requests.load() > 0;
    return failed;
  }
}

int measure_all(const std::vector<DueRecord>& due, const SessionRequest& terms, Pool& pool, WisdomStore& store,
                ImageCache* images, bool json) {
  Standings counts;
  LiveLine line;
  for (std::size_t i = 0; i < due.size() && stop_requests.load() == 0; ++i) {
    const std::string head = fmt::format("  {}/{}  {}", i + 1, due.size(), named(due[i].record));
    if (!json) line.show([head](double) { return head; });
    const Revalidation found = measure(due[i], terms, pool, store, images);
    ++counts[found.standing];
    const std::unique_lock<std::mutex> away = line.away();
    if (json)
      print_found(due[i], found);
    else
      put_text(
          "{:<9}  {}\n", to_text(found.standing),
          in_lines(fmt::format("{} ({}): {}", named(due[i].record), due[i].reason, found_text(due[i].record, found)),
                   11));
    std::fflush(stdout);
  }
  line.hide();
  if (!json) put_text("{}: {}\n", counted(static_cast<std::int64_t>(due.size()), "record"), counts_text(counts));
  if (stop_requests.load() > 0) return exit_interrupted;
  return counts.contains(RecordStanding::failed) ? exit_error : exit_done;
}

}  // namespace

int tune_revalidate(const RevalidationQuery& query, SessionRequest terms) {
  catch_signals();
  const std::unique_ptr<Workers> workers = workers_for(query.device, query.workers);
  Pool pool(*workers);
  const bool json = query.view == SessionView::json;
  WisdomStore store(query.database, query.is_dry_run ? WisdomStore::Access::read_only : WisdomStore::Access::read_write,
                    {note_on_stderr, &stop_requests});
  pool.set_aliases(store.aliases());
  const DueRecords records(query, store, pool.device().info, pool.compiler().toolchain);
  if (query.is_dry_run) {
    show_due(records.due(), json);
    return exit_done;
  }
  if (records.due().empty()) {
    if (!json)
      put_text("nothing to measure: {} as this driver and compiler make them; --all measures all the same\n",
               records.sound() == 1 ? "1 record is" : fmt::format("{} records are", records.sound()));
    return exit_done;
  }
  terms.lock_folder = usable_lock_folder();
  std::optional<ImageCache> images;
  if (!terms.lock_folder.empty()) images.emplace(default_cache_path());
  terms.images = std::make_shared<KeptImages>(images ? &*images : nullptr);
  return measure_all(records.due(), terms, pool, store, images ? &*images : nullptr, json);
}

}  // namespace attune::cli
