// attune check
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/counted.hpp"
#include "base/regular_file.hpp"
#include "check_report.hpp"
#include "device/cuda/launched_log.hpp"
#include "draft/draft.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "sanitize.hpp"
#include "session/explanations.hpp"
#include "spec/front_matter.hpp"
#include "spec/kernel_file.hpp"
#include "spec/unmentioned.hpp"
#include "stored.hpp"
#include "subject/kernel_setup.hpp"
#include "subject/kernel_subject.hpp"
#include "subject/unfilled.hpp"
#include "text.hpp"
#include "worker.hpp"
#include "worker/pool.hpp"

namespace attune::cli {
namespace {

constexpr std::uint64_t seed = 1;

// The time of --time-limit is up.
class TimeIsUp : public Error {
 public:
  explicit TimeIsUp(double seconds) : Error(fmt::format("it was stopped after {:g} s, its --time-limit", seconds)) {}
};

// The jobs of one check, one after the other, in workers: what a kernel does to its process is a verdict.
class CheckJobs {
 public:
  CheckJobs(Workers& workers, double seconds) : pool_(workers), seconds_(seconds) { pool_.set_deaths_to_verdict(1); }
  // Of a check that compiles only.
  CheckJobs(Workers& workers, const DeviceInfo& compiled_for, double seconds)
      : pool_(workers, compiled_for), seconds_(seconds) {}

  const DeviceInfo& device() { return pool_.device().info; }
  CompileOutcome compile(const ImageRequest& request) {
    return std::get<CompileAnswer>(run(request).answer).outcomes.front();
  }
  // Does a DeviceJob, or compiles an image. Throws TimeIsUp, and Error when no configuration is at fault.
  Result run(auto job) {
    std::fflush(stdout);  // a kernel may print
    pool_.submit(std::move(job));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    std::optional<Result> result = pool_.next(Pool::never, seconds_ - spent.count());
    if (!result) throw TimeIsUp(seconds_);
    if (result->error) std::rethrow_exception(result->error);
    if (const auto* failure = std::get_if<Failure>(&result->answer)) throw_failure(*failure);
    return std::move(*result);
  }

 private:
  Pool pool_;
  const double seconds_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A configuration, resolved for a device.
struct CheckCase {
  const KernelSpec& spec;
  const Problem& problem;
  const Configuration& configuration;
  const Configuration& default_configuration;
};

// Checks and samples it once.
int run_on_device(const CheckCase& subject, const Image& image, CheckJobs& jobs, CheckReport& report) {
  const auto& [spec, problem, configuration, default_configuration] = subject;
  if (sanitizers().any()) print_findings(spec, problem, configuration, default_configuration, jobs.device());
  const KernelSubject kernel(spec, problem, jobs.device());
  const TrialSetup setup = kernel.setup(
      default_configuration, [&](const ImageRequest& request) { return jobs.compile(request); }, seed);
  report.show_tolerances(setup.arguments);
  try {
    jobs.run(Begin{setup});
  } catch (const StepsFailure& failed) {
    if (is_of_data(failed.verdict)) report.show_note(unfilled_explanation(spec, problem));
    // Without a reference the default configuration makes what is expected.
    if (!setup.self_checked || !(configuration == default_configuration)) throw;
    return report.show_verdict(failed.verdict, failed.what());
  }
  const std::shared_ptr<const Instance> instance = kernel.prepare(1, configuration);
  const Result checked = jobs.run(Load{instance_launch(*instance, image), {}});
  const auto& [status, numerics, unused, free_bytes] = std::get<TryAnswer>(checked.answer);
  if (is_of_data(status.verdict)) report.show_note(unfilled_explanation(spec, problem));
  if (!status.ok()) return report.show_verdict(status.verdict, status.detail);
  if (sanitizers().any()) {
    report.show_clean_launch(sanitizers().text(), numerics);
    return report.show_verdict(Verdict::ok, "");
  }
  const Result timed = jobs.run(Rounds{{instance->id}, TimingPlan{}});
  const auto& sampled = std::get<RoundsAnswer>(timed.answer);
  if (!sampled.status.ok()) return report.show_verdict(sampled.status.verdict, sampled.status.detail);
  report.show_launch(spec, problem, configuration, sampled.samples_ns.front(), numerics, setup.self_checked);
  return report.show_verdict(Verdict::ok, "");
}

// The problem and the configuration that the options ask for.
class CheckRequest {
 public:
  CheckRequest(const KernelSpec& spec, const Options& options, const std::string& kind, const DeviceInfo& device,
               CheckReport& report)
      : spec_(spec),
        options_(options),
        problem_(parse_problem(spec, options.text("problem").value_or(""), kind)),
        space_(make_space(spec, problem_, device)),
        default_(default_configuration(spec, problem_, device)) {
    if (const std::optional<std::string> given = options.text("configuration"))
      configuration_ = parse_configuration(spec, *given);
    else
      configuration_ = default_;
    report.show_subject(spec, problem_, configuration_ ? &*configuration_ : nullptr);
    report.show_note(unmentioned_text(spec));
    if (configuration_) broken_ = space_.broken_rules(*configuration_);
  }
  bool is_legal() const { return configuration_ && broken_.empty(); }
  int show_why_not(CheckReport& report) const {
    if (!configuration_)
      return report.show_verdict(Verdict::restricted, spec_.name + " has no legal configuration for " +
                                                          problem_.text() +
                                                          "; see: " + space_command(options_, problem_.text()));
    return report.show_verdict(Verdict::restricted, fmt::format("breaks:\n  {}", fmt::join(broken_, "\n  ")));
  }
  ImageRequest request(const DeviceInfo& device) const {
    return launch_image_request(spec_, problem_, *configuration_, device);
  }
  CheckCase subject() const { return {spec_, problem_, *configuration_, default_ ? *default_ : *configuration_}; }

 private:
  const KernelSpec& spec_;
  const Options& options_;
  const Problem problem_;
  const SearchSpace space_;
  const std::optional<Configuration> default_;
  std::optional<Configuration> configuration_;
  std::vector<std::string> broken_;
};

// Prints what the compiler says. Returns whether there is an image.
bool show_compiled(const CompileOutcome& outcome, const CheckCase& subject, const DeviceInfo& device,
                   CheckReport& report) {
  if (outcome.image) {
    const auto& [spec, problem, configuration, unused] = subject;
    report.show_image(*outcome.image, outcome.milliseconds,
                      resolve_steps(spec, spec.launch, problem, &configuration, device), device);
  }
  report.show_log(outcome.image ? cuda::launched_log(outcome.log, outcome.image->functions) : outcome.log);
  return outcome.image.has_value();
}

// Compiles for an architecture what `attune tune` would: the configuration, [[prepare]] and the reference.
int compile_only(const KernelSpec& spec, const Options& options, const std::string& architecture, CheckReport& report) {
  const DeviceInfo device = device_limits(architecture);
  const std::unique_ptr<Workers> workers = workers_for(architecture);
  CheckJobs jobs(*workers, device, options.seconds("time-limit").value_or(Pool::forever));
  const auto compile = [&](const ImageRequest& request) { return jobs.compile(request); };
  const CheckRequest chosen(spec, options, "cuda", device, report);
  if (!chosen.is_legal()) return chosen.show_why_not(report);
  const CompileOutcome outcome = compile(chosen.request(device));
  const CheckCase subject = chosen.subject();
  if (!show_compiled(outcome, subject, device, report)) return report.show_verdict(outcome.verdict, "");
  const TrialSetup setup = trial_setup(spec, subject.problem, subject.default_configuration, device, compile, seed);
  report.show_tolerances(setup.arguments);
  return report.show_verdict(Verdict::ok, "compiled only: an architecture runs nothing");
}

// Workers in this process where the sanitizers are. Else they are processes, which print unless standard output is
// for JSON.
std::unique_ptr<Workers> workers_of(Device* sanitized, const std::string& name, const Options& options) {
  if (sanitized != nullptr) return std::make_unique<LocalWorkers>(*sanitized);
  WorkerOptions wanted = worker_options(options);
  wanted.shows_output = !options.has("json");
  return workers_for(name, wanted);
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
  if (options.has("json")) throw UsageError("--sanitize prints text only: leave --json out");
  return sanitizers().any() ? std::nullopt : std::optional(wanted);
}

// Checks a kernel, and ends the report. Returns the exit code.
int check(const KernelSpec& spec, const Options& options, CheckReport& report) try {
  const std::string name = device_name(options);
  if (options.has("worker") && (is_architecture(name) || sanitizers().any()))
    throw UsageError("--worker runs kernels, which this check does not do in a worker: leave --worker out");
  if (is_architecture(name)) return compile_only(spec, options, name, report);
  const std::unique_ptr<Device> sanitized = sanitizers().any() ? open_device(name) : nullptr;
  const std::unique_ptr<Workers> workers = workers_of(sanitized.get(), name, options);
  CheckJobs jobs(*workers, options.seconds("time-limit").value_or(Pool::forever));
  const CheckRequest chosen(spec, options, name.substr(0, name.find(':')), jobs.device(), report);
  if (!chosen.is_legal()) return chosen.show_why_not(report);
  const CompileOutcome outcome = jobs.compile(chosen.request(jobs.device()));
  if (!show_compiled(outcome, chosen.subject(), jobs.device(), report)) return report.show_verdict(outcome.verdict, "");
  return run_on_device(chosen.subject(), *outcome.image, jobs, report);
} catch (const TimeIsUp& up) {
  return report.show_verdict(Verdict::timeout, up.what());
}

// Prints which lines of a file that `attune new` has begun are still to be filled in.
void note_marks_left(const std::string& file) {
  const auto [text, why] = read_regular_file(file, std::uint64_t{4} << 20);
  if (!why.empty()) return;
  std::vector<std::size_t> lines;
  for (const draft::Mark& mark : draft::marks_in(text.substr(0, split_front_matter(text, file).closing)))
    if (mark.text.find("FILL IN: ") != std::string::npos) lines.push_back(mark.line);
  if (!lines.empty())
    put_text("note: {}\n", in_lines(fmt::format("{} of the front matter {} still to be filled in (# FILL IN): {}",
                                                counted(lines.size(), "line"), lines.size() == 1 ? "is" : "are",
                                                fmt::join(lines, ", ")),
                                    6));
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
  options.add()("configuration,c", named_value("VALUES"), "parameter values; those left out take their defaults")(
      "problem,p", named_value("PROBLEM"), "the problem: \"n=1000 T=float\"")(
      "device,d", named_value("DEVICE"), "cuda, cuda:N, host, or an architecture such as sm_90 (compile only)")(
      "sanitize", named_value("SANITIZERS"),
      "with --device host: run under `address`, `undefined` or `address,undefined`, which name the line, block and "
      "thread of a mistake")("time-limit", named_value("TIME"),
                             "stops what has not ended by then: 5s, 1m (with --sanitize 10m unless given)")(
      "json", "one JSON object instead of text; what the kernel prints is not shown");
  add_worker_option(options);
  if (options.parse(arguments)) return exit_done;
  if (const std::optional<Sanitizers> wanted = sanitizers_wanted(options))
    return check_in_sanitized_process(*wanted, arguments, options.seconds("time-limit").value_or(sanitized_seconds));

  const EndReport end;
  const KernelSpec spec = find_kernel(options, options.required("kernel"));
  CheckReport report(options.has("json"));
  const int code = check(spec, options, report);
  if (!options.has("json") && is_kernel_file(options.required("kernel"))) note_marks_left(options.required("kernel"));
  return code;
}

}  // namespace attune::cli
