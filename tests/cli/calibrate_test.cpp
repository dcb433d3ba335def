// attune calibrate, and what tune and show make of it.
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Calibrate : public Workbench {};

TEST_F(Calibrate, WithoutCeilingsNothingIsSaidOfThem) {
  const std::string tuned = output_of({"tune", scale(), "--json"});
  EXPECT_THAT(tuned, Not(HasSubstr("calibrating"))) << "the host device is calibrated on demand only";
  EXPECT_FALSE(of_type(events_in(tuned), "best").at(0).contains("bound"));
  EXPECT_THAT(output_of({"show", scale()}), AllOf(HasSubstr("time  "), Not(HasSubstr("ceiling"))));
}

TEST_F(Calibrate, CeilingsAreKeptAndShownAsTheBoundOfARecord) {
  EXPECT_THAT(output_of({"calibrate"}), AllOf(HasSubstr("copy"), HasSubstr("fma double"), HasSubstr("launch in batch"),
                                              HasSubstr("of the emulation"), HasSubstr("kept in " + database())));
  const std::string tuned = output_of({"tune", scale()});
  EXPECT_EQ(count_of(tuned, "% of the measured copy ceiling"), 2u) << tuned;  // default and best
  EXPECT_THAT(output_of({"show", scale()}), HasSubstr("% of the measured copy ceiling; "));
  const Json best = of_type(events_of({"tune", scale()}), "best").at(0);
  EXPECT_EQ(best.at("bound"), "copy");
  EXPECT_GT(best.at("bound_fraction"), 0);
  EXPECT_THAT(output_of({"list"}), Not(HasSubstr("fma")));
}

TEST_F(Calibrate, JsonTellsEachCeiling) {
  const auto events = events_of({"calibrate", "--device", "host"});
  EXPECT_EQ(events.size(), 7u);
  for (const Json& event : events) {
    EXPECT_EQ(event.at("type"), "ceiling");
    EXPECT_EQ(event.at("device").at("kind"), "host");
    EXPECT_GT(event.at("value"), 0) << event;
    for (const char* const field : {"name", "unit", "detail", "made_ms"}) EXPECT_TRUE(event.contains(field)) << field;
  }
}

}  // namespace
}  // namespace attune::test
