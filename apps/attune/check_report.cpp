#include "check_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configuration_text.hpp"
#include "json_lines.hpp"
#include "occupancy_text.hpp"
#include "put_text.hpp"
#include "rates.hpp"
#include "text.hpp"
#include "worker/error_text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// The host device has neither registers nor local memory of its own.
bool is_host(const Image& image) { return image.architecture.starts_with("host"); }

// PTX: the driver allocates registers when it is loaded.
bool is_ptx(const Image& image) { return image.architecture.starts_with("compute_"); }

// Returns the most dynamic shared memory of the steps that launch this entry.
std::uint64_t dynamic_shared(const std::string& expression, std::span<const ResolvedStep> steps) {
  std::uint64_t bytes = 0;
  for (const ResolvedStep& step : steps)
    if (step.kind == StepKind::launch && step.expression == expression)
      bytes = std::max(bytes, step.shape.shared_bytes);
  return bytes;
}

std::string usage_text(const Image& image, const ImageFunction& function, std::uint64_t dynamic) {
  const ResourceUsage& usage = function.usage;
  if (is_ptx(image)) return fmt::format("{} bytes of dynamic shared memory", dynamic);
  const std::string shared =
      fmt::format("{} bytes of static shared memory, {} bytes of dynamic shared memory", usage.shared_static, dynamic);
  if (is_host(image)) return shared;
  return fmt::format("{} registers, {}, {} bytes of local memory, {} bytes spilled", usage.registers, shared,
                     usage.local_bytes, usage.spill_bytes);
}

Json usage_json(const Image& image, const ImageFunction& function, std::uint64_t dynamic) {
  Json entry;
  entry["entry"] = function.expression;
  entry["dynamic_shared_bytes"] = dynamic;
  if (is_ptx(image)) return entry;
  entry["shared_bytes"] = function.usage.shared_static;
  if (is_host(image)) return entry;
  entry["registers"] = function.usage.registers;
  entry["local_bytes"] = function.usage.local_bytes;
  entry["spill_bytes"] = function.usage.spill_bytes;
  return entry;
}

}  // namespace

void CheckReport::show_subject(const KernelSpec& spec, const Problem& problem, const Configuration* configuration) {
  line_["type"] = "check";
  line_["kernel"] = spec.name;
  line_["problem"] = to_json(problem);
  line_["configuration"] = configuration != nullptr ? to_json(*configuration) : Json();
  if (!json_ && configuration != nullptr)
    put_text("{}\n  configuration {}\n", in_lines(spec.name + " " + problem.text(), 2),
             in_lines(whole_text(*configuration), 16));
}

void CheckReport::show_note(const std::string& text) {
  if (text.empty()) return;
  line_["notes"].push_back(text);
  if (!json_) put_text("note: {}\n", in_lines_with_command(text, 6));
}

void CheckReport::show_log(const std::string& log) {
  if (log.empty()) return;
  line_["log"] = log;
  if (!json_) put_text("log:\n{}\n", log);
}

void CheckReport::show_image(const Image& image, double milliseconds, std::span<const ResolvedStep> steps,
                             const DeviceInfo& device) {
  line_["compile_ms"] = milliseconds;
  line_["toolchain"] = image.toolchain;
  line_["architecture"] = image.architecture;
  line_["entries"] = Json::array();
  if (!json_) {
    put_text("compiled in {:.0f} ms by {} for {}\n", milliseconds, image.toolchain, image.architecture);
    if (is_ptx(image))
      put_text("  PTX, since the device is newer than this compiler: registers are not known before loading\n");
  }
  const auto limits = multiprocessor_limits(device);
  const std::vector<StepUse> uses = step_uses(image, steps);
  for (const ImageFunction& function : image.functions) {
    if (function.expression.starts_with('&')) continue;  // a variable
    const std::uint64_t dynamic = dynamic_shared(function.expression, steps);
    line_["entries"].push_back(usage_json(image, function, dynamic));
    if (!json_)
      put_text("  {}\n    {}\n", in_lines(function.expression, 4), in_lines(usage_text(image, function, dynamic), 4));
    for (const StepUse& use : uses) {
      if (!limits || use.entry != function.expression) continue;
      line_["entries"].back()["occupancy"].push_back(occupancy_json(use.block(), *limits));
      if (!json_) put_text("    {}\n", in_lines("occupancy " + occupancy_text(use.block(), *limits), 4));
    }
  }
}

void CheckReport::show_tolerances(std::span<const ArgumentSetup> arguments) {
  line_["tolerances"] = Json::object();
  for (const ArgumentSetup& argument : arguments) {
    if (!argument.is_compared) continue;
    const Tolerance& tolerance = argument.tolerance;
    line_["tolerances"][argument.name] = {
        {"absolute", tolerance.absolute}, {"relative", tolerance.relative}, {"differing", tolerance.differing}};
    if (!json_) put_text("tolerance of `{}`: {}\n", argument.name, tolerance_text(tolerance));
  }
}

void CheckReport::show_launch(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                              double nanoseconds, const Numerics& numerics, bool self_checked) {
  line_["launch_ns"] = nanoseconds;
  add_rates(line_, spec, problem, configuration, nanoseconds);
  line_["max_error"] = numerics.max_absolute;
  line_["max_share"] = numerics.max_share;
  line_["self_checked"] = self_checked;
  if (json_) return;
  const std::string rate = rate_text(spec, problem, configuration, nanoseconds);
  put_text("{}\n",
           in_lines(fmt::format("one launch: {}{}; {}{}", time_text(nanoseconds), rate.empty() ? "" : ", " + rate,
                                error_text(numerics), self_checked ? " (self-checked: there is no [[reference]])" : ""),
                    2));
}

void CheckReport::show_clean_launch(const std::string& sanitizers, const Numerics& numerics) {
  put_text("ran under the sanitizers {}: nothing found; {}\n", sanitizers, error_text(numerics));
}

int CheckReport::show_verdict(Verdict verdict, const std::string& detail) {
  line_["verdict"] = to_text(verdict);
  if (!detail.empty()) line_["detail"] = detail;
  if (json_)
    print_line(line_);
  else
    put_text("verdict: {}\n{}{}", to_text(verdict), detail, detail.empty() ? "" : "\n");
  return verdict == Verdict::ok ? exit_done : exit_no_survivor;
}

}  // namespace attune::cli
