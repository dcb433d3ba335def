#include "attune/buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "dispatch_fixture.hpp"

namespace attune {
namespace {

class BufferTest : public DispatchTest {
 protected:
  Dispatcher gpu_{options()};
};

TEST_F(BufferTest, BringsBackWhatWasCopiedIn) {
  const std::vector<double> host{1, 2, 3};
  const Buffer<double> buffer(gpu_, host);
  EXPECT_EQ(buffer.size(), 3u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0u);
  EXPECT_EQ(buffer.to_vector(), host);
}

TEST_F(BufferTest, CopiesOfAnotherSizeAreRefused) {
  Buffer<int> buffer(gpu_, 4);
  std::vector<int> host(5);
  EXPECT_THROW(buffer.copy_from(host), UsageError);
  EXPECT_THROW(buffer.copy_to(host), UsageError);
}

TEST_F(BufferTest, MovesWithoutCopying) {
  Buffer<int> buffer(gpu_, std::vector<int>{7, 8});
  const int* const address = buffer.data();
  Buffer<int> moved = std::move(buffer);
  EXPECT_EQ(moved.data(), address);
  Buffer<int> other(gpu_, 1);
  other = std::move(moved);
  EXPECT_EQ(other.data(), address);
  EXPECT_EQ(other.to_vector(), (std::vector<int>{7, 8}));
}

TEST_F(BufferTest, MayBeEmpty) {
  const Buffer<int> buffer(gpu_, 0);
  EXPECT_TRUE(buffer.to_vector().empty());
}

TEST_F(BufferTest, TooMuchIsOutOfMemory) {
  EXPECT_THROW(Buffer<double>(gpu_, std::numeric_limits<std::size_t>::max() / 8), OutOfMemory);
  EXPECT_THROW(Buffer<double>(gpu_, std::numeric_limits<std::size_t>::max() / 8 + 2),
               OutOfMemory);  // would wrap to 8 bytes
}

TEST_F(BufferTest, OutlivesItsDispatcher) {
  auto gpu = std::make_unique<Dispatcher>(options());
  const Buffer<int> buffer(*gpu, std::vector<int>{1});
  const Stream stream(*gpu);
  gpu.reset();
  EXPECT_EQ(buffer.to_vector(stream), std::vector<int>{1});
  stream.synchronize();
}

}  // namespace
}  // namespace attune
