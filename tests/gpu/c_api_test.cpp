// The C interface on a real GPU: device memory, streams, both ways to launch.
#include <gtest/gtest.h>

#include <array>

#include "../unit/c_api/c_api_fixture.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

class GpuCApi : public CApiTest {
 protected:
  void SetUp() override {
    std::unique_ptr<Device> device;
    test::open_gpu(device);
    if (device == nullptr) return;
    attune_dispatcher_destroy(gpu_);
    gpu_ = nullptr;
    attune_dispatcher_options given = c_options();
    given.device = "cuda";
    ASSERT_EQ(attune_dispatcher_make(&given, &gpu_), ATTUNE_OK) << attune_last_error();
    add(offset_kernel);
  }
};

TEST_F(GpuCApi, LaunchesOnAStream) {
  constexpr std::int64_t n = 1000;
  std::vector<int> host(n, 5);
  std::array<int, 2> counted{};
  attune_buffer *data = nullptr, *count = nullptr;
  attune_kernel* kernel = nullptr;
  attune_plan* made = plan("offset", {attune_integer("n", n), attune_text("T", "int32")});
  ASSERT_EQ(attune_kernel_find(gpu_, "offset", ATTUNE_POLICY_WAIT, &kernel), ATTUNE_OK) << attune_last_error();
  ASSERT_EQ(attune_buffer_make(gpu_, n * sizeof(int), &data), ATTUNE_OK) << attune_last_error();
  ASSERT_EQ(attune_buffer_make(gpu_, sizeof counted, &count), ATTUNE_OK) << attune_last_error();
  void *data_address = nullptr, *count_address = nullptr;
  EXPECT_EQ(attune_buffer_data(data, &data_address), ATTUNE_OK);
  EXPECT_EQ(attune_buffer_data(count, &count_address), ATTUNE_OK);

  DispatcherOptions of_cpp = options();
  of_cpp.device = "cuda";
  const Dispatcher own(of_cpp);  // of the same context
  const Stream stream(own);
  void* const handle = stream.handle();
  const attune_argument arguments[] = {attune_array(ATTUNE_INT32, data_address, n),
                                       attune_array(ATTUNE_INT32, count_address, 2), attune_scalar(ATTUNE_INT64, &n)};
  EXPECT_EQ(attune_buffer_copy_in(data, host.data(), n * sizeof(int), handle), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_plan_launch(made, handle, arguments, 3), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_kernel_launch(kernel, handle, nullptr, 0, arguments, 3), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_dispatcher_synchronize(gpu_, handle), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_buffer_copy_out(data, host.data(), n * sizeof(int), handle), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_buffer_copy_out(count, counted.data(), sizeof counted, handle), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(host, std::vector<int>(n, 7));
  EXPECT_EQ(counted[1], 2 * n);
  attune_buffer* too_large = nullptr;
  expect_failure(attune_buffer_make(gpu_, std::size_t{1} << 45, &too_large), ATTUNE_OUT_OF_MEMORY,
                 testing::HasSubstr("attune_buffer_make"));

  attune_dispatcher_destroy(gpu_);  // before what it made
  gpu_ = nullptr;
  EXPECT_EQ(attune_plan_launch(made, handle, arguments, 3), ATTUNE_OK) << attune_last_error();
  attune_plan_destroy(made);
  attune_kernel_destroy(kernel);
  attune_buffer_destroy(data);
  attune_buffer_destroy(count);
}

}  // namespace
}  // namespace attune
