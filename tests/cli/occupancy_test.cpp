// attune occupancy, and the line of occupancy that check and show have. Needs NVRTC, no GPU.
#include "attune/device_info.hpp"
#include "cli/workbench.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class OccupancyCommand : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    if (output_of({"--version"}).find("NVRTC   none") != std::string::npos) GTEST_SKIP() << "there is no NVRTC";
  }
  // scale.cu in blocks of 256 and 512 threads with dynamic shared memory.
  std::string of_two_steps() const {
    return scale_with({{"[64, 32, 128]", "[256]"},
                       {"BLOCK * ITEMS <= 128", "BLOCK > 0"},
                       {"block = [\"BLOCK\"]",
                        "block = [\"BLOCK\"]\nshared = \"40000\"\narguments = [\"y\", \"x\", \"n\"]\n[[launch]]\n"
                        "entry = \"scale<T, ITEMS>\"\ngrid = [\"1\"]\nblock = [\"2 * BLOCK\"]"}});
  }
  // Stores what was tuned on the host as if it were a GPU's, where the kernel had these registers.
  void store_as_of_a_gpu(int registers) const {
    WisdomStore store(database());
    const DeviceInfo gpu = device_limits("sm_90");
    Record record = store.records("scale").back();
    SessionRow session = store.sessions("scale").back();
    Trial trial = store.trials(session.id).front();
    record.uuid.clear();
    session.uuid.clear();
    record.compute_capability = gpu.compute_capability;
    record.key.device_class = session.key.record.device_class = gpu.class_key();
    trial.usage.registers = registers;
    store.add_trial(store.begin_session(session, gpu), trial);
    store.put_record(record);
  }
};

TEST_F(OccupancyCommand, ShowsEachStepWithItsLimitsAndCurves) {
  const std::string text = output_of({"occupancy", of_two_steps(), "--device", "sm_90"});
  expect_to_fit(text);
  EXPECT_EQ(count_of(text, "scale<float, 1>\n"), 2u);
  EXPECT_THAT(on_one_line(text), AllOf(HasSubstr("BLOCK=256 ITEMS=1"), HasSubstr("on sm_90"),
                                       HasSubstr("occupancy 63 % (5 blocks of 256 threads), limited by shared memory; "
                                                 "37888 bytes of shared memory: 6 blocks instead of 5"),
                                       HasSubstr("occupancy 100 % (4 blocks of 512 threads), limited by threads")));
  EXPECT_THAT(text, AllOf(HasSubstr("shared memory  40000 + 1024 bytes  233472       5\n"), HasSubstr("^ now 256\n"),
                          HasSubstr("^ now 512\n")));
  for (const char* const over : {"threads per block", "registers per thread", "bytes of shared memory per block"})
    EXPECT_EQ(count_of(text, std::string("occupancy over ") + over + "\n  100 % |"), 2u) << over;
}

TEST_F(OccupancyCommand, HasOneJsonObject) {
  const auto lines = events_of({"occupancy", of_two_steps(), "--device", "sm_90", "-c", "ITEMS=2", "-p", "T=int32"});
  ASSERT_EQ(lines.size(), 1u);
  const Json& line = lines.front();
  EXPECT_EQ(line.at("type"), "occupancy");
  EXPECT_EQ(line.at("configuration").at("ITEMS"), 2);
  EXPECT_EQ(line.at("problem").at("T"), "int32");
  EXPECT_EQ(line.at("device").at("architecture"), "sm_90");
  ASSERT_EQ(line.at("steps").size(), 2u);
  const Json& step = line.at("steps").at(0);
  EXPECT_EQ(step.at("entry"), "scale<int, 2>");
  EXPECT_EQ(step.at("block"), Json({256, 1, 1}));
  EXPECT_EQ(step.at("occupancy"), 0.625);
  EXPECT_EQ(step.at("blocks"), 5);
  EXPECT_EQ(step.at("warps"), 40);
  EXPECT_EQ(step.at("max_warps"), 64);
  EXPECT_EQ(step.at("limiters"), Json({"shared"}));
  EXPECT_EQ(step.at("blocks_by").at("threads"), 8);
  EXPECT_EQ(step.at("next"), Json({{"of", "shared"}, {"amount", 37888}, {"blocks", 6}, {"warps", 48}}));
  EXPECT_TRUE(line.at("steps").at(1).at("next").is_null());
  const Json& curves = step.at("curves");
  EXPECT_EQ(curves.at("threads").back(), Json({1024, 2, 1.0}));
  EXPECT_EQ(curves.at("registers").back(), Json({255, 1, 0.125}));
  EXPECT_EQ(curves.at("shared_bytes").back(), Json({232448, 1, 0.125}));
}

TEST_F(OccupancyCommand, IsOfAnArchitectureWhereThereIsNoGpu) {
  const std::map<std::string, std::string> nothing_named = {{"ATTUNE_DEVICE", ""}};
  const CommandResult result = attune({"occupancy", scale()}, {.environment = nothing_named});
  ASSERT_EQ(result.code, 0) << result.err;
  if (result.out.find("no GPU") == std::string::npos) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT(result.out,
              AllOf(StartsWith("note: there is no GPU here, so this is for sm_90; --device names another\n"),
                    HasSubstr("  on sm_90\n")));
  EXPECT_EQ(events_in(attune({"occupancy", scale(), "--json"}, {.environment = nothing_named}).out).size(), 1u);
}

TEST_F(OccupancyCommand, SaysWhatItCannotTell) {
  expect_failure(2, {"occupancy", scale()}, {"`host` has no multiprocessors", "--device sm_90"});
  expect_failure(2, {"occupancy", scale(), "--device", "replay:none.json"}, {"no occupancy", "--device sm_90"});
  expect_failure(2, {"occupancy", scale(), "--device", "sm_99"}, {"unknown architecture `sm_99`", "sm_90"});
  expect_failure(2, {"occupancy", scale(), "--device", "sm_90", "-c", "BLOCK=128 ITEMS=2"},
                 {"is not legal", "BLOCK * ITEMS <= 128"});
  expect_failure(1, {"occupancy", scale_with("BLOCK * ITEMS <= 128", "n < 0"), "--device", "sm_90"},
                 {"no legal configuration", "attune space", "--device sm_90"});
  expect_failure(1, {"occupancy", scale_with("T(3)", "three"), "--device", "sm_90"},
                 {"does not compile (compile_error)", "three"});
}

TEST_F(OccupancyCommand, CheckNamesItForEachEntry) {
  const std::vector<std::string> check = {"check", of_two_steps(), "--device", "sm_90"};
  const std::string text = output_of(check);
  expect_to_fit(text.substr(0, text.find("log:")));
  EXPECT_THAT(on_one_line(text), AllOf(HasSubstr("occupancy 63 % (5 blocks of 256 threads), limited by shared memory"),
                                       HasSubstr("occupancy 100 % (4 blocks of 512 threads), limited by threads")));
  EXPECT_EQ(count_of(text, "occupancy"), 2u) << "[[reference]] is not launched by applications";
  const Json entry = events_of(check).front().at("entries").at(0);
  EXPECT_EQ(entry.at("occupancy").size(), 2u);
  EXPECT_EQ(entry.at("occupancy").at(0).at("blocks"), 5);
  EXPECT_THAT(output_of({"check", scale()}), Not(HasSubstr("occupancy"))) << "on the host device";
}

TEST_F(OccupancyCommand, ShowNamesThatOfARecordedWinner) {
  output_of({"tune", scale(), "--trials", "2", "--parameters", "BLOCK=64 ITEMS=1", "--db", database()});
  EXPECT_THAT(output_of({"show", scale()}), Not(HasSubstr("occupancy"))) << "of the host device";
  store_as_of_a_gpu(80);
  const std::string text = output_of({"show", scale()});
  expect_to_fit(text);
  EXPECT_THAT(on_one_line(text), HasSubstr("occupancy      38 % (12 blocks of 64 threads), limited by registers; "
                                           "72 registers: 14 blocks instead of 12"));
  EXPECT_EQ(count_of(text, "occupancy"), 1u);
  EXPECT_THAT(output_of({"show", "scale"}), Not(HasSubstr("occupancy"))) << "without the kernel's text";
  store_as_of_a_gpu(0);
  EXPECT_THAT(output_of({"show", scale()}), Not(HasSubstr("occupancy"))) << "registers of PTX are not known";
}

}  // namespace
}  // namespace attune::test
