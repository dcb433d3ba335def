// attune_async.cuh: copies into shared memory that run beside the threads, and the barriers that count them.
#include "device_contract/contract_test.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;

class AsyncContract : public test::ContractTest {
 protected:
  // Returns what `run(int* out, const int* in)` makes of 0, 1, 2 ...
  std::vector<int> result(const std::string& source, const LaunchShape& shape, std::size_t count) {
    ImageRequest wanted = request("#include \"attune_async.cuh\"\n" + source, {"run"});
    for (const EmbeddedHeader& header : builtin_headers())
      wanted.source.headers.push_back({std::string(header.name), std::string(header.text)});
    const std::shared_ptr<Module> module = load(wanted);
    if (module == nullptr) return {};
    std::vector<int> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i);
    Array<int> out(device(), count, -1), in(device(), numbers);
    const Status status = launch(*module, "run", shape, {out.parameter(), in.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out.values();
  }
  bool has_bulk_copies() const { return is_host() || device().info().compute_capability >= 90; }
};

std::vector<int> reversed_in_tiles(std::size_t tile, std::size_t count) {
  std::vector<int> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<int>(i / tile * tile + tile - 1 - i % tile);
  return expected;
}

TEST_F(AsyncContract, CopiesOfThreadsAreThereBehindTheirWait) {
  for (const char* const width : {"4", "8", "16"}) {
    // Two stages: the next tile is under way while this one is written.
    const auto out = result(std::string("constexpr int WIDTH = ") + width + R"(, TILE = 256, TILES = 8;
__global__ void run(int* out, const int* in) {
  alignas(16) __shared__ int stages[2][TILE];
  constexpr int EACH = WIDTH / 4;
  const int own = threadIdx.x * EACH;
  const auto fetch = [&](int tile) {
    if (tile < TILES && own < TILE) attune::copy_async<WIDTH>(&stages[tile % 2][own], in + tile * TILE + own);
    attune::commit_copies();
  };
  fetch(0);
  for (int tile = 0; tile < TILES; ++tile) {
    fetch(tile + 1);
    attune::wait_for_copies<1>();
    __syncthreads();
    out[tile * TILE + threadIdx.x] = stages[tile % 2][TILE - 1 - threadIdx.x];
    __syncthreads();
  }
})",
                            shape(1, 256), 2048);
    EXPECT_EQ(out, reversed_in_tiles(256, 2048)) << width;
  }
}

TEST_F(AsyncContract, BulkLoadsEndThePhaseOfTheirBarrier) {
  if (!has_bulk_copies()) GTEST_SKIP() << "bulk copies need compute capability 9.0";
  const auto out = result(R"(
constexpr int TILE = 512, TILES = 9, STAGES = 3;
__global__ void run(int* out, const int* in) {
  alignas(128) __shared__ int stages[STAGES][TILE];
  __shared__ attune::Barrier full[STAGES];
  const auto fetch = [&](int tile) {
    if (threadIdx.x != 0 || tile >= TILES) return;
    attune::arrive_expecting(full[tile % STAGES], TILE * 4);
    attune::load_bulk(stages[tile % STAGES], in + tile * TILE, TILE * 4, full[tile % STAGES]);
  };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) attune::init(full[stage], 1);
    attune::fence_barriers();
  }
  __syncthreads();
  for (int tile = 0; tile < STAGES; ++tile) fetch(tile);
  for (int tile = 0; tile < TILES; ++tile) {
    attune::wait(full[tile % STAGES], tile / STAGES % 2);
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) out[tile * TILE + i] = stages[tile % STAGES][TILE - 1 - i];
    __syncthreads();
    fetch(tile + STAGES);
  }
})",
                          shape(1, 128), 4608);
  EXPECT_EQ(out, reversed_in_tiles(512, 4608));
}

TEST_F(AsyncContract, ABarrierCountsTheArrivalsOfItsPhase) {
  if (!has_bulk_copies()) GTEST_SKIP() << "barriers in shared memory need compute capability 9.0";
  // One warp produces, the other consumes; each waits for the other by a barrier alone.
  const auto out = result(R"(
__global__ void run(int* out, const int* in) {
  __shared__ int slot[32];
  __shared__ attune::Barrier full, empty;
  if (threadIdx.x == 0) {
    attune::init(full, 32);
    attune::init(empty, 32);
    attune::fence_barriers();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < 40; ++round) {
    if (threadIdx.x < 32) {
      if (round > 0) attune::wait(empty, (round - 1) % 2);
      slot[lane] = in[round * 32 + lane];
      attune::arrive(full);
    } else {
      attune::wait(full, round % 2);
      out[round * 32 + lane] = slot[31 - lane];
      attune::arrive(empty);
    }
  }
})",
                          shape(1, 64), 1280);
  EXPECT_EQ(out, reversed_in_tiles(32, 1280));
}

TEST_F(AsyncContract, BulkStoresTakeWhatThreadsHaveWritten) {
  if (!has_bulk_copies()) GTEST_SKIP() << "bulk copies need compute capability 9.0";
  const auto out = result(R"(
constexpr int TILE = 256, TILES = 6;
__global__ void run(int* out, const int* in) {
  alignas(128) __shared__ int stages[2][TILE];
  for (int tile = 0; tile < TILES; ++tile) {
    if (threadIdx.x == 0) attune::wait_for_store_reads<1>();
    __syncthreads();
    stages[tile % 2][TILE - 1 - threadIdx.x] = in[tile * TILE + threadIdx.x];
    attune::fence_shared_for_bulk();
    __syncthreads();
    if (threadIdx.x == 0) {
      attune::store_bulk(out + tile * TILE, stages[tile % 2], TILE * 4);
      attune::commit_stores();
    }
  }
  if (threadIdx.x == 0) attune::wait_for_stores<0>();
})",
                          shape(1, 256), 1536);
  EXPECT_EQ(out, reversed_in_tiles(256, 1536));
}

}  // namespace
}  // namespace attune
