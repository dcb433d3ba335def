#include "device/cuda/cache_flush.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune_embedded/cache_flush.hpp"

namespace attune::cuda {
namespace {

constexpr std::size_t least_bytes = 256 << 20, times_cache = 4;
constexpr std::size_t chunk_bytes = 16;  // that a thread reads at once
constexpr int fill_byte = 0xA5;          // the kernel finds these bits, never others
constexpr std::uint32_t threads_per_block = 256, blocks_per_multiprocessor = 8;
constexpr const char* entry = "attune::read_all";

}  // namespace

ImageRequest cache_flush_request(std::string architecture) {
  ImageRequest request;
  request.source = {"cache_flush.cu", std::string(attune_embedded::cache_flush.text), {}};
  request.expressions = {entry};
  request.architecture = std::move(architecture);
  return request;
}

CacheFlush::CacheFlush(Device& device, std::size_t l2_bytes)
    : device_(device), bytes_(std::max(least_bytes, times_cache * l2_bytes) / chunk_bytes * chunk_bytes) {}

CacheFlush::~CacheFlush() { device_.free(memory_); }

Status CacheFlush::prepare() {
  if (operation_.function != nullptr) return {};
  try {
    make();
  } catch (const OutOfMemory& error) {
    return {Verdict::out_of_memory, fmt::format("for what is read to flush the L2 cache: {}", error.what()), false};
  }
  for (int i = 0; i < 2; ++i)  // the first time cleans the lines that were just filled
    if (Status status = device_.enqueue(operation_, nullptr); !status.ok()) return status;
  return device_.synchronize(nullptr);
}

// Throws OutOfMemory, Error.
void CacheFlush::make() {
  const ImageRequest request = cache_flush_request(device_.info().architecture());
  const CompileOutcome outcome = std::move(device_.compiler()->compile({&request, 1}).front());
  if (!outcome.image) throw Error("attune's own flush of the cache does not compile:\n" + outcome.log);
  LoadOutcome load = device_.load(*outcome.image);
  if (!load.status.ok()) throw Error("attune's own flush of the cache: " + load.status.detail);
  if (memory_ == nullptr) memory_ = device_.allocate(bytes_);
  Operation fill;
  fill.kind = Operation::Kind::memset;
  fill.target = memory_;
  fill.bytes = bytes_;
  fill.value = fill_byte;
  Status status = device_.enqueue(fill, nullptr);

  Operation read;
  read.shape = {{static_cast<std::uint32_t>(device_.info().multiprocessors) * blocks_per_multiprocessor, 1, 1},
                {threads_per_block, 1, 1},
                0};
  read.parameters = parameters_;
  if (status.ok()) read.function = load.module->function(entry, read.shape, status);
  if (!status.ok()) throw Error("attune's own flush of the cache: " + status.detail);
  chunks_ = bytes_ / chunk_bytes;
  found_ = memory_;
  module_ = std::move(load.module);
  operation_ = read;
}

}  // namespace attune::cuda
