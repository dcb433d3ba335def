#include "device/cuda/cache_flush.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune_embedded/cache_flush.hpp"

namespace attune::cuda {
namespace {

constexpr std::size_t least_bytes = 256 << 20, times_cache = 5;
constexpr std::size_t flush_chunk_bytes = 16;  // read at once by a thread
constexpr std::size_t line_bytes = 128;
constexpr int fill_byte = 0xA5;  // the kernels find these bits only, so they write nothing
constexpr std::uint32_t flush_threads_per_block = 256, flush_blocks_per_multiprocessor = 8;

// A kernel of the flush, and its share of the memory: the part that takes the place of lines that are evicted last, or
// the rest.
struct FlushStep {
  const char* entry;
  bool is_claim;
  std::size_t unit;  // bytes of a chunk or line
};
constexpr std::array<FlushStep, CacheFlush::launches> steps{{{"attune::read_all<true>", true, flush_chunk_bytes},
                                                             {"attune::make_plain", true, line_bytes},
                                                             {"attune::read_all<false>", false, flush_chunk_bytes}}};

std::size_t whole_lines(std::size_t bytes) { return bytes / line_bytes * line_bytes; }

}  // namespace

ImageRequest cache_flush_request(std::string architecture) {
  ImageRequest request;
  request.source = {"cache_flush.cu", std::string(attune_embedded::cache_flush.text), {}};
  for (const FlushStep& step : steps) request.expressions.emplace_back(step.entry);
  request.architecture = std::move(architecture);
  return request;
}

CacheFlush::CacheFlush(Device& device, std::size_t l2_bytes)
    : device_(device),
      claimed_bytes_(whole_lines(l2_bytes / 3 * 4)),
      bytes_(whole_lines(std::max(least_bytes, times_cache * l2_bytes))) {}

CacheFlush::~CacheFlush() { device_.free(memory_); }

Status CacheFlush::prepare() {
  if (operations_.back().function != nullptr) return {};
  try {
    make();
  } catch (const OutOfMemory& error) {
    return {Verdict::out_of_memory, fmt::format("for what is read to flush the L2 cache: {}", error.what()), false};
  }
  for (int i = 0; i < 2; ++i)  // the first time cleans the lines that were just filled
    for (const Operation& operation : operations_)
      if (Status status = device_.enqueue(operation, nullptr); !status.ok()) return status;
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

  std::array<Operation, launches> made;
  for (std::size_t i = 0; i < launches; ++i) {
    const FlushStep& step = steps[i];
    FlushPart& part = parts_[i];
    part.memory = static_cast<char*>(memory_) + (step.is_claim ? 0 : claimed_bytes_);
    part.count = (step.is_claim ? claimed_bytes_ : bytes_ - claimed_bytes_) / step.unit;
    part.found = static_cast<char*>(memory_);
    made[i].shape = {
        {static_cast<std::uint32_t>(device_.info().multiprocessors) * flush_blocks_per_multiprocessor, 1, 1},
        {flush_threads_per_block, 1, 1},
        0};
    made[i].parameters = part.parameters.data();
    if (status.ok()) made[i].function = load.module->function(step.entry, made[i].shape, status);
  }
  if (!status.ok()) throw Error("attune's own flush of the cache: " + status.detail);
  module_ = std::move(load.module);
  operations_ = made;
}

}  // namespace attune::cuda
