// Occupancy as curves, tables and lines.
#include "apps/attune/occupancy_text.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace attune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const MultiprocessorLimits limits = *multiprocessor_limits(90);

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(OccupancyText, ACurveMarksThePresentAmount) {
  const BlockUse use{256, 64, 0};
  const auto lines = lines_of(curve_text(Limiter::registers, use, limits));
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_EQ(lines[0], "occupancy over registers per thread");
  EXPECT_EQ(lines[1], "  100 % |########");
  EXPECT_EQ(lines[5], "   50 % |" + std::string(16, '#') + "o") << "64 registers are in the column after 63";
  EXPECT_EQ(lines[8], "        |" + std::string(16, '#') + "o" + std::string(47, '#'));
  EXPECT_EQ(lines[11], std::string(9 + 16, ' ') + "^ now 64");
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u);
}

TEST(OccupancyText, ACurvesEndsHaveColumns) {
  const auto mark = [](Limiter over, const BlockUse& use) { return lines_of(curve_text(over, use, limits)).back(); };
  EXPECT_EQ(mark(Limiter::threads, {1024, 32, 0}), std::string(9 + 54, ' ') + "now 1024 ^");
  EXPECT_EQ(mark(Limiter::threads, {1, 32, 0}), std::string(9, ' ') + "^ now 1");
  EXPECT_EQ(mark(Limiter::shared, {32, 32, 0}), std::string(9, ' ') + "^ now 0");
  EXPECT_EQ(mark(Limiter::shared, {32, 32, 232448}), std::string(9 + 52, ' ') + "now 232448 ^");
  EXPECT_THAT(curve_text(Limiter::shared, {32, 32, 232448}, limits), HasSubstr(std::string(8, '.')))
      << "a little is a point";
}

TEST(OccupancyText, ACurveEndsAtWhatABlockMayHave) {
  const auto points = occupancy_curve(Limiter::threads, {256, 40, 0}, limits);
  ASSERT_EQ(points.size(), 64u);
  EXPECT_EQ(points.front().amount, 16u);
  EXPECT_EQ(points.back().amount, 1024u);
  EXPECT_EQ(points.back().blocks, 1);
  EXPECT_EQ(points.back().share, 0.5);
  EXPECT_EQ(occupancy_curve(Limiter::registers, {256, 40, 0}, limits).back().amount, 255u);
  EXPECT_EQ(occupancy_curve(Limiter::shared, {256, 40, 0}, limits).back().amount, limits.shared_per_block);
}

TEST(OccupancyText, ATableSaysWhatLimitsNothing) {
  EXPECT_EQ(limits_table({256, 64, 0}, *multiprocessor_limits(75)),
            "limit                takes     of  blocks\n"
            "threads                256   1024       4\n"
            "blocks                   1     16      16\n"
            "registers      64 a thread  65536       4\n"
            "shared memory      0 bytes  65536     any\n");
  EXPECT_TRUE(occupancy_json({256, 64, 0}, *multiprocessor_limits(75)).at("blocks_by").at("shared").is_null());
}

TEST(OccupancyText, StepsThatTakeTheSameAreOne) {
  Image image;
  image.architecture = "sm_90";
  image.functions = {{"a", "_a", {.registers = 40, .shared_static = 128}}, {"verify", "_v", {.registers = 99}}};
  ResolvedStep step;
  step.expression = "a";
  step.shape.block = {16, 8, 2};
  step.shape.shared_bytes = 1000;
  std::vector<ResolvedStep> steps = {step, step, step, step};
  steps[1].shape.grid = {7, 1, 1};
  steps[2].shape.block = {16, 8, 1};
  steps[3].kind = StepKind::memset;
  const auto uses = step_uses(image, steps);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].block().threads, 256);
  EXPECT_EQ(uses[0].block().registers, 40);
  EXPECT_EQ(uses[0].block().shared_bytes, 1128u);
  EXPECT_EQ(uses[1].block().threads, 128);
  image.architecture = "compute_90";
  EXPECT_TRUE(step_uses(image, steps).empty());
}

// The stored registers are those of the step that uses the most.
TEST(OccupancyText, ARecordsIsSaidWhereItIsOfOneStep) {
  Record record;
  record.key.device_class = "cuda|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-";
  record.compute_capability = 90;
  record.configuration = {{"BLOCK", 256}};
  Trial trial;
  trial.configuration = record.configuration;
  trial.usage.registers = 64;
  trial.shapes.resize(1);
  trial.shapes.front().block = {256, 1, 1};
  const auto said = [&](const KernelSpec& spec = {}) { return recorded_occupancy(record, spec, trial); };
  const std::string text = "50 % (4 blocks of 256 threads), limited by registers; 48 registers: 5 blocks instead of 4";
  EXPECT_EQ(said(), text);
  KernelSpec verified;
  verified.verify.emplace_back();
  EXPECT_EQ(said(verified), "");
  trial.shapes.resize(2);
  EXPECT_EQ(said(), "");
  trial.shapes.resize(1);
  record.key.device_class = "replay|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-";
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace attune::cli
