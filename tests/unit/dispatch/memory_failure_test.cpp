// A compiler that has no memory for a moment, on a device on which nothing runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

Verdict answer = Verdict::ok;  // of the compiler

class FailingCompiler final : public Compiler {
 public:
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    if (answer == Verdict::ok) return sound_.compile(requests);
    std::vector<CompileOutcome> outcomes(requests.size());
    for (CompileOutcome& outcome : outcomes) {
      outcome.verdict = answer;
      outcome.log = "catastrophic error: out of memory";
    }
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return sound_.toolchain(); }
  bool disturbs_timing() const noexcept override { return false; }

 private:
  test::IdleCompiler sound_;
};

class FailingHost final : public test::IdleDevice {
 public:
  FailingHost() { info_.kind = "host"; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return std::make_shared<FailingCompiler>(); }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<test::IdleModule>()}; }

 private:
  DeviceInfo info_;
};

class MemoryFailure : public testing::TestWithParam<Verdict> {
 protected:
  MemoryFailure() {
    set_host_device({[]() -> std::unique_ptr<Device> { return std::make_unique<FailingHost>(); },
                     []() -> std::shared_ptr<Compiler> { return std::make_shared<FailingCompiler>(); },
                     [] { return std::string("idle"); }});
  }
  ~MemoryFailure() override {
    answer = Verdict::ok;
    std::filesystem::remove_all(folder_);
  }
  DispatcherOptions options() const {
    DispatcherOptions chosen;
    chosen.device = "host";
    chosen.database = folder_ / "absent.db";
    chosen.cache = folder_ / "cache";
    return chosen;
  }
  static Bundle kernel() {
    return kernel_bundle(read_kernel_text(R"cu(/*attune
[kernel]
name = "memory"
deterministic = "true"
[problem]
n = "size"
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "memory<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["data", "n"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
n = { type = "int64" }
*/
template <int BLOCK> __global__ void memory(int* data, long long n) {}
)cu",
                                          "memory.cu"),
                         "memory.cu");
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("attune-memory-" + std::to_string(getpid()));
};

TEST_P(MemoryFailure, IsTriedAgain) {
  Dispatcher gpu(options());
  gpu.add(kernel());
  answer = GetParam();
  EXPECT_THAT(message_of<Error>([&] { gpu.plan("memory", {{"n", 1001}}); }), HasSubstr("out of memory"));
  answer = Verdict::ok;
  EXPECT_EQ(gpu.plan("memory", {{"n", 1001}}).configuration().text(), "BLOCK=64");
}

// Another configuration in its place would be of this run alone.
TEST_P(MemoryFailure, IsAnErrorWhereOnlyDeterministicConfigurationsAreAllowed) {
  DispatcherOptions chosen = options();
  chosen.deterministic_only = true;
  Dispatcher gpu(chosen);
  gpu.add(kernel());
  answer = GetParam();
  EXPECT_THAT(message_of<Error>([&] { gpu.plan("memory", {{"n", 1001}}); }), HasSubstr("no other one takes its place"));
  answer = Verdict::ok;
  EXPECT_EQ(gpu.plan("memory", {{"n", 1001}}).configuration().text(), "BLOCK=64");
}

INSTANTIATE_TEST_SUITE_P(Verdicts, MemoryFailure, testing::Values(Verdict::compile_crash, Verdict::out_of_memory),
                         [](const auto& verdict) { return std::string(to_text(verdict.param)); });

}  // namespace
}  // namespace attune
