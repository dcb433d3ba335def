// Dispatchers of bundles, and bundles of dispatchers, on the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "device/device.hpp"
#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "support/no_compiler.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class DispatcherBundle : public DispatchTest {
 protected:
  DispatcherBundle() : device_(open_device("host")) { toolchain_ = device_->compiler()->toolchain(); }
  ~DispatcherBundle() override { unsetenv("ATTUNE_DB"); }

  static Problem problem(std::int64_t n) { return {{"n", n}, {"T", "int32"}}; }
  void remember(std::int64_t n, std::int64_t offset) {
    store(record(device_->info(), problem(n), {{"OFFSET", offset}, {"BLOCK", 32}}));
  }
  // As a process that starts now has it, with the cache of the others.
  std::unique_ptr<Dispatcher> with_database() {
    auto made = std::make_unique<Dispatcher>(options());
    made->add(kernel_of(offset_kernel));
    return made;
  }
  // The bytes of a dispatcher that has prepared a problem. Its database is gone then.
  std::vector<std::byte> bundle_of(std::int64_t n) {
    const auto gpu = with_database();
    gpu->plan("offset", problem(n));
    std::vector<std::byte> bytes = gpu->bundle();
    fs::remove(database());
    return bytes;
  }
  // With an empty cache: as on another machine.
  DispatcherOptions elsewhere() {
    DispatcherOptions other = options();
    other.database = "";
    other.cache = folder_ / "elsewhere";
    return other;
  }
  static int offset_of(Dispatcher& gpu, std::int64_t n) {
    const Buffer<int> data(gpu, std::vector<int>(static_cast<std::size_t>(n), 0)), count(gpu, 2);
    gpu.plan("offset", problem(n)).launch(nullptr, data, count, n);
    return data.to_vector().back();
  }
  void write_kernel_with_a_header() const {
    std::ofstream(folder_ / "advance.cu") << R"cu(/*attune
[kernel]
name = "advance"
[problem]
n = "size"
[parameters]
BLOCK = [1]
[compile]
options = ["-Iinclude"]
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
)cu";
  }
  // What that kernel adds.
  static int step_of(Dispatcher& gpu) {
    const Buffer<int> data(gpu, std::vector<int>(2, 0));
    gpu.plan("advance", {{"n", 2}}).launch(nullptr, data);
    return data.to_vector().back();
  }
  // Changes a byte in the middle of each section of a kind.
  static Bundle damaged(std::vector<std::byte> bytes, SectionKind kind) {
    const Bundle whole = Bundle::owning(bytes, "whole");
    EXPECT_FALSE(whole.sections(kind).empty());
    for (const Section& section : whole.sections(kind)) bytes.at(section.offset + section.length / 2) ^= std::byte{1};
    return Bundle::owning(std::move(bytes), "a damaged bundle");
  }

  std::unique_ptr<Device> device_;
};

TEST_F(DispatcherBundle, ItsRecordAndItsImageAreUsedAndNotTheDatabases) {
  remember(1000, 2);
  const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
  remember(1000, 3);
  remember(64000, 3);
  EXPECT_EQ(offset_of(*with_database(), 1000), 3);
  setenv("ATTUNE_DB", database().c_str(), 1);
  const test::NoCompiler nothing_compiles;
  Dispatcher gpu(bundle, elsewhere());
  const Match match = gpu.match("offset", problem(1000));
  EXPECT_EQ(match.rung, Rung::exact) << match.why;
  EXPECT_EQ(match.configuration.text(), "OFFSET=2 BLOCK=32");
  EXPECT_NE(gpu.match("offset", problem(64000)).rung, Rung::exact);
  EXPECT_EQ(offset_of(gpu, 1000), 2);
  EXPECT_EQ(gpu.statistics().from_bundle, 1u);
  EXPECT_EQ(gpu.statistics().compiled, 0u);
  EXPECT_EQ(gpu.statistics().from_cache, 0u);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherBundle, ADatabaseThatIsNamedIsRefused) {
  const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
  EXPECT_THAT(message_of<UsageError>([&] { Dispatcher(bundle, options()); }),
              HasSubstr("wisdom.db is not read: what this dispatcher knows is what its bundle says"));
}

TEST_F(DispatcherBundle, BesideADatabaseBothAreKnown) {
  remember(1000, 2);
  const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
  remember(9000, 3);
  const auto gpu = with_database();
  EXPECT_EQ(gpu->match("offset", problem(1000)).rung, Rung::none);
  gpu->add(bundle);
  gpu->add(bundle);  // again: nothing
  EXPECT_EQ(gpu->match("offset", problem(1000)).rung, Rung::exact);
  EXPECT_EQ(gpu->match("offset", problem(9000)).rung, Rung::exact);
  EXPECT_EQ(gpu->match("offset", problem(1500)).rung, Rung::near_problem) << "of the bundle";
  EXPECT_EQ(gpu->match("offset", problem(8000)).rung, Rung::near_problem) << "of the database";
  EXPECT_EQ(offset_of(*gpu, 1000), 2);
  EXPECT_EQ(offset_of(*gpu, 9000), 3);
  EXPECT_THAT(warnings_, IsEmpty());
}

// Of two records of one problem the one that was measured here counts, whichever is newer.
TEST_F(DispatcherBundle, GivesWayToWhatWasMeasuredHere) {
  for (const bool bundle_is_newer : {true, false}) {
    Record own = record(device_->info(), problem(1000), {{"OFFSET", 2}, {"BLOCK", 32}}), other = own;
    other.configuration = {{"OFFSET", 3}, {"BLOCK", 32}};
    other.made_ms += bundle_is_newer ? 1 : -1;
    other.uuid = make_uuid();
    store(other);
    const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
    store(own);
    const auto gpu = with_database();
    gpu->add(bundle);
    EXPECT_EQ(gpu->match("offset", problem(1000)).configuration.text(), "OFFSET=2 BLOCK=32") << bundle_is_newer;
    fs::remove(database());
  }
}

// What both know is in a bundle once.
TEST_F(DispatcherBundle, IsMadeOfTheDatabaseAndOfBundles) {
  remember(1000, 2);
  const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
  remember(9000, 3);
  const auto gpu = with_database();
  gpu->add(bundle);
  const std::vector<std::byte> both = gpu->bundle();
  gpu->add(Bundle::owning(both, "both"));
  EXPECT_EQ(gpu->bundle(), both);
  Dispatcher other(Bundle::owning(both, "both"), elsewhere());
  EXPECT_EQ(offset_of(other, 1000), 2);
  EXPECT_EQ(offset_of(other, 9000), 3);
}

TEST_F(DispatcherBundle, WithDamagedRecordsIsAWarningAndTheDefault) {
  remember(1000, 2);
  const std::vector<std::byte> bytes = bundle_of(1000);
  for (const SectionKind kind : {SectionKind::records, SectionKind::page}) {
    warnings_.clear();
    Dispatcher gpu(damaged(bytes, kind), elsewhere());
    EXPECT_EQ(offset_of(gpu, 1000), 1);
    EXPECT_EQ(gpu.match("offset", problem(1000)).rung, Rung::none);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_THAT(warnings_[0],
                HasSubstr("no wisdom is read from a damaged bundle: the bundle a damaged bundle is damaged"));
    EXPECT_THROW(static_cast<void>(gpu.bundle()), Error);
  }
}

TEST_F(DispatcherBundle, WithADamagedImageCompilesIt) {
  remember(1000, 2);
  Dispatcher gpu(damaged(bundle_of(1000), SectionKind::image), elsewhere());
  EXPECT_EQ(offset_of(gpu, 1000), 2);
  EXPECT_EQ(gpu.statistics().compiled, 1u);
  EXPECT_EQ(gpu.statistics().from_bundle, 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("an image of a bundle is not used: the bundle a damaged bundle is damaged"));
}

TEST_F(DispatcherBundle, WithADamagedKernelIsAnError) {
  const std::vector<std::byte> bytes = bundle_of(1000);
  EXPECT_THAT(message_of<Error>([&] { Dispatcher(damaged(bytes, SectionKind::kernel), elsewhere()); }),
              HasSubstr("the bundle a damaged bundle is damaged"));
}

TEST_F(DispatcherBundle, IsEqualWhereTheStateIs) {
  remember(1000, 2);
  remember(9000, 3);
  const auto one = with_database(), two = with_database();
  for (const std::int64_t n : {1000, 9000}) one->plan("offset", problem(n));
  for (const std::int64_t n : {9000, 1000}) two->plan("offset", problem(n));
  const auto hash_of = [](const Dispatcher& gpu) { return Bundle::owning(gpu.bundle(), "a bundle").hash(); };
  const std::string hash = hash_of(*one);
  EXPECT_EQ(hash_of(*two), hash);
  Dispatcher of_bundle(Bundle::owning(one->bundle(), "a bundle"), elsewhere());
  for (const std::int64_t n : {9000, 1000}) of_bundle.plan("offset", problem(n));
  EXPECT_EQ(hash_of(of_bundle), hash) << "what was a bundle is the same bundle again";
  remember(500, 2);
  EXPECT_NE(hash_of(*two), hash);
}

// The header of the image is gone where the bundle is used.
TEST_F(DispatcherBundle, ServesWhateverHeadersTheMachineHas) {
  fs::create_directory(folder_ / "include");
  std::ofstream(folder_ / "include/step.h") << "#define STEP 3\n";
  write_kernel_with_a_header();
  std::vector<std::byte> bytes;
  {
    Dispatcher gpu(options());
    gpu.add(kernel_file(folder_ / "advance.cu"));
    gpu.plan("advance", {{"n", 2}});
    bytes = gpu.bundle();
  }
  fs::remove_all(folder_ / "include");
  Dispatcher gpu(Bundle::owning(std::move(bytes), "a bundle"), elsewhere());
  EXPECT_EQ(step_of(gpu), 3);
  EXPECT_EQ(gpu.statistics().from_bundle, 1u);
  EXPECT_THAT(warnings_, IsEmpty());
}

// Another process has compiled the edited header since, into the same cache.
TEST_F(DispatcherBundle, HasTheImagesThatAreLoadedAndNoOthers) {
  const auto write_header = [&](int step) {
    fs::create_directories(folder_ / "include");
    std::ofstream(folder_ / "include/step.h") << "#define STEP " << step << "\n";
  };
  write_kernel_with_a_header();
  write_header(3);
  Dispatcher gpu(options());
  gpu.add(kernel_file(folder_ / "advance.cu"));
  EXPECT_EQ(step_of(gpu), 3);
  write_header(5);
  {
    Dispatcher another(options());
    another.add(kernel_file(folder_ / "advance.cu"));
    EXPECT_EQ(step_of(another), 5);
  }
  EXPECT_EQ(step_of(gpu), 3);
  const Bundle bundle = Bundle::owning(gpu.bundle(), "a bundle");
  write_header(3);  // as on the machine where the bundle is used
  Dispatcher other(bundle, elsewhere());
  EXPECT_EQ(step_of(other), 3);
}

// Kernel::launch() and background work, as with a database.
TEST_F(DispatcherBundle, ServesLaunchesOfSizesThatVary) {
  remember(1000, 2);
  const Bundle bundle = Bundle::owning(bundle_of(1000), "a bundle");
  const test::NoCompiler nothing_compiles;
  Dispatcher gpu(bundle, elsewhere());
  const Buffer<int> data(gpu, std::vector<int>(1000, 0)), count(gpu, 2);
  gpu.kernel("offset", Policy::cached_only).launch(nullptr, {}, data, count, 1000);
  EXPECT_EQ(data.to_vector().back(), 2);
  EXPECT_EQ(gpu.statistics().plans[static_cast<std::size_t>(Rung::exact)], 1u);
}

}  // namespace
}  // namespace attune
