// attune list, attune show, attune export: the stored wisdom.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <vector>

#include "attune/error.hpp"
#include "core/counted.hpp"
#include "db/exchange_json.hpp"
#include "db/wisdom_header.hpp"
#include "db/wisdom_store.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

namespace po = boost::program_options;

constexpr std::size_t least_name_columns = 12;

void add_database_option(Options& options) {
  options.add()("db", po::value<std::string>(), "the wisdom database (default: $ATTUNE_DB, else the user's own)");
}

// Returns nothing when there is no database yet.
std::optional<WisdomStore> open_store(const Options& options) {
  const std::string path = database_path(options);
  std::error_code unknown;  // the store reports other obstacles
  if (!std::filesystem::exists(path, unknown) && !unknown) {
    if (options.has("db")) throw Error("there is no database at " + path + "; tune something first, or check --db");
    return std::nullopt;
  }
  return WisdomStore(path, WisdomStore::Access::read_only, {note_on_stderr});
}

// Returns the records of a kernel (all when empty).
std::vector<Record> read_records(std::optional<WisdomStore>& store, const std::string& kernel = {}) {
  if (!store) return {};
  std::vector<Record> records = store->records(kernel);
  if (store->damaged_rows() > 0)
    put_error(fmt::format("{} in {} left out; tune those problems again",
                          counted(store->damaged_rows(), "damaged record"), store->file().string()));
  return records;
}

// Returns a kernel by its built-in name. Records of other kernels are shown without rates.
std::optional<KernelSpec> builtin_kernel(const std::string& name) {
  for (const EmbeddedFile& file : builtin_kernels())
    if (file.file_name == name + ".cu") return read_embedded_kernel(file);
  return std::nullopt;
}

// What is kept of a kernel, by its name.
struct Kept {
  std::int64_t records = 0, sessions = 0, trials = 0;
};

// Returns all kernels of the database.
std::map<std::string, Kept> read_kept(std::optional<WisdomStore>& store) {
  std::map<std::string, Kept> kept;
  if (!store) return kept;
  for (const auto& [kernel, sessions, trials] : store->kernel_totals()) kept[kernel] = {0, sessions, trials};
  for (const Record& record : read_records(store)) ++kept[record.key.kernel].records;
  return kept;
}

// Returns "2 records, 57 trials in 3 sessions".
std::string kept_text(const Kept& kept) {
  const std::string records = kept.records == 0 ? "no records" : counted(kept.records, "record");
  if (kept.sessions == 0) return records;
  return fmt::format("{}, {} in {}", records, counted(kept.trials, "trial"), counted(kept.sessions, "session"));
}

nlohmann::ordered_json kept_json(const std::string& kernel, const Kept& kept) {
  return {{"type", "kernel"},
          {"kernel", kernel},
          {"records", kept.records},
          {"trials", kept.trials},
          {"sessions", kept.sessions}};
}

// Throws UsageError for a name that is neither a built-in kernel's nor in the database.
void require_known(const std::string& kernel, const std::map<std::string, Kept>& kept) {
  if (kept.contains(kernel)) return;
  std::vector<std::string> names;
  for (const auto& [name, unused] : kept) names.push_back(name);
  throw UsageError(unknown_kernel_text(kernel, names));
}

// Returns ", 3.91 TB/s, 83 % of the measured copy ceiling", for a record of this very kernel on a calibrated device.
std::string rate_and_bound(const Record& record, const std::optional<KernelSpec>& spec, WisdomStore& store) {
  if (!spec || spec->fingerprints.contract != record.key.contract) return "";
  const std::vector<Ceiling> ceilings = store.ceilings(record.key.device_class);
  const std::string bound = bound_text(shown_bound(*spec, record, record.median_ns, ceilings));
  return bound.empty()
             ? ""
             : ", " + rate_text(*spec, record.key.problem, record.configuration, record.median_ns) + ", " + bound;
}

void show_record(const Record& record, const std::string& reached, const std::vector<FinalistResult>& finalists) {
  put_text("{} {}\n  on {}{}\n", record.key.kernel, record.key.problem.text(), record.device_name,
           is_of_host(record) ? " (host)" : "");
  if (record.key.regime != "cold" || record.key.objective != "time")
    put_text("  tuned for      {}, {}\n", record.key.objective, record.key.regime);
  put_text("  configuration  {}\n", record.configuration.text());
  put_text("  time           {}{}; {}{}\n", time_text(record.median_ns), reached, gain_text(record),
           marks_text(record));
  put_text("  found          {}, effort {}{}, {}, seed {}\n", utc_text(record.made_ms), to_text(record.effort),
           record.partial ? " (cut short)" : "", counted(record.trials, "trial"), record.seed);
  put_text("{}{}{}", winner_text(record, finalists), finalists_text(finalists), front_text(record, finalists));
  put_text("  with           attune {}, {}, driver {}\n", record.attune_version, record.toolchain, record.driver);
}

// Throws if the output would destroy a wisdom database: tuning again costs hours of a GPU.
void require_harmless(const std::string& output, const std::string& database) {
  if (output.empty()) throw UsageError("-o takes the name of a file");
  const std::optional<std::filesystem::path> destroyed = wisdom_destroyed_by(output, database);
  if (!destroyed) return;
  throw UsageError(fmt::format("-o {} would destroy the wisdom database {}; name another file, such as {}", output,
                               destroyed->string(),
                               std::filesystem::path(*destroyed).replace_extension(".json").string()));
}

void write_export(const std::string& output, const std::string& text) {
  // A device or a pipe is written directly; a link is followed.
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::weakly_canonical(output, failed);
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) {
    std::ofstream file(target, std::ios::binary);
    if (!(file << text).flush()) throw Error("cannot write " + output);
    return;
  }
  // The draft lies beside the target and is renamed over it: a full disk leaves the old file. Its name is unique.
  const std::string draft = target.string() + ".part-" + make_uuid();
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) std::filesystem::rename(draft, target, failed);
  if (!file || failed) {
    std::filesystem::remove(draft, failed);
    throw Error("cannot write " + output + "; check that the folder exists, is writable and has room");
  }
}

}  // namespace

int run_list(const Arguments& arguments) {
  Options options("attune list [options]", "  attune list\n  attune list --json\n");
  add_database_option(options);
  options.add()("json", "one JSON object per kernel instead of text");
  if (options.parse(arguments)) return exit_done;
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, Kept> others = read_kept(store);
  std::size_t width = least_name_columns, summary_width = 0;
  for (const auto& [name, unused] : others) width = std::max(width, name.size());
  std::vector<KernelSpec> builtin;
  for (const EmbeddedFile& file : builtin_kernels()) {
    builtin.push_back(read_embedded_kernel(file));
    summary_width = std::max(summary_width, builtin.back().summary.size());
  }
  const auto show = [&](const std::string& name, const std::string& summary, bool is_builtin) {
    const Kept kept = others[name];
    if (!options.has("json")) {
      put_text("{:<{}}  {:<{}}  {}\n", name, width, is_builtin ? summary : "(not built in)", summary_width,
               kept_text(kept));
      return;
    }
    nlohmann::ordered_json line = kept_json(name, kept);
    line["builtin"] = is_builtin;
    if (is_builtin) line["summary"] = summary;
    print_line(line);
  };
  for (const KernelSpec& spec : builtin) {
    show(spec.name, spec.summary, true);
    others.erase(spec.name);
  }
  for (const auto& [name, unused] : others) show(name, "", false);
  return exit_done;
}

int run_show(const Arguments& arguments) {
  Options options("attune show KERNEL|FILE.cu [options]", "  attune show transpose\n  attune show transpose --json\n",
                  {"kernel"});
  add_database_option(options);
  options.add()("json", "one JSON object per line instead of text: records, their finalists, and counts");
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const bool is_file = given.find('/') != std::string::npos || given.ends_with(".cu");
  const std::optional<KernelSpec> spec = is_file ? load_kernel(given) : builtin_kernel(given);
  const std::string kernel = is_file ? spec->name : given;
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, Kept> kept = read_kept(store);
  if (!spec) require_known(kernel, kept);
  if (store)
    for (const Record& record : store->records(kernel)) {
      const std::vector<FinalistResult> finalists = store->finalists(record.uuid);
      if (options.has("json"))
        print_record(record, finalists);
      else
        show_record(record, rate_and_bound(record, spec, *store), finalists);
    }
  if (options.has("json")) {
    print_line(kept_json(kernel, kept[kernel]));
  } else {
    if (kept[kernel].records == 0)
      put_text("no records of {} yet (try: attune tune {})\n", kernel, spec ? given : "FILE.cu");
    if (kept[kernel].sessions > 0) put_text("{}: {}\n", kernel, kept_text(kept[kernel]));
  }
  return exit_done;
}

int run_export(const Arguments& arguments) {
  Options options("attune export --format json [-o FILE] [options]", "  attune export --format json -o wisdom.json\n");
  options.add()("format,f", po::value<std::string>(), "json")("output,o", po::value<std::string>(),
                                                              "write to this file instead of standard output")(
      "kernel,k", po::value<std::string>(), "of this kernel only");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const std::string format = options.text("format").value_or("json");
  if (format != "json") throw UsageError("unknown export format `" + format + "`; known: json");
  const std::optional<std::string> output = options.text("output");
  if (output) require_harmless(*output, database_path(options));
  std::optional<WisdomStore> store = open_store(options);
  const std::string kernel = options.text("kernel").value_or("");
  if (!kernel.empty()) require_known(kernel, read_kept(store));
  const std::string text = records_to_json(read_records(store, kernel));
  if (output)
    write_export(*output, text);
  else
    std::cout << text;
  return exit_done;
}

}  // namespace attune::cli
