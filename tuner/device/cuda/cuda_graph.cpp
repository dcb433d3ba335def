#include "device/cuda/cuda_graph.hpp"

#include "attune/error.hpp"
#include "device/cuda/cuda_status.hpp"
#include "device/cuda/driver_loader.hpp"
#include "device/cuda/operations.hpp"

namespace attune::cuda {
namespace {

// A stream to record on: the default stream cannot record.
class RecordingStream {
 public:
  explicit RecordingStream(const DriverApi& api) : api_(api) {
    result_ = api_.stream_create(&stream_, stream_non_blocking);
  }
  RecordingStream(const RecordingStream&) = delete;
  RecordingStream& operator=(const RecordingStream&) = delete;
  ~RecordingStream() {
    if (stream_ != nullptr) api_.stream_destroy(stream_);
  }
  DriverResult result() const noexcept { return result_; }
  CUstream_st* get() const noexcept { return stream_; }

 private:
  const DriverApi& api_;
  CUstream_st* stream_ = nullptr;
  DriverResult result_;
};

Status enqueue_rounds(const DriverApi& api, std::span<const std::span<const Operation>> sets, int rounds,
                      CUstream_st* stream) {
  Status status;
  for (int round = 0; round < rounds && status.ok(); ++round) {
    for (const Operation& operation : sets[static_cast<std::size_t>(round) % sets.size()])
      if (status.ok()) status = enqueue_operation(api, operation, stream);
  }
  return status;
}

}  // namespace

Status CudaGraph::record(const CudaContext& context, std::span<const std::span<const Operation>> sets, int rounds,
                         CudaGraph& graph) {
  const DriverApi& api = context.api();
  if (api.graph_instantiate == nullptr) throw Error(lacks(api.cuda_version, "cuGraphInstantiateWithFlags", 11040));
  const RecordingStream stream(api);
  if (Status status = status_of(api, stream.result(), "making a stream"); !status.ok()) return status;
  Status status = status_of(api, api.capture_begin(stream.get(), capture_thread_local), "recording a batch");
  if (!status.ok()) return status;
  status = enqueue_rounds(api, sets, rounds, stream.get());
  CUgraph_st* recorded = nullptr;
  const DriverResult ended = api.capture_end(stream.get(), &recorded);  // also after a failure: recording must end
  if (status.ok()) status = status_of(api, ended, "recording a batch");
  CUgraphExec_st* executable = nullptr;
  if (status.ok()) status = status_of(api, api.graph_instantiate(&executable, recorded, 0), "making a batch");
  if (recorded != nullptr) api.graph_destroy(recorded);
  if (!status.ok()) return status;
  graph.executable_ = std::unique_ptr<CUgraphExec_st, Destroy>(executable, Destroy{&api});
  return status_of(api, api.graph_upload(executable, nullptr), "uploading a batch");
}

Status CudaGraph::enqueue(const CudaContext& context, CUstream_st* stream) const {
  return status_of(context.api(), context.api().graph_launch(executable_.get(), stream), "launching a batch");
}

}  // namespace attune::cuda
