// attune occupancy
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/shell_word.hpp"
#include "configuration_text.hpp"
#include "device/cuda/cuda_device.hpp"
#include "json_lines.hpp"
#include "kernel/problem.hpp"
#include "occupancy_text.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "worker.hpp"
#include "worker/pool.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* usual_architecture = "sm_90";

// Returns the device that is asked for, else the GPU here, else an architecture, and says so.
std::string device_asked(const Options& options) {
  const std::string name = device_name(options);
  std::string why_not;
  if (options.has("device") || name != "cuda" || cuda_driver_answers(why_not)) return name;
  if (!options.has("json"))
    put_text("note: there is no GPU here, so this is for {}; --device names another\n", usual_architecture);
  return usual_architecture;
}

struct Asked {
  KernelSpec spec;
  Problem problem;
  Configuration configuration;
  DeviceInfo device;
  MultiprocessorLimits limits;
};

Asked asked_of(const Options& options) {
  const std::string name = device_asked(options);
  if (name == "host" || name.starts_with("replay:"))
    throw UsageError(
        fmt::format("`{}` has no multiprocessors that blocks share, and so no occupancy: name a GPU or an "
                    "architecture, such as --device {}",
                    name, usual_architecture));
  Asked asked{find_kernel(options, options.required("kernel")), {}, {}, device_info_for(name), {}};
  const auto limits = multiprocessor_limits(asked.device);
  if (!limits) throw Error(fmt::format("the limits of {} are not published", asked.device.architecture()));
  asked.limits = *limits;
  asked.problem = parse_problem(asked.spec, options.text("problem").value_or(""), "cuda");
  const auto by_default = default_configuration(asked.spec, asked.problem, asked.device);
  if (const auto given = options.text("configuration")) {
    asked.configuration = parse_configuration(asked.spec, *given);
    const auto broken = make_space(asked.spec, asked.problem, asked.device).broken_rules(asked.configuration);
    if (!broken.empty())
      throw UsageError(fmt::format("{} is not legal for {}: it breaks:\n  {}", asked.configuration.text(),
                                   asked.problem.text(), fmt::join(broken, "\n  ")));
  } else if (by_default) {
    asked.configuration = *by_default;
  } else {
    throw Error(fmt::format("{} has no legal configuration for {}; see: attune space {} --device {}", asked.spec.name,
                            asked.problem.text(), shell_word(options.required("kernel")), name));
  }
  return asked;
}

// Compiles for the architecture, without a device. Throws Error with the compiler's log.
std::vector<StepUse> compiled_uses(const Asked& asked) {
  const std::unique_ptr<Workers> workers = workers_for(asked.device.architecture());
  Pool pool(*workers, asked.device);
  const CompileOutcome outcome =
      pool.compile(launch_image_request(asked.spec, asked.problem, asked.configuration, asked.device));
  if (!outcome.image)
    throw Error(fmt::format("{} does not compile ({}):\n{}", asked.spec.name, to_text(outcome.verdict), outcome.log));
  if (outcome.image->is_ptx())
    throw Error(
        fmt::format("{} knows no {}, and registers of PTX are known only where it is loaded: name an older "
                    "architecture, such as --device {}",
                    outcome.image->toolchain, asked.device.architecture(), usual_architecture));
  return step_uses(*outcome.image,
                   resolve_steps(asked.spec, asked.spec.launch, asked.problem, &asked.configuration, asked.device));
}

constexpr std::array curves = {Limiter::threads, Limiter::registers, Limiter::shared};

void show_step(const StepUse& step, const MultiprocessorLimits& limits) {
  const BlockUse use = step.block();
  put_text("\n{}\n{}", in_lines(step.entry, 2), indented_line("occupancy " + occupancy_text(use, limits)));
  if (step.shape.cluster_blocks() > 1)
    put_text("{}", note_line(fmt::format("it is launched in clusters of {} blocks, which may leave room unused",
                                         step.shape.cluster_blocks())));
  put_text("\n{}", limits_table(use, limits));
  for (const Limiter over : curves) put_text("\n{}", curve_text(over, use, limits));
}

Json step_json(const StepUse& step, const MultiprocessorLimits& limits) {
  const BlockUse use = step.block();
  Json json = {{"entry", step.entry},
               {"block", step.shape.block},
               {"dynamic_shared_bytes", step.shape.shared_bytes},
               {"cluster_blocks", step.shape.cluster_blocks()}};
  json.update(occupancy_json(use, limits));
  for (const auto& [over, name] : {std::pair(Limiter::threads, "threads"), std::pair(Limiter::registers, "registers"),
                                   std::pair(Limiter::shared, "shared_bytes")})
    for (const CurvePoint& point : occupancy_curve(over, use, limits))
      json["curves"][name].push_back({point.amount, point.blocks, point.share});
  return json;
}

}  // namespace

int run_occupancy(const Arguments& arguments) {
  Options options("attune occupancy KERNEL|FILE.cu [options]",
                  "  attune occupancy matmul --device sm_90                  # no GPU needed\n"
                  "  attune occupancy my_kernel.cu --configuration \"BLOCK=256\" --device sm_80\n"
                  "  attune occupancy reduce --problem \"n=2**20 T=double\" --device sm_120 --json\n",
                  {"kernel"});
  options.add()("configuration,c", named_value("VALUES"), "parameter values; those left out take their defaults")(
      "problem,p", named_value("PROBLEM"), "the problem: \"n=1000 T=float\"")(
      "device,d", named_value("DEVICE"),
      "cuda, cuda:N, or an architecture such as sm_90 (default: $ATTUNE_DEVICE, else the GPU here, else sm_90)")(
      "json", "one JSON object instead of text");
  if (options.parse(arguments)) return exit_done;
  const Asked asked = asked_of(options);
  const std::vector<StepUse> steps = compiled_uses(asked);
  if (options.has("json")) {
    Json line = {{"type", "occupancy"},
                 {"kernel", asked.spec.name},
                 {"problem", to_json(asked.problem)},
                 {"configuration", to_json(asked.configuration)},
                 {"device", to_json(asked.device)},
                 {"steps", Json::array()}};
    for (const StepUse& step : steps) line["steps"].push_back(step_json(step, asked.limits));
    print_line(line);
    return exit_done;
  }
  put_text("{}\n  configuration {}\n  on {}\n", in_lines(asked.spec.name + " " + asked.problem.text(), 2),
           in_lines(whole_text(asked.configuration), 16), asked.device.name);
  for (const StepUse& step : steps) show_step(step, asked.limits);
  if (steps.empty()) put_text("nothing is launched for this problem\n");
  return exit_done;
}

}  // namespace attune::cli
