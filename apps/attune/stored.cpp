#include "stored.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "kernel/nearness.hpp"
#include "put_text.hpp"
#include "session/revalidate.hpp"
#include "spec/kernel_file.hpp"
#include "wisdom/key_filter.hpp"
#include "worker/callable_spec.hpp"

namespace attune::cli {

void add_database_option(Options& options) {
  options.add()("db", named_value("FILE"), "the wisdom database (default: $ATTUNE_DB, else the user's own)");
}

std::optional<WisdomStore> open_store_at(const std::filesystem::path& file) {
  std::error_code unknown;  // the store reports other obstacles
  if (file.empty() || (!std::filesystem::exists(file, unknown) && !unknown)) return std::nullopt;
  return WisdomStore(file, WisdomStore::Access::read_only, {note_on_stderr});
}

std::optional<WisdomStore> open_store(const Options& options) {
  const std::string path = database_to_read(options);
  std::optional<WisdomStore> store = open_store_at(path);
  if (!store && !path.empty() && options.has("db"))
    throw Error("there is no database at " + path + "; tune something first, or check --db");
  return store;
}

std::vector<DeviceAlias> aliases_in(const std::filesystem::path& database) {
  std::optional<WisdomStore> store = open_store_at(database);
  return store ? store->aliases() : std::vector<DeviceAlias>();
}

WisdomStore open_store_to_change(const Options& options) {
  const std::string path = database_path(options);
  std::error_code unknown;  // the store reports other obstacles
  if (!std::filesystem::exists(path, unknown) && !unknown)
    throw Error("there is no database at " + path + "; tune something first, or check --db");
  return WisdomStore(path, WisdomStore::Access::read_write, {note_on_stderr});
}

void note_damage(const WisdomStore& store) {
  if (store.damaged_rows() > 0)
    put_error(
        fmt::format("{} in {} left out (attune db verify says which); tune those problems again, and make "
                    "covers again by attune cover",
                    counted(store.damaged_rows(), "damaged row"), store.file().string()));
}

std::vector<Record> read_records(std::optional<WisdomStore>& store, const std::string& kernel) {
  if (!store) return {};
  std::vector<Record> records = store->records(kernel);
  note_damage(*store);
  return records;
}

bool is_kernel_file(const std::string& given) { return given.find('/') != std::string::npos || given.ends_with(".cu"); }

std::string kernel_name(const std::string& given) { return is_kernel_file(given) ? load_kernel(given).name : given; }

std::optional<KernelSpec> builtin_kernel(const std::string& name) {
  for (const EmbeddedFile& file : builtin_kernels())
    if (file.file_name == name + ".cu") return read_embedded_kernel(file);
  return std::nullopt;
}

std::map<std::string, StoredCounts> read_kept(std::optional<WisdomStore>& store) {
  std::map<std::string, StoredCounts> kept;
  if (!store) return kept;
  for (const auto& [kernel, sessions, trials] : store->kernel_totals()) kept[kernel] = {0, sessions, trials};
  for (const Record& record : read_records(store)) ++kept[record.key.kernel].records;
  return kept;
}

std::string kept_text(const StoredCounts& kept) {
  const std::string records = kept.records == 0 ? "no records" : counted(kept.records, "record");
  if (kept.sessions == 0) return records;
  return fmt::format("{}, {} in {}", records, counted(kept.trials, "trial"), counted(kept.sessions, "session"));
}

std::string why_no_kernel(WisdomStore& store, const std::string& name) {
  const std::vector<SessionRow> sessions = store.sessions(name);
  if (sessions.empty() || kind_of(sessions.front().key.record.device_class) != callable_kind) return {};
  return fmt::format(
      "`{0}` is no kernel but a callable: its own program tunes and compares it, or attune tune --program COMMAND; for "
      "what is known of it: attune show {0}",
      name);
}

KernelSpec find_kernel(const Options& options, const std::string& given,
                       std::vector<std::filesystem::path>* files) try {
  return load_kernel(given, files);
} catch (const UsageError&) {
  if (is_kernel_file(given)) throw;
  std::map<std::string, StoredCounts> kept;
  std::string callable;
  try {
    std::optional<WisdomStore> store = open_store(options);
    kept = read_kept(store);
    if (store) callable = why_no_kernel(*store, given);
  } catch (const Error&) {  // the kernel is what is missing
  }
  if (!kept.contains(given)) throw;
  if (!callable.empty()) throw UsageError(callable);
  throw UsageError(fmt::format("{} keeps {} of `{}`, but not the kernel's text; name its file, such as {}",
                               database_to_read(options), kept_text(kept[given]), given, given + ".cu"));
}

void require_known_or_builtin(const std::string& given, std::optional<WisdomStore>& store) {
  if (!is_kernel_file(given) && !builtin_kernel(given)) require_known(given, read_kept(store));
}

void require_known(const std::string& kernel, const std::map<std::string, StoredCounts>& kept) {
  if (kept.contains(kernel)) return;
  std::vector<std::string> names;
  for (const auto& [name, unused] : kept) names.push_back(name);
  throw UsageError(unknown_kernel_text(kernel, names));
}

SessionRow newest_session(WisdomStore& store, const std::string& kernel, const Bindings& problem,
                          const std::string& device, const std::string& given) {
  const KeyFilter filter{problem, device};
  for (SessionRow& session : store.sessions(kernel)) {
    const bool is_search = session.key.strategy != revalidating;
    if (is_search && session.trials > 0 && filter.includes(session.key.record)) return std::move(session);
  }
  throw UsageError(fmt::format("there is no session of {} for this: attune tune {}", kernel, shell_word(given)));
}

}  // namespace attune::cli
