#include "plan.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "attune/search_space.hpp"
#include "attune/tune_callable.hpp"
#include "base/digest.hpp"
#include "configuration_text.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "dispatch/planner.hpp"
#include "json_lines.hpp"
#include "kernel/empty_problem.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "tuning/program_tunable.hpp"
#include "wisdom/plan_why.hpp"
#include "worker/callable_spec.hpp"

namespace attune::cli {
namespace {

constexpr double application_wait_s = 0.1;  // for a lock

// Says what is damaged in the database. Throws where it cannot be read, if an effort needs it; else the planner says
// so.
void look_at(const PlanQuery& query) {
  std::error_code unknown;
  if (!std::filesystem::exists(query.database, unknown) && !unknown) return;
  const auto wait = query.effort ? std::nullopt : std::optional(application_wait_s);
  try {
    WisdomStore(query.database, WisdomStore::Access::read_only, {note_on_stderr, nullptr, wait});
  } catch (const Error&) {
    if (query.effort) throw;
  }
}

void refuse_no_wisdom(const PlanQuery& query, const Problem& problem, const DeviceInfo& device) {
  throw Error(
      fmt::format("no wisdom for {} ({}) on {}, and effort {} does not measure; to find some: {}", query.spec.name,
                  problem.text(), device.name, query.effort->name,
                  tune_command({query.spec, problem, device, query.kernel, to_text(query.regime), query.objective})));
}

// Returns whether there is nothing that `attune tune` could measure.
bool is_nothing_legal(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  try {
    return make_space(spec, problem, device).empty();
  } catch (const Error&) {  // a space that cannot be searched
    return false;
  }
}

std::string nothing_legal(const PlanQuery& query, const Problem& problem, const DeviceInfo& device) {
  const std::string space = command_for({query.spec, problem, device, query.kernel}, "space");
  return fmt::format(
      "no configuration of {} is legal for {} on {}, so it can be neither launched nor tuned there; to see which rules "
      "leave nothing: {} --audit",
      query.spec.name, problem.text(), device.name, space);
}

// Returns "" where nothing but the database and the override file is read, or where a source cannot be read: the
// planner says so.
std::string digest_of(const Planner& planner) {
  static const std::string of_nothing = Digest().hex();
  try {
    const std::string digest = planner.wisdom_digest();
    return digest == of_nothing ? "" : digest;
  } catch (const Error&) {
    return {};
  }
}

// Returns whether a speed-up is known. A pin that was never measured has 1, as has a record of another tool without the
// default's time.
bool has_speedup(const Match& match) {
  const bool may_lack = match.rung == Rung::pinned || match.rung == Rung::stale;
  return match.default_failure.empty() && !(may_lack && match.speedup == 1);
}

std::string speedup_text(const Match& match) {
  if (!match.default_failure.empty()) return say_default_failed(match.default_failure);
  return has_speedup(match) ? ratio_text(match.speedup) + " over the default" : "not known; attune bench measures it";
}

void print_match_json(const PlanQuery& query, const Problem& problem, const DeviceInfo& device, const Match& match,
                      const std::string& digest) {
  nlohmann::ordered_json line;
  line["type"] = "match";
  line["kernel"] = query.spec.name;
  line["problem"] = to_json(problem);
  line["device"] = to_json(device);
  if (query.effort) line["effort"] = query.effort->name;
  line["rung"] = to_text(match.rung);
  line["why"] = match.why;
  line["configuration"] = to_json(match.configuration);
  line["speedup"] = has_speedup(match) ? nlohmann::ordered_json(match.speedup) : nullptr;
  line["record_problem"] = match.record_problem;
  line["source"] = match.source;
  line["wisdom_digest"] = digest;
  print_line(line);
}

void print_match_text(const PlanQuery& query, const Problem& problem, const DeviceInfo& device, const Match& match,
                      const std::string& digest) {
  const std::string effort = query.effort ? fmt::format(": effort {}, nothing is measured", query.effort->name) : "";
  put_text("{}\n", in_lines(fmt::format("{} for {} on {}{}", query.spec.name, problem.text(), device.name, effort), 2));
  const TextAndCommand why = advice_in(match.why);
  put_text("{}{}", fact_line("rung", to_text(match.rung)), fact_line("why", why.text));
  if (!why.command.empty()) put_text("  {:<{}}{}\n", "try", fact_column - 2, why.command);
  if (launches_nothing(query.spec, problem)) return;
  put_text("{}", fact_line("configuration", whole_text(match.configuration)));
  if (!digest.empty()) put_text("  {:<{}}{}\n", "wisdom", fact_column - 2, digest);  // to copy, as commands are
  if (match.record_problem.empty()) return;
  put_text("{}{}{}", fact_line("recorded for", match.record_problem), fact_line("from", match.source),
           fact_line("speed-up", speedup_text(match)));
}

}  // namespace

int show_matches(const PlanQuery& query, const std::vector<Problem>& problems, std::shared_ptr<Device> device) {
  look_at(query);
  Warnings warnings([](const std::string& message) { put_error(message); });
  const AddedBundles none(warnings);
  auto database = std::make_unique<const WisdomReader>(query.database);
  Planner planner(device, wisdom_sources(std::move(database), query.places), none, {}, query.regime, query.objective,
                  warnings);
  const DeviceInfo& info = planner.device_info();
  const KernelPack kernel = make_pack(query.spec, query.kernel);
  int code = exit_done;
  for (const Problem& problem : problems) {
    try {
      const Match match = planner.match(kernel, problem);
      warnings.deliver();
      if (match.rung == Rung::none && query.effort && query.effort->needs_wisdom)
        refuse_no_wisdom(query, problem, info);
      (query.json ? print_match_json : print_match_text)(query, problem, info, match, digest_of(planner));
      if (query.why) show_reasons(query, problem, info);
    } catch (const Error& error) {  // of this problem; the others may have an answer
      warnings.deliver();
      put_error(is_nothing_legal(query.spec, problem, info) ? nothing_legal(query, problem, info) : error.what());
      code = exit_error;
    }
  }
  return code;
}

int show_matches(const PlanQuery& query, const std::vector<Problem>& problems, const Tunable& tunable) {
  look_at(query);
  const DeviceInfo device = callable_device(tunable);
  for (const Problem& problem : problems) {
    const Match match = find(tunable, problem, query.database);
    if (match.rung == Rung::none && query.effort && query.effort->needs_wisdom) throw Error(match.why);
    (query.json ? print_match_json : print_match_text)(query, problem, device, match, "");
  }
  return exit_done;
}

std::vector<Problem> callable_problems(const Tunable& tunable, const std::vector<std::string>& texts) {
  std::vector<Problem> problems;
  for (const std::string& text : texts) problems.push_back(callable_problem(tunable, parse_bindings(text)));
  return problems;
}

namespace {

WisdomPlaces places_of(const Options& options) {
  WisdomPlaces places{options.text("site").value_or(""), {}, options.text("agree").value_or("")};
  for (const std::string& folder : options.list("wisdom")) places.folders.emplace_back(folder);
  return places;
}

int plan_program(const Options& options, const std::string& command) {
  for (const char* const option : {"kernel", "device", "regime", "objective", "site", "wisdom", "agree", "why"})
    if (options.has(option))
      throw UsageError(fmt::format("--program and {}: the program says what it is; leave one of them out",
                                   option == std::string_view("kernel") ? "KERNEL" : std::string("--") + option));
  const Tunable tunable = ask_for_tunable(command);
  PlanQuery query{callable_spec(tunable), tunable.name, database_to_read(options)};
  query.json = options.has("json");
  return show_matches(query, callable_problems(tunable, {options.text("problem").value_or("")}), tunable);
}

}  // namespace

int run_plan(const Arguments& arguments) {
  Options options("attune plan KERNEL|FILE.cu [options] | attune plan --program COMMAND [options]",
                  "  attune plan transpose --problem \"width=8000 height=8000\"\n"
                  "  attune plan my_kernel.cu --problem \"n=1000\" --device host --why\n",
                  {"kernel"});
  options.add()("problem,p", named_value("PROBLEM"), "the problem: \"width=8192 T=float\"")(
      "program", named_value("COMMAND"), "a program whose callable was tuned by `attune tune --program`")(
      "device,d", named_value("DEVICE"), "cuda, cuda:N or host (default: $ATTUNE_DEVICE, else cuda)")(
      "regime", named_value("REGIME"), "that was tuned for: cold (default), warm or stream")(
      "objective", named_value("OBJECTIVE"), "what was tuned for (default: time)")(
      "db", named_value("FILE"), "the wisdom database (default: $ATTUNE_DB, else the user's own)")(
      "site", named_value("PATH"), "what the site knows (default: $ATTUNE_SITE, else /etc/attune)")(
      "wisdom", named_values("FOLDER"), "a folder of tuned files, as an application has it; may be given again")(
      "agree", named_value("DIGEST"),
      "the digest that site and folders must have, or any: then neither the database nor "
      "$ATTUNE_OVERRIDE is read (default: $ATTUNE_AGREE)")(
      "why", "also every record and cover of the kernel, with the reason for it or against it")(
      "json", "one JSON object instead of text");
  if (options.parse(arguments)) return exit_done;

  if (const auto command = options.text("program")) return plan_program(options, *command);
  const std::string kernel = options.required("kernel");
  const PlanQuery query{find_kernel(options, kernel),
                        kernel,
                        database_to_read(options),
                        regime_of(options),
                        Objectives(options.text("objective").value_or("time")).text(),
                        nullptr,
                        options.has("json"),
                        options.has("why"),
                        places_of(options)};
  const std::shared_ptr<Device> device = open_device(device_name(options));
  return show_matches(
      query,
      {parse_problem(query.spec, options.text("problem").value_or(""), device->info().kind, EmptyProblem::allowed)},
      device);
}

}  // namespace attune::cli
