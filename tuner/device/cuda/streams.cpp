#include "device/cuda/streams.hpp"

#include <fmt/format.h>

#include <atomic>

#include "device/cuda/cuda_status.hpp"
#include "device/cuda/reaper.hpp"

namespace attune::cuda {
namespace {

std::uint64_t number_of_this_thread() noexcept {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

// Called by the driver, on a thread that must not call the driver.
void let_go(void* parting) {
  Reaper::of_process().take(std::unique_ptr<ReaperItem>(static_cast<ReaperItem*>(parting)));
}

}  // namespace

std::uint64_t stream_id(const DriverApi& api, CUstream_st* stream) noexcept {
  unsigned long long id = 0;
  if (api.stream_get_id != nullptr && api.stream_get_id(stream, &id) == result_success) return id;
  constexpr std::uintptr_t legacy = 1, per_thread = 2;  // CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
  if (is_legacy_stream(stream)) return legacy;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle == per_thread ? std::uint64_t{1} << 63 | number_of_this_thread() : handle;
}

bool is_captured(const DriverApi& api, CUstream_st* stream) noexcept {
  CaptureStatus status = capture_none;
  return api.stream_is_capturing(stream, &status) == result_success && status == capture_active;
}

Status keep_in_graph(const DriverApi& api, CUstream_st* stream, std::shared_ptr<const void> object) {
  if (api.capture_info == nullptr || api.user_object_create == nullptr || api.user_object_release == nullptr ||
      api.graph_retain_object == nullptr)
    return {Verdict::launch_error,
            fmt::format("the graphs of this CUDA driver (CUDA {}) cannot hold code and memory, which need one of CUDA "
                        "11.3: update the NVIDIA driver",
                        version_text(api.cuda_version)),
            false};
  CaptureStatus capture = capture_none;
  CUgraph_st* graph = nullptr;
  DriverResult result = api.capture_info(stream, &capture, nullptr, &graph, nullptr, nullptr);
  if (result == result_success && (capture != capture_active || graph == nullptr))
    return {Verdict::launch_error, "the capture of the stream has ended", false};
  if (result != result_success) return status_of(api, result, "asking for the graph of a capture");
  Reaper::of_process().start();
  auto parting = std::make_unique<ReaperItem>(std::move(object));
  CUuserObject_st* owned = nullptr;
  result = api.user_object_create(&owned, parting.get(), let_go, 1, user_object_no_destructor_sync);
  if (result != result_success) return status_of(api, result, "making an object for a graph");
  static_cast<void>(parting.release());
  result = api.graph_retain_object(graph, owned, 1, graph_user_object_move);
  if (result != result_success) api.user_object_release(owned, 1);
  return status_of(api, result, "giving an object to a graph");
}

}  // namespace attune::cuda
