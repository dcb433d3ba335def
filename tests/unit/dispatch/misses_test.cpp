// The log of misses: what is appended, and to which files.
#include "dispatch/misses.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "device/device.hpp"
#include "dispatch_fixture.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class MissLog : public DispatchTest {
 protected:
  ~MissLog() override { unsetenv("ATTUNE_LOG_MISSES"); }
  static Problem problem(std::int64_t n) { return {{"n", n}, {"T", "int32"}}; }
  fs::path log() const { return folder_ / "misses"; }
  DispatcherOptions logging() {
    DispatcherOptions chosen = options();
    chosen.misses = log();
    return chosen;
  }
  std::vector<std::string> logged_problems() const {
    std::vector<std::string> problems;
    for (const std::string& line : lines_of(log())) problems.push_back(nlohmann::json::parse(line).at("problem"));
    return problems;
  }
  Rung planned(std::int64_t n, const DispatcherOptions& chosen) const {
    Dispatcher gpu(chosen);
    gpu.add(kernel_of(offset_kernel));
    return gpu.plan("offset", problem(n)).match().rung;
  }
  void remember(std::int64_t n, const std::function<void(Record&)>& change = {}) {
    const auto device = open_device("host");
    toolchain_ = device->compiler()->toolchain();
    Record known = record(device->info(), problem(n), {{"OFFSET", 2}, {"BLOCK", 32}});
    if (change) change(known);
    store(known);
  }
};

TEST_F(MissLog, HasALineOfWhatWasAskedForOnce) {
  Dispatcher gpu(logging());
  gpu.add(kernel_of(offset_kernel));
  EXPECT_FALSE(fs::exists(log())) << "nothing was missed yet";
  gpu.plan("offset", problem(1000));
  gpu.plan("offset", problem(1000));
  gpu.refresh();
  gpu.plan("offset", problem(1000));
  Dispatcher second(logging());
  second.add(kernel_of(offset_kernel));
  second.plan("offset", {{"n", 1000}});  // the same problem with its defaults
  const std::vector<std::string> lines = lines_of(log());
  ASSERT_EQ(lines.size(), 1u);
  const KernelSpec spec = read_embedded_kernel(offset_kernel);
  const nlohmann::json wanted = {{"miss", 1},
                                 {"kernel", "offset"},
                                 {"code", spec.fingerprints.code},
                                 {"contract", spec.fingerprints.contract},
                                 {"tune_target", "offset.cu"},
                                 {"problem", "n=1000 T=int32"},
                                 {"device_class", gpu.device_info().class_key()},
                                 {"regime", "cold"},
                                 {"objective", "time"}};
  EXPECT_EQ(nlohmann::json::parse(lines[0]), wanted);
  EXPECT_EQ(fs::status(log()).permissions(), fs::perms(0600));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(MissLog, HasLaunchesOfKernelsByEveryPolicyAndWhatWasPrepared) {
  Dispatcher gpu(logging());
  gpu.add(kernel_of(offset_kernel));
  const Kernel kernel = gpu.kernel("offset");
  const Buffer<int> data(gpu, std::vector<int>(100, 0)), count(gpu, 2);
  for (int i = 0; i < 3; ++i) kernel.launch(nullptr, {}, data, count, 10);
  gpu.wait_for_background();
  gpu.prepare("offset", std::vector{problem(20)});
  EXPECT_THROW(gpu.plan("offset", {{"n", 30}, {"T", "int64"}}, Policy::cached_only), NotPrepared);
  gpu.match("offset", problem(40));  // a question launches nothing
  EXPECT_THAT(logged_problems(), ElementsAre("n=10 T=int32", "n=20 T=int32", "n=30 T=int64"));
}

TEST_F(MissLog, LeavesOutWhatIsKnown) {
  remember(1000);
  EXPECT_EQ(planned(1000, logging()), Rung::exact);
  remember(5000, [](Record& known) { known.driver = "of before"; });
  EXPECT_EQ(planned(5000, logging()), Rung::stale);
  EXPECT_FALSE(fs::exists(log()));
}

TEST_F(MissLog, HasWhatOnlyANeighbourIsKnownOf) {
  remember(1000);
  EXPECT_EQ(planned(1500, logging()), Rung::near_problem);
  remember(10000, [](Record& known) { known.key.regime = "stream"; });
  EXPECT_EQ(planned(10000, logging()), Rung::other_regime);
  remember(100000, [](Record& known) {
    known.key.device_class = "host|another CPU|cc0|sm2|mem8G|bus0|l2-1M|mig-";
    known.multiprocessors = 2;
  });
  EXPECT_EQ(planned(100000, logging()), Rung::sibling_device);
  EXPECT_THAT(logged_problems(), ElementsAre("n=1500 T=int32", "n=10000 T=int32", "n=100000 T=int32"));
}

TEST_F(MissLog, LeavesOutARecordThatIsThereAndNotLoaded) {
  planned(1000, options());  // the default's image is cached
  remember(1000);
  Dispatcher gpu(logging());
  gpu.add(kernel_of(offset_kernel));
  EXPECT_EQ(gpu.plan("offset", problem(1000), Policy::cached_only).match().rung, Rung::none);
  EXPECT_FALSE(fs::exists(log()));
}

TEST_F(MissLog, IsNamedByTheEnvironmentToo) {
  setenv("ATTUNE_LOG_MISSES", log().c_str(), 1);
  planned(1000, options());
  DispatcherOptions other = options();
  other.misses = folder_ / "chosen";
  planned(2000, other);
  EXPECT_THAT(logged_problems(), ElementsAre("n=1000 T=int32"));
  EXPECT_EQ(lines_of(folder_ / "chosen").size(), 1u);
}

TEST_F(MissLog, KeepsOutOfWhatIsNoFileOfItsOwn) {
  std::ofstream(folder_ / "target") << "";
  fs::create_symlink(folder_ / "target", folder_ / "link");
  fs::create_directory(folder_ / "directory");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::ofstream(folder_ / "open") << "";
  fs::permissions(folder_ / "open", fs::perms(0666));
  std::ofstream(folder_ / "first") << "";
  fs::create_hard_link(folder_ / "first", folder_ / "second");
  std::ofstream(folder_ / "source.cu") << "/*attune";
  std::vector<std::pair<std::string, std::string>> refused = {{"source.cu", "it holds something else"},
                                                              {"link", "symbolic link"},
                                                              {"directory", "Is a directory"},
                                                              {"pipe", "not a regular file"},
                                                              {"open", "chmod go-w"},
                                                              {"second", "a second name"},
                                                              {"absent/log", "No such file"}};
  std::ofstream(folder_ / "root") << "";
  if (geteuid() == 0 && chown((folder_ / "root").c_str(), 1, 1) == 0) refused.emplace_back("root", "belongs to user 1");
  for (const auto& [name, why] : refused) {
    warnings_.clear();
    DispatcherOptions chosen = options();
    chosen.misses = folder_ / name;
    Dispatcher gpu(chosen);
    gpu.add(kernel_of(offset_kernel));
    gpu.plan("offset", problem(1000));
    gpu.plan("offset", problem(2000));
    EXPECT_THAT(warnings_, ElementsAre(testing::AllOf(HasSubstr("misses are not logged to"), HasSubstr(why)))) << name;
  }
  for (const char* const name : {"target", "open", "first"}) EXPECT_EQ(fs::file_size(folder_ / name), 0u) << name;
  EXPECT_EQ(fs::file_size(folder_ / "source.cu"), 8u);
}

// Of requests that differ in their size alone.
class MissFile : public MissLog {
 protected:
  void add(Misses& misses, std::int64_t n) const {
    const Problem asked = problem(n);
    misses.add({spec_, asked, device_, target_});
  }
  KernelSpec spec_ = read_embedded_kernel(offset_kernel);
  DeviceInfo device_;
  std::string target_ = "offset.cu";
  Warnings collected_{[this](const std::string& message) { warnings_.push_back(message); }};
};

TEST_F(MissFile, IsSharedByProcesses) {
  constexpr int processes = 4, problems = 300;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Misses misses(log(), collected_);
      for (int n = 1; n <= problems; ++n) add(misses, process % 2 == 0 ? n : n + problems / 2);
      collected_.deliver();
      _exit(warnings_.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> logged = logged_problems();  // each line is whole
  EXPECT_EQ(std::set<std::string>(logged.begin(), logged.end()).size(), problems * 3u / 2);
  EXPECT_LT(logged.size(), 2u * problems) << "each once, but where a turn did not come in time";
  Misses later(log(), collected_);
  for (int n = 1; n <= problems; ++n) add(later, n);
  EXPECT_EQ(lines_of(log()).size(), logged.size()) << "the file has them";
}

TEST_F(MissFile, IsSharedByThreads) {
  Misses first(log(), collected_), second(log(), collected_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 1; n <= 100; ++n) add(i % 2 == 0 ? first : second, n);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines_of(log()).size(), 100u);
}

TEST_F(MissFile, EndsALineThatAnotherCouldNot) {
  std::ofstream(log()) << "{\"miss\":1,\"kern";
  fs::permissions(log(), fs::perms(0600));
  Misses misses(log(), collected_);
  add(misses, 7);
  add(misses, 8);
  const std::vector<std::string> lines = lines_of(log());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(lines[1]).at("problem"), "n=7 T=int32");
}

TEST_F(MissFile, IsWrittenAgainAfterItWasEmptied) {
  Misses misses(log(), collected_);
  for (int n = 1; n <= 3; ++n) add(misses, n);
  fs::resize_file(log(), 0);
  add(misses, 4);
  EXPECT_THAT(logged_problems(), ElementsAre("n=4 T=int32"));
}

TEST_F(MissFile, IsBounded) {
  Misses few(log(), collected_, {.lines = 3, .bytes = 1 << 20});
  for (int n = 1; n <= 10; ++n) add(few, n);
  EXPECT_EQ(lines_of(log()).size(), 3u);
  Misses small(log(), collected_, {.lines = 1000, .bytes = 2000});
  for (int n = 11; n <= 20; ++n) add(small, n);
  EXPECT_LE(fs::file_size(log()), 2000u);
  EXPECT_GT(lines_of(log()).size(), 3u);
  Misses smaller(log(), collected_, {.lines = 1000, .bytes = 100});
  add(smaller, 30);
  collected_.deliver();
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("3 lines"), HasSubstr("bytes; tune them"), HasSubstr("more than 100 bytes")));
}

TEST_F(MissFile, IsJsonWhateverTheNamesAre) {
  target_ = "a \"kernel\"\\\n\x1b[31m \xff \xc3\xa9.cu";
  Misses misses(log(), collected_);
  add(misses, 1);
  const std::vector<std::string> lines = lines_of(log());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(lines[0]).at("tune_target"), "a \"kernel\"\\\n\\x1b[31m \\xff \xc3\xa9.cu");
}

}  // namespace
}  // namespace attune
