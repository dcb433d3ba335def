// The search on a space that was recorded whole: the 4,290 legal configurations of `matmul` for 4096 x 4096 x 4096
// floats on an H100.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "db/wisdom_store.hpp"
#include "kernel/instantiate.hpp"
#include "recordings/recording_file.hpp"
#include "session/kernel_session.hpp"
#include "support/replay_pool.hpp"

namespace attune {
namespace {

Recording product() { return load_recordings(ATTUNE_TEST_DATA "/recorded/matmul_4096_H100.json.xz").at(0); }

SessionResult search(const Recording& recording, std::string strategy, std::uint64_t seed) {
  ReplayPool on(recording);
  WisdomStore store(":memory:");
  Observer observer;
  const std::atomic<int> stop{0};
  KernelRequest request;
  request.spec = replay_kernel(recording);
  request.effort = Effort::measure;  // two minutes of the device's time
  request.strategy = std::move(strategy);
  request.seed = seed;
  request.compile_threads = 1;
  return run_session(request, on.pool, store, nullptr, observer, stop);
}

TEST(RecordedProduct, IsSearchedTo97PercentOfItsBestInTwoMinutes) {
  const Recording recording = product();
  const double best = search(recording, "exhaustive", 1).record.value().median_ns;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SessionResult result = search(recording, "auto", seed);
    EXPECT_GE(best / result.record.value().median_ns, 0.97) << seed;
  }
}

}  // namespace
}  // namespace attune
