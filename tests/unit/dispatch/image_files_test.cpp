// An application with kernels whose headers are edited, and with a cache of its site, on the host device.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "dispatch_fixture.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class DispatcherImages : public DispatchTest {
 protected:
  DispatcherImages() {
    write("include/step.h", "#define STEP 3\n");
    write("advance.cu", R"cu(/*attune
[kernel]
name = "advance"
[problem]
n = "size"
[parameters]
BLOCK = [1]
[compile]
options = ["-Iearlier", "-Iinclude"]
[[launch]]
entry = "advance"
grid = ["n"]
block = ["BLOCK"]
arguments = ["data"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
*/
#include <step.h>
__global__ void advance(int* data) { data[blockIdx.x] += STEP; }
)cu");
  }
  ~DispatcherImages() override { unsetenv("ATTUNE_SITE_CACHE"); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  // Returns what the kernel adds to a number, in an application that starts now.
  int step(DispatcherOptions chosen) const {
    Dispatcher dispatcher(std::move(chosen));
    dispatcher.add(kernel_file(folder_ / "advance.cu"));
    return step_of(dispatcher);
  }
  static int step_of(Dispatcher& dispatcher) {
    const Plan plan = dispatcher.plan("advance", {{"n", 1}});
    Buffer<int> data(dispatcher, 1);
    data.copy_from(std::vector<int>{0});
    plan.launch(nullptr, data);
    return data.to_vector().front();
  }
  std::size_t entries(const std::string& cache) const {
    std::error_code none;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / cache / "images", none), {}));
  }
};

TEST_F(DispatcherImages, AnEditedHeaderInAngleBracketsIsUsed) {
  EXPECT_EQ(step(options()), 3);
  write("include/step.h", "#define STEP 5\n");
  EXPECT_EQ(step(options()), 5);
  write("earlier/step.h", "#define STEP 7\n");
  EXPECT_EQ(step(options()), 7);
  fs::remove(folder_ / "earlier/step.h");
  EXPECT_EQ(step(options()), 5);
  EXPECT_EQ(entries("cache"), 1u) << "each replaced the one before";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherImages, ARunningApplicationKeepsWhatItHasLoaded) {
  Dispatcher dispatcher(options());
  dispatcher.add(kernel_file(folder_ / "advance.cu"));
  EXPECT_EQ(step_of(dispatcher), 3);
  write("include/step.h", "#define STEP 5\n");
  EXPECT_EQ(step_of(dispatcher), 3);
}

TEST_F(DispatcherImages, TheSitesCacheServesAndIsNotWritten) {
  DispatcherOptions site = options();
  site.cache = folder_ / "site";
  EXPECT_EQ(step(site), 3);
  ASSERT_EQ(entries("site"), 1u);
  DispatcherOptions both = options();
  both.site_cache = folder_ / "site";
  EXPECT_EQ(step(both), 3);
  EXPECT_EQ(entries("cache"), 0u) << "nothing was compiled";
  write("include/step.h", "#define STEP 5\n");  // a miss in both
  EXPECT_EQ(step(both), 5);
  EXPECT_EQ(entries("cache"), 1u);
  write("include/step.h", "#define STEP 3\n");
  fs::remove_all(folder_ / "cache");
  EXPECT_EQ(step(both), 3);
  EXPECT_EQ(entries("cache"), 0u) << "the site's is as it was";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherImages, TheEnvironmentNamesTheSitesCache) {
  DispatcherOptions site = options();
  site.cache = folder_ / "site";
  EXPECT_EQ(step(site), 3);
  setenv("ATTUNE_SITE_CACHE", (folder_ / "site").c_str(), 1);
  EXPECT_EQ(step(options()), 3);
  EXPECT_EQ(entries("cache"), 0u);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherImages, ASiteCacheThatOthersMayWriteIsAWarning) {
  DispatcherOptions both = options();
  both.site_cache = folder_ / "site";
  fs::create_directory(both.site_cache);
  fs::permissions(both.site_cache, fs::perms(0777));
  EXPECT_EQ(step(both), 3);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("can be written by others"));
}

}  // namespace
}  // namespace attune
