// attune check
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "sanitize.hpp"
#include "spec/kernel_file.hpp"
#include "text.hpp"
#include "worker.hpp"
#include "worker/pool.hpp"

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

// The time of --time-limit is up.
class TimeIsUp : public Error {
 public:
  explicit TimeIsUp(double seconds) : Error(fmt::format("it was stopped after {:g} s, its --time-limit", seconds)) {}
};

// The jobs of one check, one after the other, in workers: what a kernel does to its process is a verdict.
class CheckJobs {
 public:
  CheckJobs(Workers& workers, double seconds) : pool_(workers), seconds_(seconds) { pool_.set_deaths_to_verdict(1); }

  const DeviceInfo& device() { return pool_.device().info; }
  CompileOutcome compile(const ImageRequest& request) {
    return std::get<ImagesCompiled>(run(Compile{{request}}).answer).outcomes.front();
  }
  // Throws TimeIsUp, and Error when no configuration is at fault.
  Result run(Job job) {
    std::fflush(stdout);  // a kernel may print
    pool_.submit(std::move(job));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    std::optional<Result> result = pool_.next(Pool::never, seconds_ - spent.count());
    if (!result) throw TimeIsUp(seconds_);
    if (const auto* failure = std::get_if<Failure>(&result->answer)) throw_failure(*failure);
    return std::move(*result);
  }

 private:
  Pool pool_;
  const double seconds_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A configuration, resolved for a device.
struct Subject {
  const KernelSpec& spec;
  const Problem& problem;
  const Configuration& configuration;
  const Configuration& default_configuration;
};

// Checks and samples it once.
int run_on_device(const Subject& subject, const Image& image, CheckJobs& jobs) {
  const auto& [spec, problem, configuration, default_configuration] = subject;
  if (sanitizers().any()) print_findings(spec, problem, configuration, default_configuration, jobs.device());
  const TrialSetup setup = trial_setup(
      spec, problem, default_configuration, jobs.device(),
      [&](const ImageRequest& request) { return jobs.compile(request); }, seed);
  jobs.run(Begin{setup});
  const std::shared_ptr<const Instance> instance = make_instance(1, spec, problem, configuration, jobs.device());
  const Result checked = jobs.run(Load{instance_launch(spec, *instance, image), {}});
  const auto& [status, numerics, unused, free_bytes] = std::get<Tried>(checked.answer);
  if (!status.ok()) return show_verdict(status.verdict, status.detail);
  if (sanitizers().any()) {
    fmt::print("ran under the sanitizers {}: nothing found; largest error {:.3g}\n", sanitizers().text(),
               numerics.max_absolute);
    return show_verdict(Verdict::ok, "");
  }
  const Result timed = jobs.run(Rounds{{instance->id}, TimingPlan{}});
  const auto& sampled = std::get<RoundsSampled>(timed.answer);
  if (!sampled.status.ok()) return show_verdict(sampled.status.verdict, sampled.status.detail);
  const double nanoseconds = sampled.samples_ns.front();
  const std::string rate = rate_text(spec, problem, nanoseconds);
  fmt::print("one launch: {}{}; largest error {:.3g}{}\n", time_text(nanoseconds), rate.empty() ? "" : ", " + rate,
             numerics.max_absolute, setup.self_checked ? " (self-checked: there is no [[reference]])" : "");
  return show_verdict(Verdict::ok, "");
}

// The problem and the configuration that the options ask for.
class Chosen {
 public:
  Chosen(const KernelSpec& spec, const Options& options, const std::string& kind, const DeviceInfo& device)
      : spec_(spec),
        file_(options.required("kernel")),
        problem_(parse_problem(spec, options.text("problem").value_or(""), kind)),
        space_(make_space(spec, problem_, device)),
        default_(default_configuration(spec, space_)) {
    if (const std::optional<std::string> given = options.text("configuration"))
      configuration_ = parse_configuration(spec, *given);
    else
      configuration_ = default_;
    if (!configuration_) return;
    fmt::print("{}  {}\n  configuration {}\n", spec.name, problem_.text(), configuration_->text());
    broken_ = space_.broken_rules(*configuration_);
  }
  bool is_legal() const { return configuration_ && broken_.empty(); }
  int show_why_not() const {
    if (!configuration_)
      return show_verdict(Verdict::restricted, spec_.name + " has no legal configuration for " + problem_.text() +
                                                   "; see: attune space " + file_);
    return show_verdict(Verdict::restricted, fmt::format("breaks:\n  {}", fmt::join(broken_, "\n  ")));
  }
  ImageRequest request(const DeviceInfo& device) const {
    return image_request(spec_, spec_.launch, problem_, &*configuration_, device);
  }
  Subject subject() const { return {spec_, problem_, *configuration_, default_ ? *default_ : *configuration_}; }

 private:
  const KernelSpec& spec_;
  const std::string file_;
  const Problem problem_;
  const SearchSpace space_;
  const std::optional<Configuration> default_;
  std::optional<Configuration> configuration_;
  std::vector<std::string> broken_;
};

// Prints what the compiler says. Returns whether there is an image.
bool show_compiled(const CompileOutcome& outcome) {
  if (outcome.image) show_image(*outcome.image, outcome.milliseconds);
  if (!outcome.log.empty()) fmt::print("log:\n{}\n", outcome.log);
  return outcome.image.has_value();
}

// Compiles for an architecture what `attune tune` would: the configuration, [[prepare]] and the reference.
int compile_only(const KernelSpec& spec, const Options& options, const std::string& architecture) {
  const DeviceInfo device = device_limits(architecture);
  const std::shared_ptr<Compiler> compiler = make_compiler(architecture);
  const auto compile = [&](const ImageRequest& request) { return compiler->compile(std::span(&request, 1)).front(); };
  const Chosen chosen(spec, options, "cuda", device);
  if (!chosen.is_legal()) return chosen.show_why_not();
  const CompileOutcome outcome = compile(chosen.request(device));
  if (!show_compiled(outcome)) return show_verdict(outcome.verdict, "");
  const Subject subject = chosen.subject();
  trial_setup(spec, subject.problem, subject.default_configuration, device, compile, seed);
  return show_verdict(Verdict::ok, "compiled only: an architecture runs nothing");
}

constexpr double sanitized_seconds = 600;

// Returns the sanitizers of --sanitize; nothing without it, and in the process started for it. Throws UsageError.
std::optional<Sanitizers> sanitizers_wanted(const Options& options) {
  const std::optional<std::string> names = options.text("sanitize");
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
                             "stops what has not ended by then: 5s, 1m (with --sanitize 10m unless given)");
  if (options.parse(arguments)) return exit_done;
  if (const std::optional<Sanitizers> wanted = sanitizers_wanted(options))
    return check_in_sanitized_process(*wanted, arguments, options.seconds("time-limit").value_or(sanitized_seconds));

  const KernelSpec spec = load_kernel(options.required("kernel"));
  const std::string name = device_name(options);
  if (is_architecture(name)) return compile_only(spec, options, name);
  const std::unique_ptr<Device> sanitized = sanitizers().any() ? open_device(name) : nullptr;
  const std::unique_ptr<Workers> workers =
      sanitized ? std::unique_ptr<Workers>(std::make_unique<LocalWorkers>(*sanitized)) : printing_workers_for(name);
  try {
    CheckJobs jobs(*workers, options.seconds("time-limit").value_or(Pool::forever));
    const Chosen chosen(spec, options, name.substr(0, name.find(':')), jobs.device());
    if (!chosen.is_legal()) return chosen.show_why_not();
    const CompileOutcome outcome = jobs.compile(chosen.request(jobs.device()));
    if (!show_compiled(outcome)) return show_verdict(outcome.verdict, "");
    return run_on_device(chosen.subject(), *outcome.image, jobs);
  } catch (const TimeIsUp& up) {
    return show_verdict(Verdict::timeout, up.what());
  }
}

}  // namespace attune::cli
