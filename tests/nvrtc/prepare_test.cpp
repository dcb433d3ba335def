// attune prepare for an architecture that is not here: what a Dispatcher on such a device would load, by the real
// NVRTC, without a driver.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "device/cuda/cuda_device.hpp"
#include "dispatch/planner.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "support/command.hpp"
#include "support/loads_anything.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// As the driver describes it.
DeviceInfo h200() {
  DeviceInfo info = device_limits("sm_90");
  info.name = "NVIDIA H200";
  info.memory_bytes = 150'754'820'096;
  info.memory_bus_bits = 6144;
  info.l2_bytes = 62'914'560;
  info.driver = "580.95.05 (CUDA 13.0)";
  info.uuid = "GPU-1";
  return info;
}

class PreparedForSm90 : public test::NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "attune-prepare-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  void remember(const std::string& problem, const std::string& configuration) const {
    Record record;
    record.key = {spec_.name, spec_.fingerprints.code, spec_.fingerprints.contract, h200().class_key(),
                  parse_problem(spec_, problem, "cuda")};
    record.configuration = parse_configuration(spec_, configuration);
    record.device_name = h200().name;
    record.compute_capability = 90;
    record.multiprocessors = 132;
    record.median_ns = 1000;
    record.default_ns = 1500;
    record.driver = h200().driver;
    record.toolchain = make_nvrtc_compiler("sm_90")->toolchain();
    record.attune_version = "0.1.0";
    record.made_ms = 1700000000000;
    WisdomStore((folder_ / "wisdom.db")).put_record(record);
  }
  std::string prepare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {ATTUNE_BUILD_DIR "/bin/attune", "prepare", kernel_});
    for (const std::string& more :
         {std::string("--cache"), (folder_ / "site").string(), std::string("--architecture"), std::string("sm_90")})
      arguments.push_back(more);
    const auto result =
        test::run_command(arguments, {.environment = {{"ATTUNE_DB", (folder_ / "wisdom.db").string()}}});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    return result.out;
  }
  // What a Dispatcher on this device loads for a problem. It has no compiler.
  Rung planned(const DeviceInfo& info, const std::string& problem) const {
    const auto device = std::make_shared<test::LoadsAnything>(nullptr, info);
    Warnings warnings([](const std::string& message) { ADD_FAILURE() << message; });
    const AddedBundles none(warnings);
    const WisdomSources sources{
        {{WisdomSource::Kind::database, std::make_shared<const WisdomReader>(folder_ / "wisdom.db", 1.0)}}};
    Planner planner(device, sources, none, {folder_ / "own", folder_ / "site"}, Regime::cold, "time", warnings);
    const PlannedParts planned = planner.plan(std::make_shared<const KernelPack>(make_pack(spec_, kernel_)),
                                              parse_problem(spec_, problem, "cuda"), Policy::cached_only);
    warnings.deliver();
    EXPECT_EQ(planner.counts().images.from_cache, 1u);
    EXPECT_TRUE(planned.is_best);
    EXPECT_EQ(device->loaded, std::vector<std::string>{"sm_90"});
    return planned.parts->match.rung;
  }
  const std::string kernel_ = "transpose";
  const KernelSpec spec_ = load_kernel("transpose");
  fs::path folder_;
};

TEST_F(PreparedForSm90, ARecordIsFoundByADispatcherThere) {
  remember("width=4096 height=4096 T=float", "TILE_X=64");
  EXPECT_THAT(
      prepare({}),
      HasSubstr("compiled  transpose on sm_90 for width=4096 height=4096 T=float (record):\n          TILE_X=64 "));
  EXPECT_EQ(planned(h200(), "width=4096 height=4096 T=float"), Rung::exact);
  DeviceInfo sibling = h200();
  sibling.name = "NVIDIA H100 80GB HBM3";
  sibling.memory_bytes = 85'017'493'504;
  sibling.memory_bus_bits = 5120;
  sibling.l2_bytes = 52'428'800;
  EXPECT_EQ(planned(sibling, "width=4096 height=4096 T=float"), Rung::sibling_device);
}

TEST_F(PreparedForSm90, ADefaultIsFoundByADispatcherThere) {
  EXPECT_THAT(prepare({"--problem", "width=64 height=32 T=double"}), HasSubstr("1 compiled"));
  EXPECT_EQ(planned(h200(), "width=64 height=32 T=double"), Rung::none);
  EXPECT_THAT(prepare({"--problem", "width=64 height=32 T=double"}), HasSubstr("0 compiled, 1 there already"));
}

TEST_F(PreparedForSm90, AProblemNearARecordIsFoundOnTheDevicesOfTheRecord) {
  remember("width=4096 height=4096 T=float", "TILE_X=64");
  prepare({"--problem", "width=5000 height=4096 T=float"});
  EXPECT_EQ(planned(h200(), "width=5000 height=4096 T=float"), Rung::near_problem);
}

}  // namespace
}  // namespace attune
