// Images per second that compiling alone reaches, in one process and in as many as there are cores: the bound of a
// tuning session whose compiles dominate.
//   compile_rate KERNEL "PROBLEM" ARCHITECTURE [SECONDS [PROCESSES...]]
// The images of all legal configurations, each once, in random order, shared out among the processes, each with a
// compiler of its own. After SECONDS (0: never) no process begins another. Prints one JSON object per number of
// processes: {"processes", "distinct", "images", "failed", "seconds", "per_second"}. The time includes forking and
// loading the compiler. No GPU is needed. CUDA_CACHE_DISABLE=1 keeps the driver's cache from answering.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "attune/search_space.hpp"
#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  std::size_t images = 0, failed = 0;
};

std::vector<ImageRequest> distinct_requests(const std::string& kernel, const std::string& text,
                                            const std::string& architecture) {
  const DeviceInfo device = device_limits(architecture);
  const KernelSpec spec = load_kernel(kernel);
  const Problem problem = parse_problem(spec, text, device.kind);
  const SearchSpace space = make_space(spec, problem, device);
  std::vector<ImageRequest> requests;
  std::set<std::string> known;
  for (SpaceSize i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    ImageRequest request = launch_image_request(spec, problem, configuration, device);
    request.architecture = architecture;
    if (known.insert(request.key("")).second) requests.push_back(std::move(request));
  }
  std::mt19937_64 random(1);
  std::shuffle(requests.begin(), requests.end(), random);
  return requests;
}

// Every `step`-th request from `first` on.
Counts compile_share(const std::vector<ImageRequest>& requests, std::size_t first, std::size_t step,
                     Clock::time_point deadline) {
  const std::shared_ptr<Compiler> compiler = make_compiler(requests.front().architecture);
  Counts counts;
  for (std::size_t i = first; i < requests.size() && Clock::now() < deadline; i += step) {
    const CompileOutcome outcome = std::move(compiler->compile({&requests[i], 1}).front());
    ++counts.images;
    counts.failed += !outcome.image;
  }
  return counts;
}

// The child ends by exit(), as programs do.
[[noreturn]] void become_compiler(const std::vector<ImageRequest>& requests, std::size_t first, std::size_t step,
                                  Clock::time_point deadline, int output) {
  int code = 1;
  try {
    const Counts counts = compile_share(requests, first, step, deadline);
    if (write(output, &counts, sizeof counts) == static_cast<ssize_t>(sizeof counts)) code = 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "compile_rate: {}\n", error.what());
  }
  std::exit(code);
}

void measure(const std::vector<ImageRequest>& requests, std::size_t processes, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("cannot make a pipe");
  const auto begin = Clock::now();
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto deadline = seconds > 0 ? begin + limit : Clock::time_point::max();
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) throw Error("cannot fork");
    if (child == 0) become_compiler(requests, i, processes, deadline, ends[1]);
    children.push_back(child);
  }
  close(ends[1]);
  Counts total, counts;
  while (read(ends[0], &counts, sizeof counts) == static_cast<ssize_t>(sizeof counts)) {
    total.images += counts.images;
    total.failed += counts.failed;
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  close(ends[0]);
  bool ended_well = true;
  for (const pid_t child : children) {
    int status = 0;
    ended_well = waitpid(child, &status, 0) == child && status == 0 && ended_well;
  }
  if (!ended_well) throw Error("a compiling process failed");
  fmt::print(
      "{{\"processes\":{},\"distinct\":{},\"images\":{},\"failed\":{},\"seconds\":{:.3f},\"per_second\":{:.3f}}}\n",
      processes, requests.size(), total.images, total.failed, took, static_cast<double>(total.images) / took);
  std::fflush(stdout);
}

void run(int count, char** values) {
  const std::vector<ImageRequest> requests = distinct_requests(values[1], values[2], values[3]);
  if (requests.empty()) throw Error(fmt::format("{} has no legal configuration for {}", values[1], values[2]));
  const double seconds = count > 4 ? std::atof(values[4]) : 0;
  std::vector<std::size_t> numbers;
  for (int i = 5; i < count; ++i) numbers.push_back(static_cast<std::size_t>(std::max(std::atoi(values[i]), 1)));
  if (numbers.empty()) numbers = {1, std::max<std::size_t>(std::thread::hardware_concurrency(), 1)};
  for (const std::size_t processes : numbers) measure(requests, processes, seconds);
}

}  // namespace
}  // namespace attune

int main(int count, char** values) {
  if (count < 4) {
    fmt::print(stderr, "usage: compile_rate KERNEL \"PROBLEM\" ARCHITECTURE [SECONDS [PROCESSES...]]\n");
    return 2;
  }
  try {
    attune::run(count, values);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compile_rate: {}\n", error.what());
    return 1;
  }
}
