// attune calibrate, and what tune and show make of it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Calibrate : public Workbench {
 protected:
  nlohmann::json best_of(const std::string& out) const {
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);)
      if (const auto json = nlohmann::json::parse(line); json.at("type") == "best") return json;
    return {};
  }
};

TEST_F(Calibrate, WithoutCeilingsNothingIsSaidOfThem) {
  const CommandResult tuned = attune({"tune", scale(), "--json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, Not(HasSubstr("calibrating"))) << "the host device is calibrated on demand only";
  EXPECT_FALSE(best_of(tuned.out).contains("bound"));
  const CommandResult shown = attune({"show", scale()});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("time  "), Not(HasSubstr("ceiling"))));
}

TEST_F(Calibrate, CeilingsAreKeptAndShownAsTheBoundOfARecord) {
  const CommandResult result = attune({"calibrate"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("copy"), HasSubstr("fma double"), HasSubstr("launch in batch"),
                                HasSubstr("of the emulation"), HasSubstr("kept in " + database())));

  const CommandResult tuned = attune({"tune", scale()});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(count_of(tuned.out, "% of the measured copy ceiling"), 2u) << tuned.out;  // default and best
  EXPECT_THAT(attune({"show", scale()}).out, HasSubstr("% of the measured copy ceiling; "));
  const nlohmann::json best = best_of(attune({"tune", scale(), "--json"}).out);
  EXPECT_EQ(best.at("bound"), "copy");
  EXPECT_GT(best.at("bound_fraction"), 0);
  EXPECT_THAT(attune({"list"}).out, Not(HasSubstr("copy")));
}

TEST_F(Calibrate, JsonTellsEachCeiling) {
  const CommandResult result = attune({"calibrate", "--device", "host", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream in(result.out);
  std::size_t lines = 0;
  for (std::string text; std::getline(in, text); ++lines) {
    const auto line = nlohmann::json::parse(text);
    EXPECT_EQ(line.at("type"), "ceiling");
    EXPECT_EQ(line.at("device").at("kind"), "host");
    EXPECT_GT(line.at("value"), 0) << text;
    for (const char* const field : {"name", "unit", "detail", "made_ms"}) EXPECT_TRUE(line.contains(field)) << field;
  }
  EXPECT_EQ(lines, 7u);
}

TEST_F(Calibrate, ARecordingCannotBeCalibrated) {
  const CommandResult result =
      attune({"calibrate", "--device", "replay:" ATTUNE_TEST_DATA "/recordings/kernel_tuner.json"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is a recording"));
}

}  // namespace
}  // namespace attune::test
