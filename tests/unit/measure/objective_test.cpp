#include "measure/objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "support/cases.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

ObjectiveFacts some_facts() {
  ObjectiveFacts facts;
  facts.time_ns = 2000;
  facts.energy_j = 1e-3;
  facts.registers = 40;
  facts.shared_bytes = 1024;
  facts.bytes = 8e6;
  return facts;
}

TEST(Objectives, AreTheTimeOrFormulasOverWhatIsKnown) {
  const Objectives time;
  EXPECT_TRUE(time.is_time());
  EXPECT_EQ(time.text(), "time");
  EXPECT_FALSE(time.needs_energy());
  EXPECT_EQ(time.value(0, some_facts()), 2000);
  EXPECT_DOUBLE_EQ(Objectives("time * energy").value(0, some_facts()), 2);
  EXPECT_DOUBLE_EQ(Objectives("power").value(0, some_facts()), 500);  // 1 mJ in 2 us
  EXPECT_DOUBLE_EQ(Objectives("registers + shared / 1024").value(0, some_facts()), 41);
  EXPECT_DOUBLE_EQ(Objectives("time / bytes").value(0, some_facts()), 2.5e-4);
}

TEST(Objectives, MayBeSeveral) {
  const Objectives two(" time ,max(registers, 64) ");
  EXPECT_EQ(two.size(), 2u);
  EXPECT_EQ(two.text(), "time, max(registers, 64)");
  EXPECT_FALSE(two.is_time());
  EXPECT_EQ(two.value(0, some_facts()), 2000);
  EXPECT_EQ(two.value(1, some_facts()), 64);
  EXPECT_FALSE(two.needs_energy());
  const Objectives energy("time, power");
  EXPECT_TRUE(energy.needs_energy());
  EXPECT_FALSE(energy.needs_energy(0));
  EXPECT_TRUE(energy.needs_energy(1));
}

TEST(Objectives, ThatAreNoneSaySo) {
  for (const auto& item : cases(R"(
      tiem => names tiem ;; tiem => known: time, energy ;; time, => an objective is missing in `time,`
      3 => the same for every configuration ;; time + => expected a value ;; time) => expected)"))
    EXPECT_THAT(message_of<Error>([&] { Objectives(item.at(0)); }), HasSubstr(item.at(1)));
  EXPECT_THAT(message_of<Error>([] { Objectives(""); }), HasSubstr("an objective is missing"));
}

TEST(Objectives, NeedMetricsThatAreThere) {
  EXPECT_EQ(Objectives("time / bytes").missing_metric(true, false), "");
  EXPECT_EQ(Objectives("time / bytes").missing_metric(false, true), "bytes");
  EXPECT_EQ(Objectives("time, energy / flops").missing_metric(true, false), "flops");
}

TEST(Objectives, MustBeGreaterThanNothing) {
  ObjectiveFacts facts = some_facts();
  facts.shared_bytes = 0;
  EXPECT_THAT(message_of<Error>([&] { Objectives("shared").value(0, facts); }),
              AllOf(HasSubstr("`shared` is 0"), HasSubstr("`shared + 1`")));
  facts.energy_j.reset();
  EXPECT_THROW(Objectives("energy").value(0, facts), Error);
}

TEST(ParetoFront, IsWhatIsBeatenInAllByNone) {
  EXPECT_EQ(pareto_front({{1, 5}, {2, 2}, {3, 3}, {5, 1}, {2, 2}, {5, 2}}),
            (std::vector<bool>{true, true, false, true, true, false}));
  EXPECT_EQ(pareto_front({{2}, {1}}), (std::vector<bool>{false, true}));
  EXPECT_TRUE(pareto_front({}).empty());
}

}  // namespace
}  // namespace attune
