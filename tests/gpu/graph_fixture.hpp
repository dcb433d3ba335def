// For tests of launches in CUDA graphs: a dispatcher on a GPU, captures and graphs by the driver.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"
#include "attune/kernel_files.hpp"
#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/partials_kernel.hpp"

namespace attune {

// A function of the driver that attune does not use.
template <typename Function>
Function driver_function(const char* exported) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto function = reinterpret_cast<Function>(dlsym(driver, exported));
  EXPECT_NE(function, nullptr) << exported;
  return function;
}

// A graph and what runs it. Either may be destroyed first.
class Graph {
 public:
  explicit Graph(CUgraph_st* graph) : graph_(graph) {}
  Graph(Graph&& other) noexcept
      : graph_(std::exchange(other.graph_, nullptr)), executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph() {
    drop_graph();
    if (executable_ != nullptr) {
      EXPECT_EQ(api().graph_exec_destroy(executable_), 0);
    }
  }
  static const cuda::DriverApi& api() { return cuda::require_driver(); }
  CUgraph_st* graph() const { return graph_; }
  CUgraphExec_st* executable() const { return executable_; }
  void drop_graph() {
    if (graph_ != nullptr) {
      EXPECT_EQ(api().graph_destroy(std::exchange(graph_, nullptr)), 0);
    }
  }
  void instantiate() { ASSERT_EQ(api().graph_instantiate(&executable_, graph_, 0), 0); }
  // Instantiates at the first call.
  void launch(CUstream_st* stream) {
    if (executable_ == nullptr) instantiate();
    ASSERT_NE(executable_, nullptr);
    ASSERT_EQ(api().graph_launch(executable_, stream), 0);
  }

 private:
  CUgraph_st* graph_ = nullptr;
  CUgraphExec_st* executable_ = nullptr;
};

class GraphFixture : public test::GpuTest {
 protected:
  static constexpr int n = 100'000;

  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::string pattern = (std::filesystem::temp_directory_path() / "attune-graph-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    context_ = cuda::CudaContext::open(cuda::require_driver(), std::nullopt);
    scope_.emplace(*context_);
    gpu_ = make_dispatcher();
  }
  void TearDown() override {
    gpu_.reset();
    scope_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::unique_ptr<Dispatcher> make_dispatcher() const {
    auto made = std::make_unique<Dispatcher>(DispatcherOptions{"cuda", folder_ / "none.db", folder_ / "cache", {}});
    made->add(kernel_bundle(read_embedded_kernel(test::partials_kernel), "partials.cu"));
    made->add(builtin::axpy);
    return made;
  }
  static const cuda::DriverApi& api() { return cuda::require_driver(); }
  static Problem problem(std::int64_t room = 16) { return {{"n", n}, {"room", room}}; }
  static std::vector<int> ones(int value) { return std::vector<int>(n, value); }

  // Records what `work` enqueues, in the mode that is the strictest: a forbidden call of any thread spoils it.
  template <typename Work>
  static Graph capture(CUstream_st* stream, const Work& work) {
    EXPECT_EQ(api().capture_begin(stream, static_cast<cuda::CaptureMode>(0)), 0);  // CU_STREAM_CAPTURE_MODE_GLOBAL
    try {
      work();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "in the capture: " << error.what();
    }
    CUgraph_st* graph = nullptr;
    EXPECT_EQ(api().capture_end(stream, &graph), 0);
    EXPECT_NE(graph, nullptr);
    return Graph(graph);
  }

  // Memory of graphs is freed by another thread: waits until as much is free, for ten seconds at most.
  bool returns_to(std::uint64_t free_bytes) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (device().free_memory() < free_bytes) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  std::filesystem::path folder_;
  std::shared_ptr<const cuda::CudaContext> context_;
  std::optional<cuda::ContextScope> scope_;
  std::unique_ptr<Dispatcher> gpu_;
};

}  // namespace attune
