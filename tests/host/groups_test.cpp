// Cooperative groups on the host device, against plain loops.
#include <string>
#include <vector>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::HasSubstr;

const std::string all_headers =
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"
    "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;\n";

class HostGroups : public test::HostTest {
 protected:
  // Runs `run(int* out)` with this body, whose threads are numbered by `i` over the whole grid.
  std::vector<int> out_of(const std::string& body, const LaunchShape& of, std::size_t count) const {
    Array<int> out(device(), count, -1);
    const std::string source = all_headers + "__global__ void run(int* out) {\n" +
                               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "}\n";
    const Status status = run(source, "run", of, {out.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out.values();
  }
  Status status_of(const std::string& body, const LaunchShape& of) const {
    Array<int> out(device(), 64);
    return run(all_headers + "__global__ void run(int* out) {\n" + body + "}\n", "run", of, {out.parameter()});
  }
  static LaunchShape cooperative(std::uint32_t blocks, std::uint32_t threads) {
    LaunchShape all = shape(blocks, threads);
    all.cooperative = true;
    return all;
  }
};

TEST_F(HostGroups, ABlockKnowsItsThreads) {
  LaunchShape of = shape(3, 4);
  of.block[1] = 5;
  of.block[2] = 2;
  const std::vector<int> out = out_of(R"(
  cg::thread_block block = cg::this_thread_block();
  const dim3 t = block.thread_index(), b = block.group_index(), d = block.group_dim();
  const bool agree = t.x == threadIdx.x && t.y == threadIdx.y && t.z == threadIdx.z && b.x == blockIdx.x &&
                     d.x == 4 && block.dim_threads().z == 2 && block.size() == 40 && block.num_threads() == 40 &&
                     cg::thread_rank(block) == block.thread_rank() && cg::group_size(block) == 40;
  __shared__ int seen[40];
  seen[block.thread_rank()] = agree ? 1 + block.thread_rank() : 0;
  block.sync();
  cg::sync(block);
  block.barrier_wait(block.barrier_arrive());
  out[b.x * 40 + block.thread_rank()] = seen[39 - block.thread_rank()];
)",
                                      of, 120);
  for (int i = 0; i < 120; ++i) EXPECT_EQ(out[i], 40 - i % 40) << i;
}

TEST_F(HostGroups, TilesShuffle) {
  for (const int size : {2, 4, 8, 16, 32}) {
    SCOPED_TRACE(size);
    const std::string text = std::to_string(size);
    const std::vector<int> out = out_of(R"(
  auto tile = cg::tiled_partition<)" + text +
                                            R"(>(cg::this_thread_block());
  static_assert(tile.size() == )" + text + R"( && decltype(tile)::num_threads() == tile.size());
  int* mine = out + 8 * i;
  mine[0] = tile.shfl(10 * i, 1);
  mine[1] = tile.shfl_up(10 * i, 1);
  mine[2] = tile.shfl_down(10 * i, 1);
  mine[3] = tile.shfl_xor(10 * i, 1);
  mine[4] = tile.thread_rank();
  mine[5] = tile.meta_group_rank();
  mine[6] = tile.meta_group_size();
  mine[7] = tile.shfl(make_double4_32a(i, 0, 0, 5 * i), tile.size() - 1).w;
  tile.sync();
)",
                                        shape(2, 64), 8 * 128);
    for (int i = 0; i < 128; ++i) {
      SCOPED_TRACE(i);
      const int rank = i % size, first = i - rank, last = first + size - 1;
      const int* const mine = out.data() + 8 * i;
      EXPECT_EQ(mine[0], 10 * (first + 1));
      EXPECT_EQ(mine[1], 10 * (rank > 0 ? i - 1 : i));
      EXPECT_EQ(mine[2], 10 * (i < last ? i + 1 : i));
      EXPECT_EQ(mine[3], 10 * (i ^ 1));
      EXPECT_EQ(mine[4], rank);
      EXPECT_EQ(mine[5], i % 64 / size);
      EXPECT_EQ(mine[6], 64 / size);
      EXPECT_EQ(mine[7], 5 * last);
    }
  }
}

TEST_F(HostGroups, TilesVoteAndMatch) {
  const std::vector<int> out = out_of(R"(
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  int same = 0;
  int* mine = out + 8 * i;
  mine[0] = tile.any(i == 17);
  mine[1] = tile.all(i >= 16);
  mine[2] = tile.ballot(i % 3 == 0);
  mine[3] = tile.match_any(i % 4);
  mine[4] = tile.match_all(i / 16, same) * 2 + same;
  mine[5] = tile.match_all(i / 8, same) * 2 + same;
)",
                                      shape(1, 64), 8 * 64);
  for (int i = 0; i < 64; ++i) {
    SCOPED_TRACE(i);
    const int first = i / 16 * 16;
    int ballot = 0, matched = 0;
    for (int rank = 0; rank < 16; ++rank) {
      ballot |= (first + rank) % 3 == 0 ? 1 << rank : 0;
      matched |= (first + rank) % 4 == i % 4 ? 1 << rank : 0;
    }
    const int* const mine = out.data() + 8 * i;
    EXPECT_EQ(mine[0], first == 16);
    EXPECT_EQ(mine[1], first >= 16);
    EXPECT_EQ(mine[2], ballot);
    EXPECT_EQ(mine[3], matched);
    EXPECT_EQ(mine[4], 0xffff * 2 + 1);
    EXPECT_EQ(mine[5], 0);
  }
}

TEST_F(HostGroups, TilesOfTilesAndGroupsOfARunTimeSize) {
  const std::vector<int> out = out_of(R"(
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::thread_block_tile<8, decltype(warp)> part = cg::tiled_partition<8>(warp);
  cg::thread_group block = cg::this_thread_block();
  cg::thread_group four = cg::tiled_partition(block, 4), two = cg::tiled_partition(four, 2), any = warp;
  int* mine = out + 6 * i;
  mine[0] = part.meta_group_rank() * 10 + part.meta_group_size();
  mine[1] = four.size() * 10 + four.thread_rank();
  mine[2] = two.size() * 10 + two.thread_rank();
  mine[3] = any.size() + block.size();
  mine[4] = cg::this_thread().size() * 100 + cg::this_thread().thread_rank();
  mine[5] = cg::reduce(part, i, cg::plus<int>());
  four.sync();
  two.sync();
  block.sync();
)",
                                      shape(1, 64), 6 * 64);
  for (int i = 0; i < 64; ++i) {
    SCOPED_TRACE(i);
    const int* const mine = out.data() + 6 * i;
    EXPECT_EQ(mine[0], i % 32 / 8 * 10 + 4);
    EXPECT_EQ(mine[1], 40 + i % 4);
    EXPECT_EQ(mine[2], 20 + i % 2);
    EXPECT_EQ(mine[3], 32 + 64);
    EXPECT_EQ(mine[4], 100);
    EXPECT_EQ(mine[5], 8 * (i / 8 * 8) + 28);
  }
}

TEST_F(HostGroups, ReduceWithEveryOperator) {
  const std::vector<int> out = out_of(R"(
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int x = (i * 37 + 11) % 64;
  int* mine = out + 8 * i;
  mine[0] = cg::reduce(tile, x, cg::plus<int>());
  mine[1] = cg::reduce(tile, x, cg::less<int>());
  mine[2] = cg::reduce(tile, x, cg::greater<int>());
  mine[3] = cg::reduce(tile, x, cg::bit_and<int>());
  mine[4] = cg::reduce(tile, x, cg::bit_or<int>());
  mine[5] = cg::reduce(tile, x, cg::bit_xor<int>());
  mine[6] = cg::reduce(tile, double(x), [](double a, double b) { return a + b; });
  mine[7] = cg::reduce(tile, make_double4_32a(1, 2, 3, x), [](double4_32a a, double4_32a b) {
    return make_double4_32a(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }).w;
)",
                                      shape(1, 64), 8 * 64);
  for (int i = 0; i < 64; ++i) {
    SCOPED_TRACE(i);
    int sum = 0, least = 64, most = -1, conjunction = ~0, disjunction = 0, parity = 0;
    for (int j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) {
      const int x = (j * 37 + 11) % 64;
      sum += x;
      least = std::min(least, x);
      most = std::max(most, x);
      conjunction &= x;
      disjunction |= x;
      parity ^= x;
    }
    const int* const mine = out.data() + 8 * i;
    EXPECT_THAT(std::vector<int>(mine, mine + 8),
                testing::ElementsAre(sum, least, most, conjunction, disjunction, parity, sum, sum));
  }
}

TEST_F(HostGroups, ScanInTheOrderOfTheRanks) {
  const std::vector<int> out = out_of(R"(
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int* mine = out + 4 * i;
  mine[0] = cg::inclusive_scan(tile, i);
  mine[1] = cg::exclusive_scan(tile, i, cg::plus<int>());
  mine[2] = cg::inclusive_scan(tile, (i * 5) % 16, cg::greater<int>());
  mine[3] = cg::inclusive_scan(tile, i, [](int first, int) { return first; });
)",
                                      shape(1, 32), 4 * 32);
  for (int i = 0; i < 32; ++i) {
    SCOPED_TRACE(i);
    int before = 0, most = 0;
    for (int j = i / 16 * 16; j <= i; ++j) {
      before += j < i ? j : 0;
      most = std::max(most, j * 5 % 16);
    }
    const int* const mine = out.data() + 4 * i;
    EXPECT_THAT(std::vector<int>(mine, mine + 4), testing::ElementsAre(before + i, before, most, i / 16 * 16));
  }
}

// Two calls on one line are two places.
TEST_F(HostGroups, CoalescedThreadsAreThoseTogetherAtOnePlace) {
  const std::vector<int> out = out_of(R"(
  if (i % 3 == 0) { auto g = cg::coalesced_threads(); out[i] = g.size() * 100 + g.thread_rank(); } else { auto g = cg::coalesced_threads();
    const int sum = cg::reduce(g, i, cg::plus<int>()), before = cg::exclusive_scan(g, 1);
    out[i] = g.shfl(i, g.size() - 1) * 10000 + (before == g.thread_rank()) * 1000 + sum + g.shfl_up(0, 1) + g.any(0);
    if (g.shfl_down(i, 1) != (i == 31 ? i : i + 1 + (i % 3 == 2)) || g.ballot(i < 6) != 15) out[i] = -2;
  }
)",
                                      shape(1, 32), 32);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += i % 3 == 0 ? 0 : i;
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 3 == 0 ? 1100 + i / 3 : 311000 + sum) << i;
}

TEST_F(HostGroups, PartitionsByAValue) {
  const std::vector<int> out = out_of(R"(
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto low = cg::binary_partition(warp, i < 12);
  auto third = cg::labeled_partition(warp, i % 3);
  auto pair = cg::tiled_partition(low, 4);
  int* mine = out + 6 * i;
  mine[0] = low.size();
  mine[1] = low.meta_group_rank() * 10 + low.meta_group_size();
  mine[2] = third.thread_rank();
  mine[3] = third.meta_group_rank() * 10 + third.meta_group_size();
  mine[4] = cg::reduce(third, i, cg::plus<int>());
  mine[5] = pair.meta_group_rank() * 100 + pair.meta_group_size() * 10 + pair.thread_rank();
)",
                                      shape(1, 32), 6 * 32);
  for (int i = 0; i < 32; ++i) {
    SCOPED_TRACE(i);
    int sum = 0;
    for (int j = i % 3; j < 32; j += 3) sum += j;
    const int rank = i < 12 ? i : i - 12;
    const int* const mine = out.data() + 6 * i;
    EXPECT_THAT(std::vector<int>(mine, mine + 6),
                testing::ElementsAre(i < 12 ? 12 : 20, (i < 12) * 10 + 2, i / 3, i % 3 * 10 + 3, sum,
                                     rank / 4 * 100 + (i < 12 ? 3 : 5) * 10 + rank % 4));
  }
}

TEST_F(HostGroups, CopyAtOnceAndInvokeOne) {
  const std::vector<int> out = out_of(R"(
  __shared__ int from[100], to[100], four[100];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  for (int k = threadIdx.x; k < 100; k += blockDim.x) from[k] = k + 1, to[k] = four[k] = 0;
  block.sync();
  cg::memcpy_async(block, to, from, sizeof(int) * 99);
  cg::memcpy_async(block, four, 4, from, 100);
  cg::wait(block);
  int count = 0;
  cg::invoke_one(tile, [&] { atomicAdd(&count, 1); });
  const int told = cg::invoke_one_broadcast(tile, [](int x) { return x; }, i);
  for (int k = threadIdx.x; k < 100; k += blockDim.x) out[k] = to[k] * 1000 + four[k];
  out[100 + i] = count * 100 + told;
  cg::wait_prior<0>(tile);
)",
                                      shape(1, 48), 148);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(out[k], (k < 99 ? (k + 1) * 1000 : 0) + (k < 4 ? k + 1 : 0)) << k;
  for (int i = 0; i < 48; ++i) EXPECT_EQ(out[100 + i], (i % 8 == 0) * 100 + i / 8 * 8) << i;
}

TEST_F(HostGroups, AGridSynchronisesAllBlocks) {
  const std::vector<int> out = out_of(R"(
  cg::grid_group grid = cg::this_grid();
  int seen = 0;
  for (int round = 1; round <= 50; ++round) {
    atomicAdd(&out[64], 1);
    grid.sync();
    seen += out[64] + 1 == round * 64;  // the array begins with -1
    cg::sync(grid);
  }
  const bool agree = grid.is_valid() && grid.size() == 64 && grid.num_threads() == 64 && grid.num_blocks() == 4 &&
                     grid.block_rank() == blockIdx.x && grid.thread_rank() == i && grid.group_dim().x == 4 &&
                     grid.dim_blocks().x == 4 && grid.block_index().x == blockIdx.x && grid.dim_threads().x == 64 &&
                     grid.thread_index().x == i;
  out[i] = agree ? seen : -1;
)",
                                      cooperative(4, 16), 65);
  EXPECT_EQ(out[64], 50 * 64 - 1);
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + 64), std::vector<int>(64, 50));
}

TEST_F(HostGroups, AGridFaultsWhereItCannotMeet) {
  EXPECT_THAT(status_of("cg::this_grid().sync();", shape(2, 32)).detail,
              HasSubstr("grid_group::sync() in a launch that is not cooperative; [[launch]] needs cooperative = true"));
  EXPECT_EQ(out_of("out[i] = cg::this_grid().is_valid();", shape(2, 4), 8), std::vector<int>(8, 0));
  EXPECT_THAT(status_of("if (blockIdx.x != 1) cg::this_grid().sync();", cooperative(3, 32)).detail,
              HasSubstr("waits at grid_group::sync, but a block has ended that will not arrive; all 3 blocks must"));
  EXPECT_THAT(
      status_of("if (threadIdx.x < 16) cg::this_grid().sync(); else __syncthreads();", cooperative(2, 32)).detail,
      HasSubstr("is at __syncthreads while others wait at grid_group::sync"));
  EXPECT_THAT(status_of("if (blockIdx.x == 0) __trap();\n cg::this_grid().sync();", cooperative(3, 32)).detail,
              HasSubstr("__trap"));
}

TEST_F(HostGroups, WhatIsLeftOutIsRefusedByName) {
  for (const auto& [line, name] : {std::pair("  auto c = cg::this_cluster();", "this_cluster"),
                                   {"  cg::multi_grid_group* g = nullptr;", "multi_grid_group"},
                                   {"  cg::block_tile_memory<64>* g = nullptr;", "block_tile_memory"},
                                   {"  cg::reduce_update_async(out);", "reduce_update_async"}}) {
    const CompileOutcome outcome =
        compile(request(all_headers + "__global__ void run(int* out) {\n" + line + "\n}", {"run"}));
    EXPECT_THAT(outcome.log, HasSubstr("`" + std::string(name) + "` is not supported on the host device"));
  }
  const CompileOutcome large = compile(request(
      all_headers + "__global__ void run(int* out) { auto t = cg::tiled_partition<64>(cg::this_thread_block()); }",
      {"run"}));
  EXPECT_THAT(large.log, HasSubstr("tiles of more than 32 threads are not supported on the host device"));
  EXPECT_THAT(status_of("cg::tiled_partition(cg::this_thread_block(), 3);", shape(1, 32)).detail,
              HasSubstr("tiled_partition() makes tiles of 1, 2, 4, 8, 16 or 32 threads"));
}

// A toolkit's folder holds headers of the same names, and kernels have macros of short names.
TEST_F(HostGroups, TheHeaderIsAttunesOwnBesideAnyFolder) {
  ImageRequest wanted = request("#define N 3\n#define T float\n#define SIZE 4\n#define BLOCK 5\n" + all_headers +
                                    "__global__ void run(int* out) { *out = cg::this_thread_block().size(); }",
                                {"run"});
  wanted.options = {"-I/usr/local/cuda/include", "-DV=2", "-DM=4"};
  EXPECT_EQ(compile(wanted).verdict, Verdict::ok) << compile(wanted).log;
}

}  // namespace
}  // namespace attune
