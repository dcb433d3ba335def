// Plans and kernels of the C interface.
#include "attune/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <thread>

#include "c_api_fixture.hpp"
#include "support/smooth_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CPlan : public CApiTest {
 protected:
  ~CPlan() override { attune_plan_destroy(plan_); }
  attune_status launch(std::vector<attune_argument> arguments) const {
    return attune_plan_launch(plan_, nullptr, arguments.data(), arguments.size());
  }
  // Arguments of `offset` for 4 elements. The host device takes any memory.
  attune_argument data() { return attune_array(ATTUNE_INT32, data_.data(), data_.size()); }
  attune_argument count() { return attune_array(ATTUNE_INT32, count_.data(), count_.size()); }
  attune_argument n() const { return attune_scalar(ATTUNE_INT64, &n_); }

  std::array<int, 4> data_{10, 20, 30, 40};
  std::array<int, 2> count_{};
  const std::int64_t n_ = 4;
  attune_plan* plan_ = plan("offset", {attune_integer("n", 4), attune_text("T", "int32")});
};

TEST_F(CPlan, Launches) {
  ASSERT_EQ(launch({data(), count(), n()}), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(data_, (std::array{11, 21, 31, 41}));
  EXPECT_EQ(count_, (std::array{1, 8}));
  ASSERT_EQ(launch({attune_array(ATTUNE_UNTYPED, data_.data(), 0), count(), n()}), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(data_, (std::array{12, 22, 32, 42}));
}

TEST_F(CPlan, ForASizeOfZeroLaunchesNothing) {
  std::string text(offset_kernel.text);
  for (std::size_t at = 0; (at = text.find("offset<", at)) != std::string::npos; ++at) text.replace(at, 7, "hollow<");
  text.replace(text.find("name = \"offset\""), 15, "name = \"hollow\"\nempty = \"nothing\"");
  text.replace(text.find("void offset("), 12, "void hollow(");
  add({"hollow.cu", text});
  attune_plan* const empty = plan("hollow", {attune_integer("n", 0), attune_text("T", "int32")});
  const std::int64_t none = 0;
  const std::vector<attune_argument> arguments{attune_array(ATTUNE_INT32, nullptr, 0), count(),
                                               attune_scalar(ATTUNE_INT64, &none)};
  count_ = {5, 6};
  EXPECT_EQ(attune_plan_launch(empty, nullptr, arguments.data(), arguments.size()), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(count_, (std::array{5, 6}));
  attune_match match{};
  match.size = sizeof match;
  ASSERT_EQ(attune_plan_match(empty, &match), ATTUNE_OK);
  EXPECT_EQ(match.rung, ATTUNE_RUNG_EXACT);
  EXPECT_THAT(std::string(match.why), HasSubstr("hollow launches nothing for n=0"));
  EXPECT_STREQ(match.configuration, "");
  attune_plan_destroy(empty);
  const attune_problem_value value = attune_integer("n", 0);
  const attune_problem problem{&value, 1};
  attune_plan* none_made = nullptr;
  expect_usage_error(attune_plan_make(gpu_, "offset", &problem, ATTUNE_POLICY_WAIT, &none_made), "empty = \"nothing\"");
}

TEST_F(CPlan, ConvertsScalarsAsTheCppInterfaceDoes) {
  const signed char small = 4;
  const std::uint16_t narrow = 4;
  const std::uint64_t wide = 4;
  for (const attune_argument& same :
       {attune_scalar(ATTUNE_INT8, &small), attune_scalar(ATTUNE_UINT16, &narrow), attune_scalar(ATTUNE_UINT64, &wide)})
    EXPECT_EQ(launch({data(), count(), same}), ATTUNE_OK) << attune_last_error();
}

TEST_F(CPlan, RefusesArgumentsThatDoNotFit) {
  const double real = 4;
  const std::int64_t other = 5;
  const auto refused = [&](std::vector<attune_argument> arguments, const std::string& why) {
    expect_failure(launch(std::move(arguments)), ATTUNE_USAGE_ERROR,
                   AllOf(StartsWith("attune_plan_launch: "), HasSubstr(why)));
  };
  refused({data(), count()}, "2 arguments were passed, 3 expected: offset(data: int32*, count: int32*, n: int64)");
  refused({attune_array(ATTUNE_FLOAT, data_.data(), 4), count(), n()},
          "argument 1, `data`, is an array of 4 int32 that the kernel writes, but a pointer to float was passed");
  refused({attune_const_array(ATTUNE_INT32, data_.data(), 4), count(), n()}, "a pointer to const int32 was passed");
  refused({attune_array(ATTUNE_INT32, nullptr, 0), count(), n()}, "a null pointer was passed");
  refused({attune_array(ATTUNE_INT32, data_.data(), 3), count(), n()}, "but what was passed has 3");
  refused({data(), count(), attune_scalar(ATTUNE_DOUBLE, &real)}, "`n`, is 4 in the plan's problem");
  refused({data(), count(), attune_scalar(ATTUNE_INT64, &other)}, "make a plan for the other problem");
  refused({attune_scalar(ATTUNE_INT64, &n_), count(), n()}, "but the integer 4 was passed");
  refused({data(), count(), attune_array(ATTUNE_INT64, data_.data(), 1)}, "is of type int64");
  // What the C interface itself refuses.
  refused({data(), count(), attune_scalar(ATTUNE_INT64, nullptr)}, "argument 3: `value` is null; it must point to");
  refused({data(), count(), attune_scalar(ATTUNE_UNTYPED, &n_)}, "argument 3: a value needs a type");
  refused({data(), count(), attune_scalar(static_cast<attune_type>(23), &n_)}, "argument 3: 23 is no attune_type");
  refused({data(), attune_make_argument(static_cast<attune_argument_kind>(4), ATTUNE_INT32, &n_, 1), n()},
          "argument 2: 4 is no attune_argument_kind; use attune_array()");
  expect_usage_error(attune_plan_launch(plan_, nullptr, nullptr, 3), "`arguments` is null, but its count is 3");
  expect_usage_error(attune_plan_launch(nullptr, nullptr, nullptr, 0), "attune_plan_make() makes one");
  EXPECT_EQ(data_, (std::array{10, 20, 30, 40})) << "something was launched";
}

TEST_F(CPlan, SaysWhatItUsesAndWhy) {
  attune_match match{};
  match.size = sizeof match;
  ASSERT_EQ(attune_plan_match(plan_, &match), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(match.rung, ATTUNE_RUNG_NONE);
  EXPECT_STREQ(match.configuration, "OFFSET=1 BLOCK=64");
  EXPECT_STREQ(match.problem, "n=4 T=int32");
  EXPECT_STREQ(match.record_problem, "");
  EXPECT_THAT(match.why, HasSubstr("attune tune offset.cu"));
  EXPECT_EQ(match.speedup, 1.0);

  const Problem problem{{"n", 1000}, {"T", "int32"}};
  store(record(Dispatcher(options()).device_info(), problem, {{"OFFSET", 2}, {"BLOCK", 32}}));
  ASSERT_EQ(attune_dispatcher_refresh(gpu_), ATTUNE_OK);
  attune_plan* const near = plan("offset", {attune_integer("n", 1500)});
  ASSERT_EQ(attune_plan_match(near, &match), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(match.rung, ATTUNE_RUNG_NEAR_PROBLEM);
  EXPECT_STREQ(match.record_problem, "n=1000 T=int32");
  EXPECT_EQ(match.speedup, 1.5);
  EXPECT_STREQ(match.default_failure, "");
  attune_plan_destroy(near);

  Record failed =
      record(Dispatcher(options()).device_info(), {{"n", 90'000}, {"T", "int32"}}, {{"OFFSET", 2}, {"BLOCK", 32}});
  failed.default_verdict = Verdict::resources;
  store(failed);
  ASSERT_EQ(attune_dispatcher_refresh(gpu_), ATTUNE_OK);
  attune_plan* const far = plan("offset", {attune_integer("n", 30000)});
  ASSERT_EQ(attune_plan_match(far, &match), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(match.rung, ATTUNE_RUNG_OTHER_PROBLEM);
  EXPECT_STREQ(match.default_failure, "resources");
  EXPECT_STREQ(match.configuration, "OFFSET=2 BLOCK=32");
  attune_plan_destroy(far);

  match.size = 0;
  expect_usage_error(attune_plan_match(plan_, &match), "set size = sizeof(attune_match)");
  expect_usage_error(attune_plan_match(plan_, nullptr), "`match` is null");
  expect_usage_error(attune_plan_match(nullptr, &match), "`plan` is null");
  EXPECT_EQ(attune_plan_refresh_symbols(plan_), ATTUNE_OK);
}

TEST_F(CPlan, RefusesProblemsThatCannotBe) {
  attune_plan* made = plan_;
  const auto refused = [&](std::vector<attune_problem_value> values, const std::string& why) {
    const attune_problem problem{values.data(), values.size()};
    expect_usage_error(attune_plan_make(gpu_, "offset", &problem, ATTUNE_POLICY_WAIT, &made), why);
    EXPECT_EQ(made, nullptr);
  };
  refused({attune_integer("m", 4)}, "no problem name `m`");
  refused({attune_text("n", "four")}, "expected an integer");
  refused({attune_integer("n", 4), attune_text("T", "float")}, "expected a type that the kernel lists");
  refused({attune_integer("n", 4), attune_integer("n", 5)}, "the problem has `n` twice");
  refused({attune_integer(nullptr, 4)}, "value 1 of the problem has no name");
  refused({}, "problem name `n` has no default");
  const attune_problem wild{nullptr, 2}, fine{};
  expect_usage_error(attune_plan_make(gpu_, "offset", &wild, ATTUNE_POLICY_WAIT, &made), "`problem values` is null");
  expect_usage_error(attune_plan_make(gpu_, "offset", nullptr, ATTUNE_POLICY_WAIT, &made), "has no default");
  expect_usage_error(attune_plan_make(gpu_, "ofset", &fine, ATTUNE_POLICY_WAIT, &made), "did you mean `offset`?");
  expect_usage_error(attune_plan_make(gpu_, nullptr, &fine, ATTUNE_POLICY_WAIT, &made), "`kernel` is null");
  expect_usage_error(attune_plan_make(gpu_, "offset", &fine, static_cast<attune_policy>(3), &made),
                     "3 is no attune_policy");
  expect_usage_error(attune_plan_make(nullptr, "offset", &fine, ATTUNE_POLICY_WAIT, &made), "`dispatcher` is null");
  expect_usage_error(attune_plan_make(gpu_, "offset", &fine, ATTUNE_POLICY_WAIT, nullptr), "`plan` is null");
}

TEST_F(CPlan, ThatMayNotCompileIsNotPrepared) {
  attune_plan* made = nullptr;
  const attune_problem_value values[] = {attune_integer("n", 4), attune_text("T", "int64")};
  const attune_problem problem{values, 2};
  expect_failure(attune_plan_make(gpu_, "offset", &problem, ATTUNE_POLICY_CACHED_ONLY, &made), ATTUNE_NOT_PREPARED,
                 AllOf(HasSubstr("no image of offset for n=4 T=int64"), HasSubstr("attune_dispatcher_prepare()")));
}

TEST_F(CPlan, ThatDoesNotCompileIsAnError) {
  std::string text(offset_kernel.text);
  text.replace(text.find("\"offset\""), 8, "\"broken\"");
  text.replace(text.find("OFFSET != 13, "), 14, "OFFSET > 999, ");
  add({"broken.cu", text});
  attune_plan* made = nullptr;
  const attune_problem_value n = attune_integer("n", 4);
  const attune_problem problem{&n, 1};
  expect_failure(attune_plan_make(gpu_, "broken", &problem, ATTUNE_POLICY_WAIT, &made), ATTUNE_ERROR,
                 AllOf(HasSubstr("the default of broken (OFFSET=1 BLOCK=64) cannot be used"), HasSubstr("attune check"),
                       HasSubstr("thirteen brings bad luck")));
}

TEST_F(CPlan, OutlivesItsDispatcher) {
  attune_kernel* kernel = nullptr;
  attune_buffer* buffer = nullptr;
  ASSERT_EQ(attune_kernel_find(gpu_, "offset", ATTUNE_POLICY_WAIT, &kernel), ATTUNE_OK);
  ASSERT_EQ(attune_buffer_make(gpu_, 8, &buffer), ATTUNE_OK);
  attune_dispatcher_destroy(gpu_);
  gpu_ = nullptr;
  EXPECT_EQ(launch({data(), count(), n()}), ATTUNE_OK) << attune_last_error();
  const attune_argument arguments[] = {data(), count(), n()};
  EXPECT_EQ(attune_kernel_launch(kernel, nullptr, nullptr, 0, arguments, 3), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(data_, (std::array{12, 22, 32, 42}));
  attune_plan_destroy(plan_);
  plan_ = nullptr;
  EXPECT_EQ(attune_kernel_launch(kernel, nullptr, nullptr, 0, arguments, 3), ATTUNE_OK) << attune_last_error();
  attune_kernel_destroy(kernel);
  EXPECT_EQ(attune_buffer_copy_in(buffer, data_.data(), 8, nullptr), ATTUNE_OK) << attune_last_error();
  attune_buffer_destroy(buffer);
}

TEST_F(CPlan, IsLaunchedByManyThreads) {
  std::array<std::vector<int>, 4> data;
  {
    std::vector<std::jthread> pool;
    for (std::vector<int>& own : data)
      pool.emplace_back([&] {
        own.assign(4, 0);
        std::array<int, 2> counts{};
        for (int i = 0; i < 100; ++i)
          EXPECT_EQ(
              launch({attune_array(ATTUNE_INT32, own.data(), 4), attune_array(ATTUNE_INT32, counts.data(), 2), n()}),
              ATTUNE_OK);
      });
  }
  EXPECT_EQ(data, (std::array<std::vector<int>, 4>{
                      {{100, 100, 100, 100}, {100, 100, 100, 100}, {100, 100, 100, 100}, {100, 100, 100, 100}}}));
}

class CKernel : public CPlan {
 protected:
  ~CKernel() override { attune_kernel_destroy(kernel_); }
  void find(attune_policy policy) {
    ASSERT_EQ(attune_kernel_find(gpu_, "offset", policy, &kernel_), ATTUNE_OK) << attune_last_error();
  }
  attune_status launch(std::vector<attune_problem_value> values, std::vector<attune_argument> arguments) {
    return attune_kernel_launch(kernel_, nullptr, values.data(), values.size(), arguments.data(), arguments.size());
  }
  attune_kernel* kernel_ = nullptr;
};

TEST_F(CKernel, FindsItsProblemInTheLaunch) {
  find(ATTUNE_POLICY_BACKGROUND);
  EXPECT_EQ(launch({}, {data(), count(), n()}), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(launch({attune_integer("n", 4)}, {data(), count(), n()}), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(launch({attune_integer(nullptr, 4), attune_text(nullptr, "int32")},
                   {attune_array(ATTUNE_UNTYPED, data_.data(), 0), count(), n()}),
            ATTUNE_OK)
      << attune_last_error();
  EXPECT_EQ(data_, (std::array{13, 23, 33, 43}));
  EXPECT_EQ(attune_dispatcher_wait_for_background(gpu_), ATTUNE_OK);
  EXPECT_EQ(statistics().entries, 1u);
}

TEST_F(CKernel, RefusesWhatCannotBe) {
  find(ATTUNE_POLICY_WAIT);
  expect_usage_error(launch({attune_integer("n", 5)}, {data(), count(), n()}),
                     "`n` is 5 in one place and 4 in another");
  expect_usage_error(launch({attune_integer("m", 5)}, {data(), count(), n()}), "there is no `m`");
  expect_usage_error(launch({}, {attune_array(ATTUNE_UNTYPED, data_.data(), 0), count(), n()}), "`T` is missing");
  expect_usage_error(launch({}, {data(), count(), attune_scalar(ATTUNE_INT64, nullptr)}),
                     "argument 3: `value` is null");
  expect_usage_error(attune_kernel_launch(kernel_, nullptr, nullptr, 1, nullptr, 0), "`values` is null");
  expect_usage_error(attune_kernel_launch(nullptr, nullptr, nullptr, 0, nullptr, 0), "attune_kernel_find() makes one");
  attune_kernel* none = kernel_;
  expect_usage_error(attune_kernel_find(gpu_, "ofset", ATTUNE_POLICY_WAIT, &none), "did you mean `offset`?");
  EXPECT_EQ(none, nullptr);
  expect_usage_error(attune_kernel_find(gpu_, nullptr, ATTUNE_POLICY_WAIT, &none), "`name` is null");
  expect_usage_error(attune_kernel_find(gpu_, "offset", static_cast<attune_policy>(-1), &none),
                     "-1 is no attune_policy");
  expect_usage_error(attune_kernel_find(nullptr, "offset", ATTUNE_POLICY_WAIT, &none), "`dispatcher` is null");
  expect_usage_error(attune_kernel_find(gpu_, "offset", ATTUNE_POLICY_WAIT, nullptr), "`kernel` is null");
  EXPECT_EQ(data_, (std::array{10, 20, 30, 40})) << "something was launched";
}

TEST_F(CKernel, CompilesNothingWhereThePolicyForbidsIt) {
  find(ATTUNE_POLICY_CACHED_ONLY);
  std::array<std::int64_t, 4> wide{};
  const attune_argument other = attune_array(ATTUNE_INT64, wide.data(), 4);
  expect_failure(launch({}, {other, count(), n()}), ATTUNE_NOT_PREPARED, HasSubstr("no image of offset"));
  const attune_problem_value values[] = {attune_integer("n", 4), attune_text("T", "int64")};
  const attune_problem problem{values, 2};
  ASSERT_EQ(attune_dispatcher_prepare(gpu_, "offset", &problem, 1), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(launch({}, {other, count(), n()}), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(wide, (std::array<std::int64_t, 4>{1, 1, 1, 1}));
}

class CValues : public CPlan {};

TEST_F(CValues, ArePassedFromHostMemory) {
  add({"smooth.cu", test::smooth_file});
  attune_plan_destroy(plan_);
  plan_ = plan("smooth", {attune_integer("n", 4), attune_integer("radius", 1), attune_text("T", "int32")});
  std::array<int, 4> out{};
  std::array<int, 3> weights{1, 1, 1};
  const auto smooth = [&](const attune_argument& weighted) {
    return launch(
        {attune_array(ATTUNE_INT32, out.data(), 4), attune_const_array(ATTUNE_INT32, data_.data(), 4), weighted, n()});
  };
  ASSERT_EQ(smooth(attune_values(ATTUNE_INT32, weights.data(), 3)), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(out, (std::array{30, 60, 90, 70}));
  expect_usage_error(smooth(attune_values(ATTUNE_INT32, weights.data(), 2)),
                     "an array of 3 int32 that is passed by value");
  expect_usage_error(smooth(attune_values(ATTUNE_FLOAT, weights.data(), 3)), "`weights`");
  expect_usage_error(smooth(attune_array(ATTUNE_INT32, weights.data(), 3)), "which is device memory");
  expect_usage_error(smooth(attune_values(ATTUNE_INT32, nullptr, 3)), "argument 3: `value` is null");
}

}  // namespace
}  // namespace attune
