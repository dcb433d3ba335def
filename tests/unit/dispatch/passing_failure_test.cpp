// What a dispatcher makes of a database that cannot be read for a moment, and of one that never can.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "dispatch/wisdom.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"
#include "support/made_record.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const KernelSpec& small_kernel() {
  static const KernelSpec spec = read_kernel_text(R"cu(/*attune
[kernel]
name = "small"
[problem]
n = "size"
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "small<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "n"]
[arguments]
out = { type = "float", size = "n", role = "out" }
n = { type = "int64" }
*/
template <int BLOCK> __global__ void small(float* out, long long n) {}
)cu",
                                                  "small.cu");
  return spec;
}

// As long as it lives, this process can open no further file.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    close(next);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

class PassingFailures : public testing::Test {
 protected:
  PassingFailures() {
    test::use_idle_host();
    std::filesystem::create_directories(folder_);
  }
  ~PassingFailures() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path database() const { return folder_ / "data" / "wisdom.db"; }
  // Stores a record of BLOCK=128 for n=1000.
  void store() const {
    WisdomStore(database())
        .put_record(made_record(small_kernel(), device_, {{"n", 1000}}, Configuration{{"BLOCK", 128}}, "idle 1.0"));
  }
  static WisdomSources database_of(std::unique_ptr<const RecordTable> table) {
    WisdomSources sources;
    sources.list.push_back({WisdomSource::Kind::database, std::move(table)});
    return sources;
  }
  // Looks n=1000 up in a table.
  Wisdom::LookUpResult look_up(std::unique_ptr<const RecordTable> table) {
    Wisdom wisdom(database_of(std::move(table)), bundles_, warnings_);
    return wisdom.find({small_kernel(), problem_, device_, "small.cu"}, Reach::this_problem);
  }
  Wisdom::LookUpResult look_up() { return look_up(std::make_unique<WisdomReader>(database())); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("attune-passing-{}", getpid());
  const DeviceInfo device_ = test::IdleHost().info();
  const Problem problem_{{"n", 1000}};
  std::vector<std::string> said_;
  Warnings warnings_{[this](const std::string& message) { said_.push_back(message); }};
  AddedBundles bundles_{warnings_};
};

TEST_F(PassingFailures, LeaveNoDefaultForEverAndNoMiss) {
  store();
  std::vector<std::string> warnings;
  DispatcherOptions options{"host", database(), folder_ / "cache",
                            [&](const std::string& message) { warnings.push_back(message); }};
  options.misses = folder_ / "misses";
  Dispatcher gpu(options);
  gpu.add(kernel_bundle(small_kernel(), "small.cu"));
  const Buffer<float> out(gpu, 1000);
  const Kernel kernel = gpu.kernel("small", Policy::wait);
  {
    const NoMoreFiles none;
    EXPECT_EQ(gpu.plan("small", problem_).match().rung, Rung::none);
    kernel.launch(nullptr, {}, out, 1000);
  }
  EXPECT_THAT(warnings,
              testing::Contains(testing::AllOf(HasSubstr("no wisdom is read from " + database().string() + " yet: "),
                                               HasSubstr("too many files are open"))));
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(gpu.plan("small", problem_).match().rung, Rung::exact);
  for (int i = 0; i < 2; ++i) {
    kernel.launch(nullptr, {}, out, 1000);
    EXPECT_EQ(gpu.statistics().swaps, 1u) << "a launch asks again, and the next one does not";
  }
  EXPECT_FALSE(std::filesystem::exists(options.misses));
}

// Fails with `Failure`.
template <typename Failure>
class FailingTable : public RecordTable {
 public:
  explicit FailingTable(int* asked = nullptr) : asked_(asked) {}
  std::unique_ptr<RecordReading> read() const override {
    if (asked_ != nullptr) ++*asked_;
    if constexpr (std::is_same_v<Failure, std::bad_alloc>)
      throw std::bad_alloc();
    else
      throw Failure("it failed");
  }
  std::string name() const override { return "table"; }

 private:
  int* asked_;
};

TEST_F(PassingFailures, AreToldFromThoseThatLast) {
  EXPECT_FALSE(look_up(std::make_unique<FailingTable<std::bad_alloc>>()).is_final);
  EXPECT_FALSE(look_up(std::make_unique<FailingTable<PassingFailure>>()).is_final);
  EXPECT_TRUE(look_up(std::make_unique<FailingTable<Error>>()).is_final);
  store();
  {
    const NoMoreFiles none;
    EXPECT_FALSE(look_up().is_final) << "no descriptor";
  }
  const sqlite3_int64 before = sqlite3_hard_heap_limit64(sqlite3_memory_used() + 1000);
  EXPECT_FALSE(look_up().is_final) << "no memory";
  sqlite3_hard_heap_limit64(before);
  EXPECT_EQ(look_up().candidates.records.size(), 1u);
  std::filesystem::resize_file(database(), 5000);
  EXPECT_TRUE(look_up().is_final) << "damaged";
  std::ofstream(database()) << std::string(20'000, 'x');
  EXPECT_TRUE(look_up().is_final) << "not a database";
  for (const auto& failure : said_) EXPECT_THAT(failure, HasSubstr("using what else is known, or defaults"));
}

TEST_F(PassingFailures, AreAskedForOnceASecond) {
  int asked = 0;
  Wisdom wisdom(database_of(std::make_unique<FailingTable<PassingFailure>>(&asked)), bundles_, warnings_);
  for (int i = 0; i < 100; ++i) {
    const auto found = wisdom.find({small_kernel(), problem_, device_, "small.cu"}, Reach::this_problem);
    EXPECT_FALSE(found.is_final);
    EXPECT_FALSE(found.failure.empty());
  }
  EXPECT_LT(asked, 50);
  warnings_.deliver();
  EXPECT_THAT(said_, ElementsAre(HasSubstr("no wisdom is read from table yet: it failed")));
}

}  // namespace
}  // namespace attune
