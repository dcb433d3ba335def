// attune list, attune show, attune export: the stored wisdom.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "attune/error.hpp"
#include "db/exchange_json.hpp"
#include "db/wisdom_header.hpp"
#include "db/wisdom_store.hpp"
#include "options.hpp"
#include "record_text.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

namespace po = boost::program_options;

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
  return WisdomStore(path, WisdomStore::Access::read_only);
}

// Returns the records of a kernel (all when empty).
std::vector<Record> read_records(std::optional<WisdomStore>& store, const std::string& kernel = {}) {
  if (!store) return {};
  std::vector<Record> records = store->records(kernel);
  if (store->damaged_rows() > 0)
    std::cerr << fmt::format("attune: {} damaged records in {} were left out; tune those problems again\n",
                             store->damaged_rows(), store->file().string());
  return records;
}

// Returns a kernel by its built-in name. Records of other kernels are shown without rates.
std::optional<KernelSpec> builtin_kernel(const std::string& name) {
  for (const EmbeddedFile& file : builtin_kernels())
    if (file.file_name == name + ".cu") return read_kernel_text(file.text, std::string(file.file_name));
  return std::nullopt;
}

// Returns ", 3.91 TB/s, 83 % of the measured copy ceiling", for a record of this very kernel on a calibrated device.
std::string rate_and_bound(const Record& record, const std::optional<KernelSpec>& spec, WisdomStore& store) {
  if (!spec || spec->fingerprints.contract != record.key.contract) return "";
  const std::vector<Ceiling> ceilings = store.ceilings(record.key.device_class);
  const std::string bound = bound_text(bound_of(*spec, record.key.problem, record.median_ns, ceilings));
  return bound.empty() ? "" : ", " + rate_text(*spec, record.key.problem, record.median_ns) + ", " + bound;
}

void show_record(const Record& record, const std::string& reached, const std::vector<FinalistResult>& finalists) {
  fmt::print("{} {}\n  on {}{}\n", record.key.kernel, record.key.problem.text(), record.device_name,
             record.key.device_class.rfind("host|", 0) == 0 ? " (host)" : "");
  if (record.key.regime != "cold" || record.key.objective != "time")
    fmt::print("  tuned for      {}, {}\n", record.key.objective, record.key.regime);
  fmt::print("  configuration  {}\n", record.configuration.text());
  fmt::print("  time           {}{}; {}{}\n", time_text(record.median_ns), reached, gain_text(record),
             marks_text(record));
  fmt::print("  found          {}, effort {}{}, {} trials, seed {}\n", utc_text(record.made_ms), to_text(record.effort),
             record.partial ? " (cut short)" : "", record.trials, record.seed);
  fmt::print("{}{}", winner_text(record, finalists), front_text(record, finalists));
  fmt::print("  with           attune {}, {}, driver {}\n", record.attune_version, record.toolchain, record.driver);
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
  Options options("attune list [options]", "  attune list\n");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  std::map<std::string, int> recorded;
  std::optional<WisdomStore> store = open_store(options);
  for (const Record& record : read_records(store)) ++recorded[record.key.kernel];
  const auto line = [&](const std::string& name, const std::string& summary) {
    const int count = recorded[name];
    fmt::print("{:<14}{:<60}{}\n", name, summary,
               count == 0 ? "no records" : fmt::format("{} record{}", count, count == 1 ? "" : "s"));
    recorded.erase(name);
  };
  for (const EmbeddedFile& file : builtin_kernels()) {
    const KernelSpec spec = read_kernel_text(file.text, std::string(file.file_name));
    line(spec.name, spec.summary);
  }
  std::vector<std::string> others;
  for (const auto& [name, count] : recorded)
    if (count > 0) others.push_back(name);
  for (const std::string& name : others) line(name, "(not built in)");
  return exit_done;
}

int run_show(const Arguments& arguments) {
  Options options("attune show KERNEL [options]", "  attune show transpose\n", {"kernel"});
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const bool is_file = given.find('/') != std::string::npos || given.ends_with(".cu");
  const std::optional<KernelSpec> spec = is_file ? load_kernel(given) : builtin_kernel(given);
  const std::string kernel = is_file ? spec->name : given;
  std::optional<WisdomStore> store = open_store(options);
  const std::vector<Record> records = read_records(store, kernel);
  for (const Record& record : records)
    show_record(record, rate_and_bound(record, spec, *store), store->finalists(record.uuid));
  if (!records.empty()) return exit_done;
  if (!is_file && read_records(store).empty()) load_kernel(given);  // an unknown name is an error, not "no records"
  fmt::print("no records of {} yet (try: attune tune {})\n", kernel, given);
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
  const std::string text = records_to_json(read_records(store, options.text("kernel").value_or("")));
  if (output)
    write_export(*output, text);
  else
    std::cout << text;
  return exit_done;
}

}  // namespace attune::cli
