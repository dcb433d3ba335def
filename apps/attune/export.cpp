// attune export: the stored wisdom for other programs, and headers that need nothing of attune.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <set>
#include <vector>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/counted.hpp"
#include "base/near_name.hpp"
#include "base/shell_word.hpp"
#include "core/record_order.hpp"
#include "export_bundle.hpp"
#include "exports/header.hpp"
#include "exports/kernel_tuner_cache.hpp"
#include "exports/optuna_journal.hpp"
#include "exports/records_csv.hpp"
#include "exports/records_json.hpp"
#include "exports/t4_results.hpp"
#include "exports/tables.hpp"
#include "files/output_file.hpp"
#include "files/paths.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "tuned/tuned_text.hpp"

namespace attune::cli {
namespace {

constexpr std::array formats{"json", "csv", "header", "bundle", "tuned", "optuna", "kernel-tuner", "t4"};

// What is written: the file of -o, or standard output.
class ExportOutput {
 public:
  explicit ExportOutput(const Options& options) : options_(options) {
    if (const auto name = options.text("output")) file_.emplace(*name).must_not_be_wisdom(database_to_read(options));
  }
  // Loads a kernel. Throws UsageError where the output is one of its files.
  KernelSpec load(const std::string& given) const {
    std::vector<std::filesystem::path> files;
    KernelSpec spec = find_kernel(options_, given, &files);
    for (const std::filesystem::path& file : files)
      if (file_) file_->must_not_be(file, "a file of the kernel " + spec.name + ",");
    return spec;
  }
  bool is_terminal() const { return !file_ && isatty(STDOUT_FILENO) == 1; }
  void write(std::string_view text) const {
    if (file_)
      file_->write(text);
    else
      std::cout << text;
  }

 private:
  const Options& options_;
  std::optional<OutputFile> file_;
};

// Returns the kernels that were named, as arguments or by --kernel.
std::vector<std::string> named_kernels(const Options& options) {
  std::vector<std::string> names = options.list("kernels");
  if (const auto option = options.text("kernel"); option && std::ranges::find(names, *option) == names.end())
    names.push_back(*option);
  return names;
}

// Returns the one kernel that was named; "" for all.
std::string named_kernel(const Options& options) {
  const std::vector<std::string> names = named_kernels(options);
  if (names.size() > 1)
    throw UsageError(
        fmt::format("two kernels are named: {} and {}; only --format bundle takes several", names[0], names[1]));
  return names.empty() ? "" : names.front();
}

void refuse_options(const Options& options, std::initializer_list<const char*> names, std::string_view format) {
  for (const char* const option : names)
    if (options.has(option)) throw UsageError(fmt::format("--{} is not for --format {}", option, format));
}

// Returns the records or covers of the devices that were asked for, by class or by name; all where none was.
template <typename T>
std::vector<T> of_devices(std::vector<T> all, const std::vector<std::string>& wanted) {
  std::erase_if(all, [&](const T& one) {
    return !wanted.empty() && std::ranges::find(wanted, one.key.device_class) == wanted.end() &&
           std::ranges::find(wanted, one.device_name) == wanted.end();
  });
  return all;
}

// The same for records. Throws UsageError for a device that has none.
std::vector<Record> records_of_devices(std::vector<Record> records, const std::vector<std::string>& wanted) {
  for (const std::string& device : wanted) {
    if (!of_devices(records, {device}).empty()) continue;
    std::set<std::string> known;
    for (const Record& record : records) known.insert(record.key.device_class);
    throw UsageError(fmt::format(
        "there are no records of the device `{}`; {}", device,
        known.empty() ? "there are none at all" : fmt::format("known classes:\n  {}", fmt::join(known, "\n  "))));
  }
  return of_devices(std::move(records), wanted);
}

// Reads a part of a problem: its names are the kernel's, and the values of their kinds.
Bindings part_of_problem(const KernelSpec& spec, const std::string& text) {
  const Bindings part = parse_bindings(text);
  Bindings whole = part;
  for (const ProblemParameter& parameter : spec.problem)
    if (whole.find(parameter.name) == nullptr && parameter.types.empty() && parameter.choices.empty())
      whole.set(parameter.name, parameter.default_value.value_or(1));
  make_problem(spec, whole, "cuda");
  return part;
}

std::string header_text(const Options& options, const ExportOutput& output, std::optional<WisdomStore>& store) {
  refuse_options(options, {"architecture", "no-images", "cache"}, "header");
  const std::string given = named_kernel(options);
  if (given.empty()) throw UsageError("--format header takes one kernel: attune export KERNEL|FILE.cu --format header");
  const KernelSpec spec = output.load(given);
  HeaderTerms terms{.spec = spec, .records = {}};
  terms.regime = to_text(regime_of(options));
  terms.objective = Objectives(options.text("objective").value_or("time")).text();
  terms.name_space = options.text("namespace").value_or("");
  terms.with_templates = options.has("templates");
  terms.attune_version = library_version;
  for (const std::string& text : options.list("problem")) terms.problems.push_back(part_of_problem(spec, text));
  std::vector<Record> all;
  if (store) {
    terms.covers = of_devices(store->covers(), options.list("device"));
    all = store->candidates(
        {spec.name, spec.fingerprints.code, spec.fingerprints.contract, "", {}, terms.regime, terms.objective});
    note_damage(*store);
  }
  terms.records = records_of_devices(all, options.list("device"));
  std::erase_if(terms.records, [&](const Record& record) {
    return !terms.problems.empty() && std::ranges::none_of(terms.problems, [&](const Bindings& part) {
      return is_admitted(record.key.problem, part);
    });
  });
  const std::string text = exported_header(terms);
  if (terms.records.empty())
    put_error(fmt::format("there are no records of {} for this; the header has fall-backs only (try: attune tune {})",
                          spec.name, shell_word(given)));
  return text;
}

std::vector<Record> listed_records(const Options& options, const ExportOutput& output,
                                   std::optional<WisdomStore>& store) {
  refuse_options(options,
                 {"problem", "templates", "namespace", "regime", "objective", "architecture", "no-images", "cache"},
                 options.text("format").value_or("json"));
  std::string kernel = named_kernel(options);
  if (is_kernel_file(kernel))
    kernel = output.load(kernel).name;
  else if (!kernel.empty() && !builtin_kernel(kernel))
    require_known(kernel, read_kept(store));
  return records_of_devices(read_records(store, kernel), options.list("device"));
}

// Returns the newest session of the kernel that is named, for the problem and device that are named.
SessionLog chosen_session(const Options& options, const ExportOutput& output, std::optional<WisdomStore>& store) {
  const std::string format = *options.text("format");
  refuse_options(options, {"templates", "namespace", "regime", "objective", "architecture", "no-images", "cache"},
                 format);
  const std::string given = named_kernel(options);
  if (given.empty())
    throw UsageError(
        fmt::format("--format {} takes one kernel: attune export KERNEL|FILE.cu --format {}", format, format));
  const std::vector<std::string> problems = options.list("problem"), devices = options.list("device");
  if (problems.size() > 1 || devices.size() > 1)
    throw UsageError(fmt::format("--format {} takes one session: one --problem and one --device", format));
  const bool is_file = is_kernel_file(given);
  const std::string kernel = is_file ? output.load(given).name : given;
  if (!is_file && !builtin_kernel(kernel)) require_known(kernel, read_kept(store));
  if (!store) throw UsageError("nothing is known of " + kernel + " yet: attune tune " + shell_word(given));
  const SessionRow session = newest_session(*store, kernel, parse_bindings(problems.empty() ? "" : problems.front()),
                                            devices.empty() ? "" : devices.front(), given);
  if (problems.empty() && store->sessions(kernel).size() > 1)
    put_error(
        fmt::format("this is the newest session of {}, for {}; --problem chooses another one (attune sessions {})",
                    kernel, session.key.record.problem.text(), kernel));
  SessionLog log{session.key.record,
                 std::string(to_text(session.key.effort)),
                 session.key.strategy,
                 session.attune_version,
                 session.seed,
                 session.started_ms,
                 store->trials(session.id)};
  note_damage(*store);
  return log;
}

// Returns the bytes of the bundle, and whether an image is missing that should be there.
ExportedBundle bundle_for(const Options& options, const ExportOutput& output, std::optional<WisdomStore>& store) {
  refuse_options(options, {"templates", "namespace"}, "bundle");
  std::vector<KernelPack> kernels;
  for (const std::string& given : named_kernels(options)) kernels.push_back(pack_to_export(output.load(given), given));
  if (kernels.empty())
    throw UsageError(
        "--format bundle takes the kernels: attune export reduce my_kernel.cu --format bundle -o app.bundle");
  BundleTerms terms{.kernels = kernels, .records = records_of_devices(read_records(store), options.list("device"))};
  if (store) terms.covers = of_devices(store->covers(), options.list("device"));
  terms.has_images = !options.has("no-images");
  terms.architectures = options.list("architecture");
  terms.problems = options.list("problem");
  if (!terms.has_images && !(terms.architectures.empty() && terms.problems.empty()))
    throw UsageError("--architecture and --problem say which images are compiled, and --no-images wants none");
  terms.regime = to_text(regime_of(options));
  terms.objective = Objectives(options.text("objective").value_or("time")).text();
  terms.cache = cache_path(options);
  return exported_bundle(terms);
}

// A bundle is no text: it goes to a file or a pipe.
int export_bundle(const Options& options, const ExportOutput& output, std::optional<WisdomStore>& store) {
  if (output.is_terminal()) throw UsageError("a bundle is not printed on a terminal; name a file: -o app.bundle");
  const ExportedBundle bundle = bundle_for(options, output, store);
  output.write({reinterpret_cast<const char*>(bundle.bytes.data()), bundle.bytes.size()});
  put_error(fmt::format("{}: {}, {}, {}; {} bytes, hash {}", options.text("output").value_or("a bundle"),
                        counted(bundle.kernels, "kernel"), counted(bundle.records, "record"),
                        counted(bundle.images, "image"), bundle.bytes.size(), bundle.hash));
  return bundle.is_complete ? exit_done : exit_error;
}

// Which kernels are exported: all where none is named. Of those whose text is known, only what fits the text.
class NamedKernels {
 public:
  NamedKernels(const Options& options, const std::vector<std::string>& names, std::optional<WisdomStore>& store) {
    for (const std::string& given : names) {
      const bool has_text = is_kernel_file(given) || builtin_kernel(given);
      if (!has_text) require_known(given, read_kept(store));
      KernelSpec& spec = specs_.emplace_back();
      spec.name = given;
      if (has_text) spec = find_kernel(options, given);
    }
  }
  bool have(const RecordKey& key) const {
    return specs_.empty() || std::ranges::any_of(specs_, [&](const KernelSpec& spec) {
             const Fingerprints& text = spec.fingerprints;
             return key.kernel == spec.name &&
                    (text.code.empty() || (key.code == text.code && key.contract == text.contract));
           });
  }

 private:
  std::vector<KernelSpec> specs_;
};

// Writes a folder. Files of other kernels and device classes stay as they are.
int export_tuned(const Options& options) {
  refuse_options(options,
                 {"problem", "templates", "namespace", "regime", "objective", "architecture", "no-images", "cache"},
                 "tuned");
  std::vector<std::string> names = named_kernels(options);
  std::string folder = options.text("output").value_or("");
  if (folder.empty() && !names.empty() && !names.front().ends_with(".cu")) {
    folder = names.front();
    names.erase(names.begin());
  }
  if (folder.empty())
    throw UsageError("--format tuned takes a folder: attune export --format tuned FOLDER [KERNEL|FILE.cu...]");
  std::optional<WisdomStore> store = open_store(options);
  const NamedKernels kernels(options, names, store);
  const auto is_other = [&](const auto& one) { return !kernels.have(one.key); };
  std::vector<Cover> covers = store ? of_devices(store->covers(), options.list("device")) : std::vector<Cover>();
  std::erase_if(covers, is_other);
  std::vector<Record> records = read_records(store);
  std::erase_if(records, is_other);
  const auto files = tuned_files(strongest_of_each_key(records_of_devices(records, options.list("device"))), covers);
  std::error_code refused;
  if (!files.empty()) std::filesystem::create_directories(folder, refused);
  if (refused)
    throw Error(fmt::format("cannot make the folder {}: {}; name another folder", folder, refused.message()));
  for (const auto& [name, text] : files) OutputFile((std::filesystem::path(folder) / name).string()).write(text);
  put_error(fmt::format("{}: {} written", folder, counted(static_cast<std::int64_t>(files.size()), "file")));
  return exit_done;
}

Options export_options() {
  Options options("attune export [KERNEL|FILE.cu...] [options]",
                  "  attune export -o wisdom.json\n  attune export reduce --format csv\n"
                  "  attune export reduce --format header -o attune_export_reduce.hpp\n"
                  "  attune export smooth.cu --format header --templates --problem \"T=float\" -o smooth_export.cuh\n"
                  "  attune export reduce smooth.cu --format bundle --architecture sm_90 -o app.bundle\n"
                  "  attune export --format tuned tuned/ smooth.cu\n"
                  "  attune export reduce --format optuna -o reduce.journal\n",
                  {"kernels..."});
  options.add()(
      "format,f", named_value("FORMAT"),
      "json (default), csv, header (C++, of one kernel), bundle (kernels with wisdom and images, for "
      "attune::bundle_runtime), tuned (a folder of texts to commit), optuna, kernel-tuner or t4 (one session, "
      "for other tuners)")("output,o", named_value("FILE"), "write to this file instead of standard output")(
      "kernel,k", named_value("KERNEL"), "of this kernel only; the same as the argument")(
      "device,d", named_values("DEVICE"),
      "of this device only, by class or name; may be given several times; optuna, kernel-tuner, t4: the session's, by "
      "kind or name")(
      "problem,p", named_values("PROBLEM"),
      "header: for these problems only, in part: \"T=float\"; bundle: with images of these problems too; may be given "
      "several times; optuna, kernel-tuner, t4: the session's, in part")(
      "architecture", named_values("ARCHITECTURE"),
      "bundle: with images for sm_90, or host; may be given several times (default: those with records)")(
      "no-images", "bundle: kernels and wisdom alone; applications compile")(
      "cache", named_value("FOLDER"), "bundle: where images are kept (default: $ATTUNE_CACHE, else the user's own)")(
      "templates", "header: with a launch of the kernel's own templates, for nvcc")(
      "namespace", named_value("NAME"), "header: its name space (default: attune_export_KERNEL)")(
      "regime", named_value("REGIME"), "header, bundle: that is asked for: cold (default), warm or stream")(
      "objective", named_value("OBJECTIVE"), "header, bundle: what was tuned for (default: time)");
  add_database_option(options);
  return options;
}

}  // namespace

int run_export(const Arguments& arguments) {
  Options options = export_options();
  if (options.parse(arguments)) return exit_done;
  const std::string format = options.text("format").value_or("json");
  if (std::ranges::find(formats, format) == formats.end())
    throw UsageError(fmt::format("unknown export format `{}`; known: {}", format, fmt::join(formats, ", ")));
  if (format == "tuned") return export_tuned(options);
  const ExportOutput output(options);
  std::optional<WisdomStore> store = open_store(options);
  if (format == "bundle") return export_bundle(options, output, store);
  output.write(format == "header"         ? header_text(options, output, store)
               : format == "optuna"       ? optuna_journal(chosen_session(options, output, store))
               : format == "kernel-tuner" ? kernel_tuner_cache(chosen_session(options, output, store))
               : format == "t4"           ? t4_results(chosen_session(options, output, store))
               : format == "csv"          ? records_to_csv(listed_records(options, output, store))
                                          : records_to_json(listed_records(options, output, store)));
  return exit_done;
}

}  // namespace attune::cli
