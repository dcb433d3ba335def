// A dispatcher with one kernel on a device on which nothing runs, whose compiler can be held up.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>
#include <semaphore>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"
#include "support/made_record.hpp"

namespace attune {

inline std::atomic<bool> is_captured = false, has_compiler_failed = false;
inline std::atomic<long> loaded = 0;
inline std::atomic<int> last_block = 0, held_block = 0;
inline std::counting_semaphore<> reached(0), released(0);  // of the compile of `held_block`

// The number in "block<128>".
inline int block_of(std::string_view entry) { return std::stoi(std::string(entry.substr(entry.find('<') + 1))); }

class BlockModule final : public Module {
 public:
  BlockModule() { ++loaded; }
  ~BlockModule() override { --loaded; }
  FunctionHandle function(std::string_view expression, const LaunchShape&, Status&) override {
    block_ = block_of(expression);
    return &block_;
  }
  Variable variable(std::string_view, Status&) override { return {}; }

 private:
  std::atomic<int> block_ = 0;  // of the one entry of its image
};

class SlowCompiler final : public Compiler {
 public:
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    if (has_compiler_failed) throw Error("the compiler is gone");
    if (block_of(requests[0].expressions[0]) == held_block) {
      reached.release();
      released.acquire();
    }
    return idle_.compile(requests);
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return idle_.toolchain(); }
  bool disturbs_timing() const noexcept override { return false; }

 private:
  test::IdleCompiler idle_;
};

class BlockHost final : public test::IdleDevice {
 public:
  BlockHost() { info_.kind = "host"; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return std::make_shared<SlowCompiler>(); }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<BlockModule>()}; }
  bool is_captured(StreamHandle) override { return attune::is_captured; }
  Status keep_in_graph(StreamHandle, std::shared_ptr<const void>) override { return {}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    last_block = static_cast<const std::atomic<int>*>(operation.function)->load();
    return {};
  }

 private:
  DeviceInfo info_;
};

inline constexpr EmbeddedFile block_kernel{"block.cu", R"cu(/*attune
[kernel]
name = "block"
[problem]
n = "size"
[parameters]
BLOCK = [64, 128, 256, 512]
[[launch]]
entry = "block<BLOCK>"
grid = ["n"]
block = ["BLOCK"]
arguments = ["out", "n"]
[arguments]
out = { type = "float", size = "n", role = "out" }
n = { type = "int64" }
*/
template <int BLOCK> __global__ void block(float* out, long long n) {}
)cu"};

class PlanTable : public testing::Test {
 protected:
  PlanTable() {
    set_host_device({[]() -> std::unique_ptr<Device> { return std::make_unique<BlockHost>(); },
                     []() -> std::shared_ptr<Compiler> { return std::make_shared<SlowCompiler>(); },
                     [] { return std::string("idle"); }});
    is_captured = has_compiler_failed = false;
    held_block = last_block = 0;
    folder_ = std::filesystem::temp_directory_path() / fmt::format("attune-plans-{}", getpid());
    std::filesystem::create_directories(folder_ / "data");
    open();
  }
  ~PlanTable() override {
    gpu_.reset();
    EXPECT_EQ(loaded, 0);
    std::filesystem::remove_all(folder_);
  }
  // Another process, as far as the dispatcher can tell.
  void open() {
    gpu_.reset();
    DispatcherOptions options{"host", database(), folder_ / "cache",
                              [this](const std::string& message) { warn_(message); }};
    gpu_.emplace(options);
    gpu_->add(kernel_bundle(spec_, spec_.source.name));
  }
  std::filesystem::path database() const { return folder_ / "data" / "wisdom.db"; }
  void remember(std::int64_t n, int block, int trials = 5) {
    Record record = made_record(spec_, gpu_->device_info(), {{"n", n}}, {{"BLOCK", block}}, "idle 1.0");
    record.trials = trials;
    record.made_ms += trials;
    WisdomStore(database()).put_record(record);
  }
  int launch(Policy policy, std::int64_t n = 1000) {
    gpu_->kernel("block", policy).launch(nullptr, {n}, out_, n);
    return last_block;
  }
  std::string planned(Policy policy, std::int64_t n = 1000) {
    return gpu_->plan("block", {{"n", n}}, policy).configuration().text();
  }
  std::uint64_t plans() const {
    const auto made = gpu_->statistics().plans;
    return std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  }
  // Caches the image of the default alone.
  void cache_default() {
    EXPECT_EQ(planned(Policy::wait, 7), "BLOCK=64");
    open();
  }
  static void wait_until_it_is_asked_again() { std::this_thread::sleep_for(std::chrono::milliseconds(1100)); }

  std::filesystem::path folder_;
  KernelSpec spec_ = read_embedded_kernel(block_kernel);
  std::function<void(const std::string&)> warn_ = [](const std::string&) {};
  std::optional<Dispatcher> gpu_;
  float* out_ = reinterpret_cast<float*>(0x1000);
};

}  // namespace attune
