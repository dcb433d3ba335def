// A kernel with a tensor map while it is tuned, on the host device: every legal configuration, and misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/on_device.hpp"
#include "support/tiles_kernel.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class TensorMapOnHost : public testing::Test {
 protected:
  static std::string changed(std::string_view before, std::string_view after, std::string text = test::tiles_file()) {
    const auto at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
  }
  Status load(const std::string& text, const Configuration& configuration) const {
    const KernelSpec spec = read_kernel_text(text, "tiles.cu");
    const Problem problem = make_problem(spec, {}, "host");
    return test::OnDevice(*device_, spec, problem, wide(false)).load(1, configuration);
  }
  static Configuration wide(bool tensor) { return {{"TENSOR", tensor}, {"TILE_X", 32}, {"TILE_Y", 8}}; }
  const std::unique_ptr<Device> device_ = open_device("host");
};

TEST_F(TensorMapOnHost, EveryLegalConfigurationIsRight) {
  const KernelSpec spec = read_kernel_text(test::tiles_file(), "tiles.cu");
  std::size_t with_map = 0;
  for (const char* const given : {"width=100 height=48 T=float", "width=48 height=101 T=int2"}) {
    const Problem problem = parse_problem(spec, given, "host");
    test::OnDevice tried(*device_, spec, problem, wide(false));
    for (const bool tensor : {true, false})
      for (const int x : {32, 8, 16, 6})
        for (const int y : {8, 32}) {
          const Configuration configuration{{"TENSOR", tensor}, {"TILE_X", x}, {"TILE_Y", y}};
          if (!legal_configuration(spec, problem, device_->info(), configuration)) continue;
          const Status status = tried.load(1, configuration);
          EXPECT_TRUE(status.ok()) << configuration.text() << ": " << status.detail;
          with_map += tensor;
          tried.runner().release(1);
        }
  }
  EXPECT_EQ(with_map, 10u);
}

TEST_F(TensorMapOnHost, EverySetOfTheDataHasItsMap) {
  const KernelSpec spec = read_kernel_text(test::tiles_file(), "tiles.cu");
  test::OnDevice tried(*device_, spec, make_problem(spec, {}, "host"), wide(false));
  ASSERT_TRUE(tried.load(1, wide(true)).ok());
  TimingPlan plan;
  plan.regime = Regime::stream;
  plan.batch = 3;
  EXPECT_TRUE(tried.runner().sample(1, plan).status.ok());
  EXPECT_GT(dynamic_cast<KernelRunner&>(tried.runner()).copied_bytes(), 0u);
  Numerics numerics;
  EXPECT_TRUE(tried.runner().check_again(1, numerics).ok());
}

TEST_F(TensorMapOnHost, AMapIsNoPointerOfTheEntry) {
  const Status status =
      load(changed("const __grid_constant__ attune::TensorMap in_tiles", "const T* in_tiles"), wide(true));
  EXPECT_EQ(status.verdict, Verdict::compile_error);
  EXPECT_THAT(status.detail, HasSubstr("argument 'in_tiles' (tensor map) of 'copy<float, 32, 8, true>' does not fit "
                                       "parameter 3"));
}

TEST_F(TensorMapOnHost, MisuseIsAFault) {
  const std::string zeros = changed("when = \"TENSOR\"", "when = \"!TENSOR\"");
  EXPECT_TRUE(load(zeros, wide(true)).ok());  // the kernel asks whether it may use the map
  const std::pair<std::string, const char*> table[] = {
      {changed("attune::usable(in_tiles)", "true", zeros), "a tensor map of zeros was used"},
      {changed("full, x0, y0)", "full, x0)"), "another number of coordinates"},
      {changed("load_tensor(box,", "load_tensor(box + 1,"), "not aligned"},
      {changed("full, x0, y0)", "full, x0 + 1, y0)"), "no multiple of 16 bytes"},
  };
  for (const auto& [text, said] : table) {
    const Status status = load(text, wide(true));
    EXPECT_EQ(status.verdict, Verdict::fault) << said;
    EXPECT_THAT(status.detail, HasSubstr(said));
  }
}

}  // namespace
}  // namespace attune
