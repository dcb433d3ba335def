// Threads that somebody cancels while they call the C interface.
#include <pthread.h>

#include <functional>

#include "c_api_fixture.hpp"
#include "device/device.hpp"

namespace attune {
namespace {

class CApiCancellation : public CApiTest {
 protected:
  // Does `work` on a thread that is cancelled already. Returns whether the thread ended by its cancellation, after the
  // work.
  static bool is_cancelled_after(std::function<void()> work) {
    work_ = std::move(work);
    is_done_ = false;
    pthread_t thread{};
    EXPECT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void*) -> void* {
                    pthread_cancel(pthread_self());
                    work_();
                    is_done_ = true;
                    pthread_testcancel();
                    return nullptr;
                  },
                  nullptr),
              0);
    void* result = nullptr;
    EXPECT_EQ(pthread_join(thread, &result), 0);
    return is_done_ && result == PTHREAD_CANCELED;
  }
  static inline std::function<void()> work_;
  static inline bool is_done_ = false;
};

TEST_F(CApiCancellation, WaitsUntilAFunctionReturns) {
  const attune_problem_value values[] = {{"n", nullptr, 1000}};
  const attune_problem problem{values, 1};
  attune_plan* made = nullptr;
  EXPECT_TRUE(is_cancelled_after([&] {
    EXPECT_EQ(attune_plan_make(gpu_, "offset", &problem, ATTUNE_POLICY_WAIT, &made), ATTUNE_OK) << attune_last_error();
  }));
  EXPECT_NE(made, nullptr);
  attune_plan_destroy(made);
}

TEST_F(CApiCancellation, WaitsUntilADispatcherIsDestroyedThatHasAThread) {
  store(record(attune::open_device("host")->info(), {{"n", 4}, {"T", "int32"}}, {{"OFFSET", 2}, {"BLOCK", 32}}));
  attune_kernel* kernel = nullptr;
  ASSERT_EQ(attune_kernel_find(gpu_, "offset", ATTUNE_POLICY_BACKGROUND, &kernel), ATTUNE_OK) << attune_last_error();
  int data[4] = {}, count[2] = {};
  const std::int64_t n = 4;
  const attune_argument arguments[] = {attune_array(ATTUNE_INT32, data, 4), attune_array(ATTUNE_INT32, count, 2),
                                       attune_scalar(ATTUNE_INT64, &n)};
  ASSERT_EQ(attune_kernel_launch(kernel, nullptr, nullptr, 0, arguments, 3), ATTUNE_OK) << attune_last_error();
  attune_kernel_destroy(kernel);
  EXPECT_TRUE(is_cancelled_after([&] {
    attune_dispatcher_destroy(gpu_);
    gpu_ = nullptr;
  }));
}

}  // namespace
}  // namespace attune
