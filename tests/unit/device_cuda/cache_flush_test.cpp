#include "device/cuda/cache_flush.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/idle_host.hpp"

namespace attune::cuda {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

// A device that keeps what was enqueued: kernels by their expressions, and the memory that each was given.
class Keeper final : public test::IdleDevice {
 public:
  struct Kept {
    std::string kernel;
    std::size_t first = 0, count = 0;  // from which byte of the flush's memory on; chunks or lines
  };

  Keeper() { info_.multiprocessors = 132; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return compiler_; }
  void* allocate(std::size_t bytes) override {
    allocated = bytes;
    return memory = static_cast<char*>(IdleDevice::allocate(bytes));
  }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<Named>()}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    if (operation.kind != Operation::Kind::launch) return {};
    const char* first = *static_cast<char**>(operation.parameters[0]);
    kept.push_back({static_cast<const char*>(operation.function), static_cast<std::size_t>(first - memory),
                    *static_cast<std::uint64_t*>(operation.parameters[1])});
    return {};
  }

  std::vector<Kept> kept;
  char* memory = nullptr;
  std::size_t allocated = 0;

 private:
  struct Named final : Module {
    FunctionHandle function(std::string_view expression, const LaunchShape&, Status&) override {
      return const_cast<char*>(names.emplace_back(std::make_unique<std::string>(expression))->c_str());
    }
    Variable variable(std::string_view, Status&) override { return {}; }
    std::vector<std::unique_ptr<std::string>> names;
  };
  DeviceInfo info_;
  std::shared_ptr<Compiler> compiler_ = std::make_shared<test::IdleCompiler>();
};

// What loads asked to be evicted last leaves the cache for lines of the same kind alone, so these come first, and more
// of them than the cache has. They must be plain ones before all others are read.
TEST(CacheFlush, ClaimsTheWholeCacheAndThenReadsAllElse) {
  for (const std::size_t l2_bytes : {6 * mebibyte, 50 * mebibyte, 126 * mebibyte, std::size_t{41943041}}) {
    Keeper device;
    CacheFlush flush(device, l2_bytes);
    ASSERT_TRUE(flush.prepare().ok());
    device.kept.clear();
    for (const Operation& operation : flush.operations()) ASSERT_TRUE(device.enqueue(operation, nullptr).ok());

    ASSERT_EQ(device.kept.size(), CacheFlush::launches);
    const Keeper::Kept &claim = device.kept[0], &release = device.kept[1], &rest = device.kept[2];
    EXPECT_EQ(claim.kernel, "attune::read_all<true>");
    EXPECT_EQ(release.kernel, "attune::make_plain");
    EXPECT_EQ(rest.kernel, "attune::read_all<false>");
    EXPECT_EQ(claim.first, 0u);
    EXPECT_EQ(release.first, 0u);
    EXPECT_EQ(claim.count * 16, release.count * 128) << "what was claimed is released";
    EXPECT_GE(claim.count * 16, l2_bytes + l2_bytes / 4);
    EXPECT_EQ(rest.first, claim.count * 16);
    EXPECT_GE(rest.count * 16, 3 * l2_bytes + l2_bytes / 2);
    EXPECT_EQ(rest.first + rest.count * 16, device.allocated);
    EXPECT_GE(device.allocated, 256 * mebibyte);
  }
}

TEST(CacheFlush, IsMadeOnce) {
  Keeper device;
  CacheFlush flush(device, 50 * mebibyte);
  ASSERT_TRUE(flush.prepare().ok());
  EXPECT_EQ(device.kept.size(), 2 * CacheFlush::launches) << "once to clean the lines that were just filled";
  const char* const memory = device.memory;
  ASSERT_TRUE(flush.prepare().ok());
  EXPECT_EQ(device.kept.size(), 2 * CacheFlush::launches);
  EXPECT_EQ(device.memory, memory);
}

}  // namespace
}  // namespace attune::cuda
