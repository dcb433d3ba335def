// attune import: what others measured.
#include <fmt/format.h>

#include <optional>

#include "attune/error.hpp"
#include "imports/foreign_wisdom.hpp"
#include "imports/import_file.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "wisdom/joined.hpp"

namespace attune::cli {
namespace {

constexpr std::initializer_list<const char*> of_other_tools = {"problem", "device-class", "map", "regime", "objective"};

Options import_options() {
  Options options(
      "attune import FILE... [options]",
      "  attune import wisdom.json --dry-run\n"
      "  attune import cache.json --kernel smooth.cu --problem \"n=2**24 T=float\" --device-class cuda --map "
      "\"block_size_x=BLOCK\"\n",
      {"files..."});
  options.add()("kernel,k", named_value("KERNEL|FILE.cu"),
                "of this kernel alone; a file of another tool needs its kernel file, or a built-in kernel")(
      "problem,p", named_value("PROBLEM"), "what a file of another tool is for: \"n=2**24 T=float\"")(
      "device-class,d", named_value("CLASS"),
      "what it was measured on: a class key, or cuda, cuda:N or host for this machine's")(
      "map,m", named_value("NAMES"), "its parameters' names and the kernel's: \"block_size_x=BLOCK,tile=ITEMS\"")(
      "regime", named_value("REGIME"), "what its times are: cold (default), warm or stream")(
      "objective", named_value("OBJECTIVE"), "what it was tuned for: time, because such files have nothing else")(
      "dry-run", "shows what would come, and writes nothing");
  add_database_option(options);
  return options;
}

std::string needed(const Options& options, const char* option, const ImportFile& file, const std::string& name) {
  if (const auto text = options.text(option)) return *text;
  const std::string own = file.own_words();
  throw UsageError(fmt::format("{} needs --{}, because it does not say so in attune's words{}", name, option,
                               own.empty() ? "" : ": " + own));
}

// What another tool says in words of its own is not compared.
void refuse_another_problem(const ImportTarget& target, const ImportFile& file, const std::string& name) {
  std::optional<Problem> own;
  try {
    own = parse_problem(target.spec, file.own_problem(), target.device.kind);
  } catch (const Error&) {
    return;
  }
  if (!file.own_problem().empty() && *own != target.problem)
    throw UsageError(fmt::format("{} is for {}, and --problem names {}", name, own->text(), target.problem.text()));
}

ImportTarget target_of(const Options& options, const ImportFile& file, const std::string& name) {
  ImportTarget target{find_kernel(options, needed(options, "kernel", file, name)), {}, {}};
  const std::string device = needed(options, "device-class", file, name);
  const bool is_class = device.find('|') != std::string::npos;
  target.device = is_class ? device_by_class(device) : device_info_for(device);
  if (!is_class) apply_aliases(target.device, aliases_in(database_path(options)));
  const bool has_problem = !target.spec.problem.empty();
  target.problem =
      parse_problem(target.spec, has_problem ? needed(options, "problem", file, name) : "", target.device.kind);
  refuse_another_problem(target, file, name);
  target.regime = to_text(regime_of(options));
  if (const auto objective = options.text("objective"); objective && !Objectives(*objective).is_time())
    throw UsageError(fmt::format("{} has times alone, and nothing of `{}`", name, *objective));
  if (const auto names = options.text("map")) target.names = parse_names(target.spec, *names);
  return target;
}

// Returns the name of the kernel that is named; "" for all.
std::string wanted_kernel(const Options& options) {
  const auto given = options.text("kernel");
  return given ? kernel_name(*given) : "";
}

// What a file brings, checked as a whole. A database is checked when it is joined.
struct Brought {
  std::string name;  // of the file
  bool is_database = false;
  WisdomParts parts;
  std::vector<std::string> notes;
};

Brought read_import(const Options& options, const std::string& name) {
  const ImportFile file(name);
  Brought brought{name, file.format() == ImportFormat::wisdom, {}, {}};
  if (!carries_keys(file.format())) {
    auto [parts, notes] = file.recorded(target_of(options, file, name));
    brought.parts = std::move(parts);
    brought.notes = std::move(notes);
    return brought;
  }
  for (const char* const option : of_other_tools)
    if (options.has(option)) throw UsageError(fmt::format("{} carries its own keys; --{} is not for it", name, option));
  if (!brought.is_database) brought.parts = file.records(wanted_kernel(options), brought.notes);
  return brought;
}

}  // namespace

int run_import(const Arguments& arguments) {
  Options options = import_options();
  if (options.parse(arguments)) return exit_done;
  const bool is_dry = options.has("dry-run");
  const JoinTerms terms = join_terms(database_path(options), is_dry);
  std::vector<Brought> all;  // every file is checked before the first one is joined
  for (const std::string& name : options.required_list("files")) all.push_back(read_import(options, name));
  const ForeignWisdom filter(wanted_kernel(options));
  for (const Brought& brought : all) {
    const JoinResult joined =
        brought.is_database ? join_database(brought.name, terms, &filter) : join_parts(brought.parts, terms);
    put_text("{}{}\n", brought.name, is_dry ? " would bring" : "");
    put_joined(joined, brought.notes, terms);
  }
  return exit_done;
}

}  // namespace attune::cli
