// attune check
#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "sanitize.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"
#include "worker/problem_on_device.hpp"

namespace attune::cli {
namespace {

constexpr std::uint64_t seed = 1;

void show_image(const Image& image, double milliseconds) {
  fmt::print("compiled in {:.0f} ms by {} for {}\n", milliseconds, image.toolchain, image.architecture);
  if (image.architecture.starts_with("compute_")) {
    fmt::print("  PTX, since the device is newer than this compiler: registers are not known before loading\n");
    return;
  }
  for (const ImageFunction& function : image.functions)
    fmt::print("  {}\n    {} registers, {} bytes of static shared memory, {} bytes of local memory, {} bytes spilled\n",
               function.expression, function.usage.registers, function.usage.shared_static, function.usage.local_bytes,
               function.usage.spill_bytes);
}

int show_verdict(Verdict verdict, const std::string& detail) {
  fmt::print("verdict: {}\n", to_text(verdict));
  if (!detail.empty()) fmt::print("{}\n", detail);
  return verdict == Verdict::ok ? exit_done : exit_no_survivor;
}

int run_on_device(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                  const Configuration& default_configuration, Device& device, const Image& image) {
  if (sanitizers().any()) print_findings(spec, problem, configuration, default_configuration, device.info());
  const auto compile = [&device](const ImageRequest& request) {
    return device.compiler()->compile(std::span(&request, 1)).front();
  };
  const TrialSetup setup = trial_setup(spec, problem, default_configuration, device.info(), compile, seed);
  ProblemOnDevice on_device(device, setup);
  const std::shared_ptr<const Instance> instance = make_instance(1, spec, problem, configuration, device.info());
  Numerics numerics;
  Status status = on_device.load(instance->id, instance_launch(spec, *instance, image).steps);
  if (status.ok()) status = on_device.check(instance->id, numerics);
  if (!status.ok()) return show_verdict(status.verdict, status.detail);
  if (sanitizers().any()) {
    fmt::print("ran under the sanitizers {}: nothing found; largest error {:.3g}\n", sanitizers().text(),
               numerics.max_absolute);
    return show_verdict(Verdict::ok, "");
  }
  const DeviceTimes samples = on_device.sample(instance->id, TimingPlan{});
  if (!samples.status.ok()) return show_verdict(samples.status.verdict, samples.status.detail);
  const double nanoseconds = samples.nanoseconds.front();
  const std::string rate = rate_text(spec, problem, nanoseconds);
  fmt::print("one launch: {}{}; largest error {:.3g}{}\n", time_text(nanoseconds),
             rate.empty() ? "" : ", " + rate, numerics.max_absolute,
             setup.self_checked ? " (self-checked: there is no [[reference]])" : "");
  return show_verdict(Verdict::ok, "");
}

constexpr double sanitized_seconds = 600;

// Returns the sanitizers of --sanitize; nothing without it, and in the process started for it. Throws UsageError.
std::optional<Sanitizers> sanitizers_wanted(const Options& options) {
  const std::optional<std::string> names = options.text("sanitize");
  if (!names && options.has("time-limit")) throw UsageError("--time-limit is for --sanitize");
  if (!names) return std::nullopt;
  const Sanitizers wanted = parse_sanitizers(*names);
  if (const std::string device = device_name(options); device != "host")
    throw UsageError("--sanitize runs on the host device only, not on `" + device +
                     "`: add --device host (on a GPU use compute-sanitizer)");
  return sanitizers().any() ? std::nullopt : std::optional(wanted);
}

}  // namespace

int run_check(const Arguments& arguments) {
  Options options("attune check KERNEL|FILE.cu [options]",
                  "  attune check my_kernel.cu                                        # the default configuration\n"
                  "  attune check my_kernel.cu --configuration \"BLOCK=256 PAD=1\" --problem \"n=1000\"\n"
                  "  attune check my_kernel.cu --device sm_90                         # compile only, no GPU needed\n"
                  "  attune check my_kernel.cu --device host --sanitize address,undefined   # on the CPU, every access "
                  "watched\n",
                  {"kernel"});
  namespace po = boost::program_options;
  options.add()("configuration,c", po::value<std::string>(), "parameter values; those left out take their defaults")(
      "problem,p", po::value<std::string>(), "the problem: \"n=1000 T=float\"")(
      "device,d", po::value<std::string>(), "cuda, cuda:N, host, or an architecture such as sm_90 (compile only)")(
      "sanitize", po::value<std::string>(),
      "with --device host: run under `address`, `undefined` or `address,undefined`, which name the line, block and "
      "thread of a mistake")("time-limit", po::value<std::string>(),
                             "with --sanitize: when a run that has not ended is stopped (10m)");
  if (options.parse(arguments)) return exit_done;
  if (const std::optional<Sanitizers> wanted = sanitizers_wanted(options))
    return check_in_sanitized_process(*wanted, arguments, options.seconds("time-limit").value_or(sanitized_seconds));

  const KernelSpec spec = load_kernel(options.required("kernel"));
  const std::string name = device_name(options);
  const bool compile_only = is_architecture(name);
  const std::string kind = compile_only ? "cuda" : name.substr(0, name.find(':'));
  const Problem problem = parse_problem(spec, options.text("problem").value_or(""), kind);
  const std::unique_ptr<Device> device = compile_only ? nullptr : open_device(name);
  const DeviceInfo info = compile_only ? device_limits(name) : device->info();
  const SearchSpace space = make_space(spec, problem, info);
  const std::optional<Configuration> first = default_configuration(spec, space);
  const std::optional<std::string> given = options.text("configuration");
  if (!given && !first)
    return show_verdict(Verdict::restricted, spec.name + " has no legal configuration for " + problem.text() +
                                                 "; see: attune space " + options.required("kernel"));
  const Configuration configuration = given ? parse_configuration(spec, *given) : *first;

  fmt::print("{}  {}\n  configuration {}\n", spec.name, problem.text(), configuration.text());
  if (const std::vector<std::string> broken = space.broken_rules(configuration); !broken.empty()) {
    std::string text = "breaks:";
    for (const std::string& rule : broken) text += "\n  " + rule;
    return show_verdict(Verdict::restricted, text);
  }
  const ImageRequest request = image_request(spec, spec.launch, problem, &configuration, info);
  const std::shared_ptr<Compiler> compiler = compile_only ? make_compiler(name) : device->compiler();
  const CompileOutcome outcome = compiler->compile(std::span(&request, 1)).front();
  if (outcome.image) show_image(*outcome.image, outcome.milliseconds);
  if (!outcome.log.empty()) fmt::print("log:\n{}\n", outcome.log);
  if (!outcome.image) return show_verdict(outcome.verdict, "");
  if (compile_only) return show_verdict(Verdict::ok, "compiled only: an architecture runs nothing");
  return run_on_device(spec, problem, configuration, first.value_or(configuration), *device, *outcome.image);
}

}  // namespace attune::cli
