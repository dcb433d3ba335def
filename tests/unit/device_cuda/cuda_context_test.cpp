// Which driver context a device works in, and what recording a batch needs of the driver. The driver is a fake.
#include "device/cuda/cuda_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "device/cuda/cuda_graph.hpp"
#include "support/message_of.hpp"

namespace attune::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CUctx_st* const primary = reinterpret_cast<CUctx_st*>(0x10);
CUctx_st* const own = reinterpret_cast<CUctx_st*>(0x20);

struct FakeDriver {
  CUctx_st* current = nullptr;
  int primary_uses = 0;  // retained so often, by anybody
  int primary_made = 0;
};
FakeDriver fake;

DriverApi fake_api() {
  DriverApi api;
  api.exchange_capture_mode = [](CaptureMode*) { return DriverResult{result_success}; };
  api.context_get_current = [](CUctx_st** context) {
    *context = fake.current;
    return DriverResult{result_success};
  };
  api.context_get_device = [](DeviceNumber* device) {
    *device = 0;
    return DriverResult{result_success};
  };
  api.device_get_count = [](int* count) {
    *count = 1;
    return DriverResult{result_success};
  };
  api.device_get = [](DeviceNumber* device, int) {
    *device = 0;
    return DriverResult{result_success};
  };
  api.primary_context_state = [](DeviceNumber, unsigned*, int* is_active) {
    *is_active = fake.primary_uses > 0 ? 1 : 0;
    return DriverResult{result_success};
  };
  api.primary_context_retain = [](CUctx_st** context, DeviceNumber) {
    if (fake.primary_uses++ == 0) ++fake.primary_made;
    *context = primary;
    return DriverResult{result_success};
  };
  api.primary_context_release = [](DeviceNumber) {
    --fake.primary_uses;
    return DriverResult{result_success};
  };
  return api;
}

class Context : public testing::Test {
 protected:
  Context() { fake = {}; }
  const DriverApi api_ = fake_api();
};

TEST_F(Context, IsThePrimaryOneAndRetainedWhereNoneIsCurrent) {
  auto context = CudaContext::open(api_, std::nullopt);
  EXPECT_EQ(context->handle(), primary);
  EXPECT_FALSE(context->adopted());
  EXPECT_EQ(fake.primary_uses, 1);
  context.reset();
  EXPECT_EQ(fake.primary_uses, 0);
}

// Whoever made it may release it while attune works in it.
TEST_F(Context, ThatIsAdoptedAndPrimaryIsRetained) {
  for (const std::optional<int> ordinal : {std::optional<int>(), std::optional<int>(0)}) {
    fake = {.current = primary, .primary_uses = 1, .primary_made = 1};
    auto context = CudaContext::open(api_, ordinal);
    EXPECT_EQ(context->handle(), primary);
    EXPECT_TRUE(context->adopted());
    EXPECT_EQ(fake.primary_uses, 2);
    --fake.primary_uses;  // the application's
    context.reset();
    EXPECT_EQ(fake.primary_uses, 0);
  }
}

TEST_F(Context, OfTheApplicationsOwnIsAdoptedAsItIs) {
  for (const int uses : {0, 1}) {
    fake = {.current = own, .primary_uses = uses};
    auto context = CudaContext::open(api_, std::nullopt);
    EXPECT_EQ(context->handle(), own);
    EXPECT_TRUE(context->adopted());
    EXPECT_EQ(fake.primary_uses, uses);
    EXPECT_EQ(fake.primary_made, 0) << "a primary context would take hundreds of MB";
    context.reset();
    EXPECT_EQ(fake.primary_uses, uses);
  }
}

TEST_F(Context, OfADriverBefore11Point4RecordsNoBatch) {
  DriverApi old = fake_api();
  old.cuda_version = 11030;
  const auto context = CudaContext::open(old, std::nullopt);
  CudaGraph graph;
  EXPECT_THAT(message_of<Error>([&] { CudaGraph::record(*context, {}, 1, graph); }),
              AllOf(HasSubstr("CUDA 11.3"), HasSubstr("cuGraphInstantiateWithFlags"), HasSubstr("11.4"),
                    HasSubstr("update the NVIDIA driver")));
}

}  // namespace
}  // namespace attune::cuda
