#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "attune/dispatcher.hpp"
#include "device/device.hpp"
#include "dispatch_fixture.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

// What a dispatcher does with a cover of the host device: OFFSET tells which configuration was launched.
class DispatcherCovers : public DispatchTest {
 protected:
  DispatcherCovers() : device_(open_device("host")), info_(device_->info()) {
    toolchain_ = device_->compiler()->toolchain();
  }
  static Problem problem(std::int64_t n, const char* type = "int32") { return {{"n", n}, {"T", type}}; }
  static Configuration configuration(std::int64_t offset) { return {{"OFFSET", offset}, {"BLOCK", 32}}; }
  // OFFSET is 2 for at most 50 elements, 13 to 500, then 3 (which needs 100 elements or more).
  Cover cover() {
    Cover cover;
    cover.key = record(info_, problem(1), configuration(1)).key;
    cover.key.problem = {};
    cover.device_name = info_.name;
    cover.configurations = {configuration(2), configuration(13), configuration(3)};
    cover.tree = "T == 'int32' ? (n <= 50 ? (n <= 5 ? 2 : 0) : n <= 500 ? 1 : 2) : -2";
    cover.measured = "n >= 10 && n <= 1000";
    cover.problems = 4;
    return cover;
  }
  int offset_of(Dispatcher& dispatcher, const Plan& plan) {
    const auto n = static_cast<std::size_t>(plan.problem().at("n").integer());
    const Buffer<int> data(dispatcher, std::vector<int>(n, 0)), count(dispatcher, 2);
    plan.launch(nullptr, data, count, n);
    return data.to_vector().at(n - 1);
  }
  std::unique_ptr<Device> device_;
  DeviceInfo info_;
};

TEST_F(DispatcherCovers, ServeProblemsWithoutARecordOfTheirOwn) {
  WisdomStore(database()).put_cover(cover());
  store(record(info_, problem(700), configuration(2)));
  Dispatcher dispatcher(options());
  dispatcher.add(kernel_of(offset_kernel));
  const Plan small = dispatcher.plan("offset", problem(20)), large = dispatcher.plan("offset", problem(4000));
  EXPECT_EQ(small.match().rung, Rung::cover) << small.match().why;
  EXPECT_EQ(offset_of(dispatcher, small), 2);
  EXPECT_THAT(small.match().why, testing::Not(HasSubstr("beyond")));
  EXPECT_EQ(offset_of(dispatcher, large), 3);
  EXPECT_THAT(large.match().why, HasSubstr("beyond those that were measured: n >= 10 && n <= 1000"));
  // A near record would serve 1000 elements, if there were no cover; and the record's own problem is its own.
  EXPECT_EQ(dispatcher.plan("offset", problem(1000)).match().rung, Rung::cover);
  EXPECT_EQ(dispatcher.plan("offset", problem(700)).match().rung, Rung::exact);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherCovers, WhatIsNotLegalOrSilentOrDoesNotCompileGivesWay) {
  WisdomStore(database()).put_cover(cover());
  Dispatcher dispatcher(options());
  dispatcher.add(kernel_of(offset_kernel));
  EXPECT_EQ(dispatcher.plan("offset", problem(5)).match().rung, Rung::none) << "OFFSET=3 is not legal";
  EXPECT_EQ(dispatcher.plan("offset", problem(20, "int64")).match().rung, Rung::none) << "int64 was not measured";
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(dispatcher.plan("offset", problem(300)).match().rung, Rung::none) << "OFFSET=13 does not compile";
  EXPECT_THAT(warnings_, testing::Contains(HasSubstr("OFFSET=13")));
}

TEST_F(DispatcherCovers, ABundleOfTheDispatcherHasThem) {
  WisdomStore(database()).put_cover(cover());
  Dispatcher first(options());
  first.add(kernel_of(offset_kernel));
  const Plan plan = first.plan("offset", problem(20));
  const Bundle bundle = Bundle::owning(first.bundle(), "a bundle");
  DispatcherOptions without = options();
  without.database = folder_ / "data" / "none.db";
  Dispatcher second(without);
  second.add(bundle);
  const Plan same = second.plan("offset", problem(20));
  EXPECT_EQ(same.match().rung, Rung::cover) << same.match().why;
  EXPECT_EQ(same.match().why, plan.match().why);
  EXPECT_EQ(offset_of(second, same), 2);
}

TEST_F(DispatcherCovers, AFolderOfTunedFilesHasThem) {
  const fs::path folder = folder_ / "tuned";
  fs::create_directory(folder);
  for (const auto& [name, text] : tuned_files({}, std::vector{cover()})) std::ofstream(folder / name) << text;
  DispatcherOptions with = options();
  with.wisdom = {folder};
  Dispatcher dispatcher(with);
  dispatcher.add(kernel_of(offset_kernel));
  const Plan plan = dispatcher.plan("offset", problem(20));
  EXPECT_EQ(plan.match().rung, Rung::cover) << plan.match().why;
  EXPECT_EQ(offset_of(dispatcher, plan), 2);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherCovers, OneOfOtherCodeIsNotFound) {
  Cover other = cover();
  other.key.code = std::string(64, '0');
  WisdomStore(database()).put_cover(other);
  Dispatcher dispatcher(options());
  dispatcher.add(kernel_of(offset_kernel));
  EXPECT_EQ(dispatcher.plan("offset", problem(20)).match().rung, Rung::none);
}

}  // namespace
}  // namespace attune
