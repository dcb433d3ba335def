// attune space
#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "replay.hpp"
#include "space_views.hpp"
#include "spec/kernel_file.hpp"
#include "spec/t1_space.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

constexpr long long most_listed = 1'000'000'000;

Options space_options() {
  Options options(
      "attune space KERNEL|FILE.cu|FILE.json [options]",
      "  attune space reduce --device sm_90                        # sizes, values, and what each rule removes\n"
      "  attune space transpose --problem \"T=double\" --device sm_80 --list 10\n"
      "  attune space gemm.json --audit                            # a T1 document of another tuner\n"
      "  attune space gemm.json --sample 5 --seed 1 --json\n"
      "  attune space reduce --device sm_90 --why \"BLOCK=1024\"     # why are there none, or which?\n"
      "  attune space --device replay:gemm_A100.json.xz --list 5   # what a recording holds\n",
      {"kernel"});
  options.add()("problem,p", named_value("PROBLEM"), "the problem: \"n=1000 T=float\"")(
      "device,d", named_value("DEVICE"),
      "cuda, cuda:N, host, an architecture such as sm_90 (no GPU needed), or replay:FILE: what a recording holds")(
      "count", "print the number of legal configurations only")(
      "list", named_value("N"), "print the first N legal configurations, in index order")(
      "sample", named_value("N"), "print N legal configurations, drawn uniformly, none twice")(
      "seed", named_value("N"), "of --sample (default: 0)")(
      "audit",
      "what each rule removes alone and last, rules that say nothing new, values that never occur, and of an "
      "empty space a smallest set of rules that leaves nothing")(
      "why", named_value("VALUES"), "are these values legal (\"A=1 B=2\")? If not, why, and what is nearest")(
      "json", "JSON lines instead of text");
  return options;
}

AskedSpace kernel_space(const std::string& given, const Options& options) {
  const KernelSpec spec = find_kernel(options, given);
  const DeviceInfo info = device_info_for(device_name(options));
  const Problem problem = parse_problem(spec, options.text("problem").value_or(""), info.kind);
  return {spec.name, problem.text(), info.name, make_space(spec, problem, info)};
}

AskedSpace t1_space(const std::string& given, const Options& options) {
  for (const char* option : {"problem", "device"}) {
    if (!options.has(option)) continue;
    throw UsageError("--" + std::string(option) + " is for kernels: " + given +
                     " is a T1 document, whose rules use its parameters alone; leave the option out");
  }
  T1Space document = load_t1_space(given);
  return {document.name, "", "", SearchSpace::relaxed(std::move(document.parameters), std::move(document.rules))};
}

AskedSpace recorded_space(const Options& options) {
  const Recording recording =
      chosen_recording(parse_replay(device_name(options)).file, options.text("kernel"), options.text("problem"));
  return {recording.kernel, recording.problem, recording.device, space_of(recording)};
}

AskedSpace asked_space(const Options& options) {
  const std::string given = options.text("kernel").value_or("");
  if (given.ends_with(".json")) return t1_space(given, options);
  return is_replay(device_name(options)) ? recorded_space(options) : kernel_space(options.required("kernel"), options);
}

void refuse_several_views(const Options& options) {
  std::string first;
  for (const char* view : {"count", "list", "sample", "audit", "why"}) {
    if (!options.has(view)) continue;
    if (!first.empty()) throw UsageError("--" + first + " and --" + view + " are two questions; ask one at a time");
    first = view;
  }
  if (options.has("seed") && first != "sample") throw UsageError("--seed is for --sample N; leave it out");
}

}  // namespace

int run_space(const Arguments& arguments) {
  Options options = space_options();
  if (options.parse(arguments)) return exit_done;
  refuse_several_views(options);
  const auto list = options.integer("list", 1, most_listed), sample = options.integer("sample", 1, most_listed);
  const auto seed = options.integer("seed", 0, 9'223'372'036'854'775'807);
  const AskedSpace asked = asked_space(options);
  warn_of_bounds(asked.space);
  const bool json = options.has("json");
  if (options.has("count")) return show_count(asked, json);
  if (list) return show_list(asked, static_cast<SpaceSize>(*list), json);
  if (sample) {
    return show_sample(asked, static_cast<SpaceSize>(*sample), static_cast<std::uint64_t>(seed.value_or(0)), json);
  }
  if (options.has("audit")) return show_audit(asked, json);
  if (const auto wished = options.text("why")) return show_why(asked, *wished, json);
  return show_space(asked, json);
}

}  // namespace attune::cli
