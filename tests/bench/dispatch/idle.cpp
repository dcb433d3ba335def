// Launches without a device below the seam: what remains is attune's own, over an indirect call.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "dispatch/kernel_entries.hpp"
#include "dispatch/plan_parts.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "support/idle_host.hpp"

namespace attune::bench {
namespace {

constexpr int known_problems = 10'000, samples = 101;

// It takes parameters as the device of a GPU does: without a copy of the operation.
class NoDevice final : public test::IdleDevice {
 public:
  Status enqueue_with(const Operation&, void** parameters, StreamHandle) override {
    asm volatile("" ::"r"(parameters) : "memory");
    return {};
  }
};

// The entries of the kernel on an idle device, with 10^4 problems that are known.
class Idle {
 public:
  explicit Idle(int problems = known_problems) {
    for (std::int64_t n = 1; n <= problems; ++n) entries_.plan({{"n", n}, {"T", "float"}}, Policy::wait);
    for (int n = 1; n <= problems; ++n) order_.push_back(n);
    std::shuffle(order_.begin(), order_.end(), std::mt19937(7));
  }

  PlannedParts plan(const std::shared_ptr<const KernelPack>& pack, const Problem& problem) const {
    const Configuration& configuration = pack->fallbacks.front();
    Match match;
    match.configuration = configuration;
    match.why = fmt::format("no wisdom for noop on idle; using the default (try: attune tune noop --problem \"{}\")",
                            problem.text());
    Status status;
    return {make_plan_parts(context_, {pack, &pack->spec}, {module_}, problem, std::move(match),
                            resolve_plan(pack->spec, problem, configuration, device_->info()), status)};
  }

  void driver(int launches) const {
    Device& device = *device_;
    Operation operation;
    for (int i = 0; i < launches; ++i) static_cast<void>(device.enqueue(operation, nullptr));
  }
  void plans(int launches) const {
    for (int i = 0; i < launches; ++i) {
      const std::array list{plan_argument(out_), plan_argument(in_), plan_argument(order_[0]), plan_argument(2.5f)};
      launch_plan(parts_, nullptr, list);
    }
  }
  // Each launch is of another problem than the one before.
  void kernels(int launches) {
    for (int i = 0; i < launches; ++i) {
      const int n = order_[static_cast<std::size_t>(i) % order_.size()];
      const std::array list{plan_argument(out_), plan_argument(in_), plan_argument(n), plan_argument(2.5f)};
      const ProblemValue values[] = {n};
      entries_.launch(Policy::wait, nullptr, values, list);
    }
  }

 private:
  std::shared_ptr<Device> device_ = std::make_shared<NoDevice>();
  std::shared_ptr<const PlanContext> context_ = std::make_shared<PlanContext>(device_);
  std::shared_ptr<Module> module_ = std::make_shared<test::IdleModule>();
  std::shared_ptr<const KernelPack> pack_ =
      std::make_shared<const KernelPack>(make_pack(read_embedded_kernel(attune_embedded::noop), "noop.cu"));
  Warnings warnings_{[](const std::string&) {}};
  RetiredPlans retired_;
  Background background_;
  EntryServices services_{device_,
                          [this](const std::shared_ptr<const KernelPack>& pack, const Problem& problem, Policy,
                                 const GradedMatch*) { return plan(pack, problem); },
                          warnings_,
                          background_,
                          retired_,
                          [] {}};
  KernelEntries entries_{*pack_, services_};
  std::vector<int> order_;
  float* out_ = reinterpret_cast<float*>(0x1000);
  const float* in_ = reinterpret_cast<float*>(0x2000);
  std::shared_ptr<const PlanParts> parts_;

 public:
  void fix_plan() { parts_ = plan(pack_, {{"n", order_[0]}, {"T", "float"}}).parts; }
};

// A dispatcher of the device on which nothing runs, which knows 10^4 problems.
class IdleDispatcher {
 public:
  IdleDispatcher() {
    test::use_idle_host();
    gpu_.emplace(DispatcherOptions{"host", folder_ / "none.db", folder_ / "cache", {}});
    gpu_->add(kernel_bundle(read_embedded_kernel(attune_embedded::noop), "noop.cu"));
    for (std::int64_t n = 1; n <= known_problems; ++n) problems_.push_back({{"n", n}, {"T", "float"}});
    gpu_->prepare("noop", problems_);
    std::shuffle(problems_.begin(), problems_.end(), std::mt19937(7));
  }
  ~IdleDispatcher() {
    gpu_.reset();
    std::filesystem::remove_all(folder_);
  }
  // Each request is for another problem than the one before.
  void plans(int requests) {
    for (int i = 0; i < requests; ++i)
      static_cast<void>(gpu_->plan("noop", problems_[static_cast<std::size_t>(i) % problems_.size()]));
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("attune-dispatch-bench-{}", getpid());
  std::optional<Dispatcher> gpu_;
  std::vector<Problem> problems_;
};

// Returns how often a second all threads together do one of what `run` does so often.
double rate(unsigned threads, int times, const std::function<void(int)>& run) {
  std::vector<std::jthread> pool;
  const double begin = now_ns();
  for (unsigned t = 0; t < threads; ++t) pool.emplace_back([&] { run(times); });
  for (std::jthread& thread : pool) thread.join();
  return 1e9 * threads * times / (now_ns() - begin);
}

// What the machine itself gives: arithmetic that touches no memory and fills a core. Where two processors share a core,
// two threads of it are less than twice as fast as one.
void compute(int times) {
  std::uint64_t a = 1, b = 2, c = 3, d = 4;
  for (int i = 0; i < 50 * times; ++i) {
    a = (a ^ a >> 7) + 1;
    b = (b ^ b >> 7) + 1;
    c = (c ^ c >> 7) + 1;
    d = (d ^ d >> 7) + 1;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
}

// Prints what share of so many threads' rate, each as fast as one alone, they reach together.
void print_scaling(Idle& idle, int launches) {
  const std::vector<std::pair<const char*, std::function<void(int)>>> kinds{
      {"arithmetic", compute}, {"Plan::launch", [&](int n) { idle.plans(n); }}, {"Kernel::launch", [&](int n) {
                                                                                   idle.kernels(n);
                                                                                 }}};
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned threads = 2; threads <= cores; threads *= 2) {
    fmt::print("  {:3} threads, of linear:", threads);
    for (const auto& [name, run] : kinds) {
      std::vector<double> shares;
      for (int i = 0; i < 15; ++i) {
        const double alone = rate(1, launches, run);
        shares.push_back(rate(threads, launches, run) / (threads * alone));
      }
      fmt::print("  {} {:4.2f}", name, median(shares));
    }
    fmt::print("\n");
  }
}

// Returns the memory of this process, in bytes.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

int run_memory(int problems) {
  const Idle few(1);
  const std::uint64_t before = resident_bytes();
  const Idle many(problems);
  const auto order = static_cast<std::uint64_t>(problems) * sizeof(int);  // the bench's own
  fmt::print("a known problem, of {}: {} bytes\n", problems,
             (resident_bytes() - before - order) / static_cast<std::uint64_t>(problems));
  return 0;
}

int run_idle(int launches) {
  Idle idle;
  idle.fix_plan();
  IdleDispatcher dispatcher;
  std::vector<Contender> contenders{{"driver", [&](int n) { idle.driver(n); }},
                                    {"plan", [&](int n) { idle.plans(n); }},
                                    {"kernel", [&](int n) { idle.kernels(n); }},
                                    {"request", [&](int n) { dispatcher.plans(n); }}};
  interleave(contenders, samples, launches);
  const double driver = median(contenders[0].ns);
  fmt::print("no device below the seam; medians of {} interleaved batches of {} launches\n", samples, launches);
  fmt::print("  {:34} {:7.1f} ns\n", "the call below the seam", driver);
  fmt::print("  {:34} {:7.1f} ns over it\n", "Plan::launch", median(contenders[1].ns) - driver);
  fmt::print("  {:34} {:7.1f} ns over it\n", "Kernel::launch, one of 10^4", median(contenders[2].ns) - driver);
  fmt::print("  {:34} {:7.1f} ns\n", "Dispatcher::plan, one of 10^4", median(contenders[3].ns));
  print_scaling(idle, 20 * launches);
  return 0;
}

}  // namespace attune::bench
