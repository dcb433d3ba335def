// DispatcherOptions::deterministic_only, on the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "support/no_compiler.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Adds WAY to n integers. Those of WAY = 1, 2 and 13 are called deterministic; 13 does not compile.
constexpr std::string_view front_matter = R"cu(/*attune
[kernel]
name = "ways"
deterministic = "WAY in [1, 2, 13] || n < 10"
[problem]
n = "size"
[parameters]
WAY = [3, 1, 2, 4, 13]
[restrictions]
rules = ["WAY != 3 || n % 2 == 1"]
[[launch]]
entry = "ways<WAY>"
grid = ["ceil_div(n, 32)"]
block = ["32"]
arguments = ["data", "n"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
n = { type = "int64" }
*/
template <int WAY>
__global__ void ways(int* data, long long n) {
  static_assert(WAY != 13, "thirteen brings bad luck");
  const long long i = static_cast<long long>(blockIdx.x) * 32 + threadIdx.x;
  if (i < n) data[i] += WAY;
}
)cu";

// The text with another order of values, or another promise.
EmbeddedFile with(std::string_view text, std::string_view replacement) {
  static std::vector<std::unique_ptr<std::string>> kept;
  std::string file(front_matter);
  const std::size_t at = file.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  file.replace(at, text.size(), replacement);
  return {"ways.cu", *kept.emplace_back(std::make_unique<std::string>(std::move(file)))};
}

constexpr EmbeddedFile default_varies{"ways.cu", front_matter};
EmbeddedFile default_repeats() { return with("WAY = [3, 1, 2, 4, 13]", "WAY = [1, 3, 2, 4, 13]"); }

class DeterministicOnly : public DispatchTest {
 protected:
  // A fresh dispatcher of deterministic configurations.
  Dispatcher& open(const EmbeddedFile& file) {
    DispatcherOptions asked = options();
    asked.deterministic_only = true;
    gpu_ = std::make_unique<Dispatcher>(asked);
    gpu_->add(kernel_of(file));
    return *gpu_;
  }
  static Problem problem(std::int64_t n) { return {{"n", n}}; }
  void remember(const EmbeddedFile& file, std::int64_t n, std::int64_t way) {
    store(record(gpu_->device_info(), problem(n), {{"WAY", way}}, file));
  }
  int way_of(std::int64_t n) {
    const Buffer<int> data(*gpu_, std::vector<int>(static_cast<std::size_t>(n), 0));
    gpu_->plan("ways", problem(n)).launch(nullptr, data, n);
    return data.to_vector().back();
  }
  int launch(const Kernel& kernel, std::int64_t n) {
    const Buffer<int> data(*gpu_, std::vector<int>(static_cast<std::size_t>(n), 0));
    kernel.launch(nullptr, {}, data, n);
    return data.to_vector().back();
  }
  std::unique_ptr<Dispatcher> gpu_;
};

TEST_F(DeterministicOnly, ARecordThatIsNotGivesWayToOneThatIs) {
  const EmbeddedFile file = default_repeats();
  open(file);
  remember(file, 1001, 4);
  EXPECT_EQ(way_of(1001), 1) << "the default";
  EXPECT_THAT(gpu_->match("ways", problem(1001)).why, HasSubstr("known for n=1001 (WAY=4) is not deterministic"));
  remember(file, 1002, 2);
  open(file);
  EXPECT_EQ(gpu_->match("ways", problem(1001)).rung, Rung::near_problem);
  EXPECT_EQ(way_of(1001), 2) << "the near problem's record";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DeterministicOnly, WhetherARecordIsDependsOnTheProblemAskedFor) {
  const EmbeddedFile file = default_repeats();
  open(file);
  remember(file, 8, 4);
  EXPECT_EQ(way_of(9), 4);
  EXPECT_EQ(way_of(10), 1);
}

TEST_F(DeterministicOnly, FallBacksThatAreNotDoNotServe) {
  open(default_varies);
  EXPECT_EQ(way_of(1001), 1) << "the default is legal, but the second one is deterministic";
  EXPECT_EQ(gpu_->match("ways", problem(1003)).configuration.text(), "WAY=1");
  EXPECT_EQ(way_of(9), 3) << "the default is deterministic for small n";
}

// Where the first values are not, further fall-backs are sought among those that are.
TEST_F(DeterministicOnly, AFallBackIsFoundWhereTheDefaultIsNot) {
  const EmbeddedFile file = with("rules = [\"WAY != 3 || n % 2 == 1\"]", "rules = []");
  open(file);
  EXPECT_EQ(way_of(1000), 1);
  Dispatcher gpu(options());
  gpu.add(kernel_of(file));
  EXPECT_EQ(gpu.plan("ways", problem(1000)).configuration().text(), "WAY=3") << "others use it in no other case";
}

TEST_F(DeterministicOnly, WithoutAnyTheErrorNamesTheExpressionAndTheNextStep) {
  const EmbeddedFile file = with("WAY in [1, 2, 13] || n < 10", "WAY == 2 && n == 1235");  // of which no fall-back is
  Dispatcher& gpu = open(file);
  const auto is_clear = AllOf(HasSubstr("of ways is deterministic for n=1235"),
                              HasSubstr("of WAY=3, `WAY == 2 && n == 1235` ([kernel] `deterministic`)"),
                              HasSubstr("attune tune ways.cu --problem \"n=1235\""));
  EXPECT_THAT(message_of<Error>([&] { gpu.plan("ways", problem(1235)); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { gpu.match("ways", problem(1235)); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { gpu.prepare("ways", std::array{problem(1235)}); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { launch(gpu.kernel("ways"), 1235); }), is_clear);
  remember(file, 1235, 2);
  EXPECT_EQ(way_of(1235), 2) << "a record needs no fall-back";
}

TEST_F(DeterministicOnly, AKernelThatPromisesNothingIsAnErrorThatNamesTheKey) {
  Dispatcher& gpu = open(with("deterministic = \"WAY in [1, 2, 13] || n < 10\"\n", ""));
  const auto is_clear = AllOf(HasSubstr("ways"), HasSubstr("[kernel] of ways.cu has no `deterministic`"),
                              HasSubstr("docs/kernel_files.md"), HasSubstr("deterministic_only"));
  EXPECT_THAT(message_of<Error>([&] { gpu.plan("ways", problem(1000)); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { gpu.match("ways", problem(1000)); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { launch(gpu.kernel("ways"), 1000); }), is_clear);
}

TEST_F(DeterministicOnly, BackgroundWaitsForTheBest) {
  const EmbeddedFile file = default_repeats();
  open(file);
  EXPECT_EQ(way_of(1000), 1);  // the default is cached
  remember(file, 2000, 2);
  open(file);
  EXPECT_EQ(launch(gpu_->kernel("ways", Policy::background), 2000), 2);
  EXPECT_EQ(gpu_->plan("ways", problem(2001), Policy::background).configuration().text(), "WAY=2");
  EXPECT_EQ(gpu_->statistics().swaps, 0u);
  EXPECT_EQ(gpu_->statistics().waited, 0u);
}

TEST_F(DeterministicOnly, CachedOnlyUsesTheBestOrNothing) {
  const EmbeddedFile file = default_repeats();
  open(file);
  EXPECT_EQ(way_of(1000), 1);  // the default is cached
  remember(file, 2000, 2);
  open(file);
  const Kernel ways = gpu_->kernel("ways", Policy::cached_only);
  EXPECT_THROW(launch(ways, 2000), NotPrepared) << "the default would serve otherwise";
  EXPECT_THROW(gpu_->plan("ways", problem(2000), Policy::cached_only), NotPrepared);
  gpu_->prepare("ways", std::array{problem(2000)});
  EXPECT_EQ(launch(ways, 2000), 2);
  open(file);
  EXPECT_EQ(launch(gpu_->kernel("ways", Policy::cached_only), 2000), 2);
  EXPECT_EQ(gpu_->statistics().compiled, 0u);
}

// Its failure is the code's own: the next process finds the same.
TEST_F(DeterministicOnly, OneThatDoesNotCompileGivesWay) {
  const EmbeddedFile file = default_repeats();
  open(file);
  remember(file, 1000, 13);
  EXPECT_EQ(way_of(1000), 1);
  EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr("(WAY=13) cannot be used")));
}

TEST_F(DeterministicOnly, NothingIsSwapped) {
  const EmbeddedFile file = default_repeats();
  open(file);
  const Kernel ways = gpu_->kernel("ways");
  EXPECT_EQ(launch(ways, 1000), 1);
  remember(file, 1000, 2);
  gpu_->refresh();
  EXPECT_EQ(launch(ways, 1000), 1);
  EXPECT_EQ(way_of(1000), 1) << "another way to the same problem";
  EXPECT_EQ(gpu_->match("ways", problem(1000)).configuration.text(), "WAY=1");
  EXPECT_EQ(gpu_->plan("ways", problem(1000), Policy::cached_only).configuration().text(), "WAY=1");
  EXPECT_EQ(gpu_->statistics().swaps, 0u);
  EXPECT_EQ(way_of(1001), 2) << "a problem that was not asked for before";
  open(file);
  EXPECT_EQ(way_of(1000), 2) << "the next process";
}

// By whatever way it was asked for first: here what was cached at that time.
TEST_F(DeterministicOnly, AProblemKeepsWhatItWasPlannedWithFirst) {
  const EmbeddedFile file = default_repeats();
  open(file);
  EXPECT_EQ(way_of(1000), 1);
  open(file);
  EXPECT_EQ(gpu_->plan("ways", problem(1000), Policy::cached_only).configuration().text(), "WAY=1");
  remember(file, 1000, 2);
  EXPECT_EQ(launch(gpu_->kernel("ways", Policy::wait), 1000), 1);
}

TEST_F(DeterministicOnly, NoDefaultTakesThePlaceOfWhatALockedDatabaseKnows) {
  const EmbeddedFile file = default_repeats();
  open(file);
  remember(file, 1000, 2);
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &raw), SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> owner(raw, sqlite3_close);
  ASSERT_EQ(sqlite3_exec(raw, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(message_of<Error>([&] { gpu_->plan("ways", problem(1000)); }), HasSubstr("locked"));
  ASSERT_EQ(sqlite3_exec(raw, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  open(file);
  EXPECT_EQ(way_of(1000), 2);
}

TEST_F(DeterministicOnly, WithoutACompilerNothingElseThatIsCachedServes) {
  const EmbeddedFile file = default_repeats();
  open(file);
  EXPECT_EQ(way_of(1000), 1);
  remember(file, 1000, 2);
  open(file);
  const test::NoCompiler gone;
  EXPECT_THAT(message_of<Error>([&] { gpu_->plan("ways", problem(1000)); }),
              AllOf(HasSubstr("WAY=2"), HasSubstr("no other one takes its place")));
}

TEST_F(DeterministicOnly, IsNotAskedForUnlessSaid) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(default_varies));
  EXPECT_EQ(gpu.plan("ways", problem(1001)).configuration().text(), "WAY=3");
}

}  // namespace
}  // namespace attune
