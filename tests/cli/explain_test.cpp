// attune explain: advice from a stored session, and from the counters of a profiler, here a script in its place.
#include <filesystem>

#include "cli/workbench.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* planted = ATTUNE_TEST_DATA "/planted/";

class Explain : public Workbench {
 protected:
  std::string kernel() const { return std::string(planted) + "bank_conflict.cu"; }

  // A session on a GPU that is not here: the padded configuration is the faster one.
  void store_session() const {
    const KernelSpec spec = load_kernel(kernel());
    DeviceInfo device = device_limits("sm_90");
    device.name = "NVIDIA H200";
    device.multiprocessors = 132;
    SessionRow row;
    row.key.record = {spec.name, spec.fingerprints.code, spec.fingerprints.contract, device.class_key(),
                      Problem{{"n", Value(std::int64_t{4096})}}};
    row.key.space = "space";
    row.key.strategy = "random";
    row.started_ms = 1;
    WisdomStore store(database());
    const std::int64_t session = store.begin_session(row, device);
    for (const std::int64_t pad : {0, 1}) {
      Trial trial;
      trial.configuration = {{"PAD", Value(pad)}};
      trial.measurement.samples_ns = {pad == 0 ? 88000.0 : 35000.0};
      trial.measurement.min_ns = trial.measurement.median_ns = trial.measurement.samples_ns[0];
      trial.measurement.q1_ns = trial.measurement.q3_ns = trial.measurement.median_ns;
      trial.usage.registers = 32;
      trial.usage.shared_static = 4096 + 128 * static_cast<std::uint64_t>(pad);
      LaunchShape shape;
      shape.grid = {128, 128, 1};
      shape.block = {32, 8, 1};
      trial.shapes = {shape};
      store.add_trial(session, trial);
    }
  }
  // A program in the profiler's place. $log: the file that it has to write; $configuration: of the check.
  std::string profiler(const std::string& body) const {
    const std::string file = write("ncu", "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + (folder_ / "asked").string() +
                                              "\nwhile [ $# -gt 1 ]; do\n  [ \"$1\" = --log-file ] && log=$2\n"
                                              "  [ \"$1\" = --configuration ] && configuration=$2\n  shift\ndone\n" +
                                              body);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  CommandResult explain(std::vector<std::string> arguments, const std::string& profiler) const {
    arguments.insert(arguments.begin(), {"explain", kernel()});
    return attune(arguments, {.environment = {{"ATTUNE_NCU", profiler}, {"ATTUNE_DEVICE", "cuda"}}});
  }
};

TEST_F(Explain, OfASessionOnTheHostSaysThatTheHostHasNoCounters) {
  output_of({"tune", scale(), "--seed", "1"});
  const std::string text = output_of({"explain", scale()});
  EXPECT_THAT(on_one_line(text), AllOf(HasSubstr("scale n=5000"), HasSubstr("advice from these trials: none"),
                                       HasSubstr("the device `host` has no counters: tune on a GPU")));
  expect_to_fit(text);
  const Json line = events_of({"explain", scale()}).at(0);
  EXPECT_EQ(line.at("type"), "explain");
  EXPECT_EQ(line.at("counters"), nullptr);
  EXPECT_THAT(line.at("no_counters").get<std::string>(), HasSubstr("host"));
}

TEST_F(Explain, NamesEachPlantedFaultByStoredCountersAndNoneWithoutIt) {
  store_session();
  const std::vector<std::pair<std::string, std::string>> faults = {{"bank_conflict", "bank conflicts"},
                                                                   {"uncoalesced", "uncoalesced"},
                                                                   {"spill", "spills"},
                                                                   {"tail", "tail"},
                                                                   {"divergence", "divergence"}};
  for (const auto& [file, fault] : faults) {
    const std::string stem = planted + file;
    const Json line = events_of({"explain", kernel(), "--device", "cuda", "--default-counters", stem + ".fault.csv",
                                 "--counters", stem + ".clean.csv"})
                          .at(0);
    EXPECT_EQ(line.at("default_counters").at("findings").at(0).at("about"), fault);
    EXPECT_THAT(line.at("counters").at("findings"), IsEmpty()) << file;
  }
}

TEST_F(Explain, ShowsAdviceWithThresholdAndEvidence) {
  store_session();
  const CommandResult result = explain({}, profiler("exit 1\n"));
  EXPECT_EQ(result.code, 0) << result.err;
  expect_to_fit(result.out);
  EXPECT_THAT(on_one_line(result.out),
              AllOf(HasSubstr("planted_bank_conflict n=4096 on NVIDIA H200"), HasSubstr("best           PAD=1"),
                    HasSubstr("bank stride    padding by PAD pays"),
                    HasSubstr("evidence: 2.51x in 1 pair, such as PAD=1 instead of 0"), HasSubstr("named from: 1.1x"),
                    HasSubstr("blocks         this configuration meets the heuristics")));
  const CommandResult other = explain({"--configuration", "PAD=0"}, profiler("exit 1\n"));
  EXPECT_THAT(other.out, HasSubstr("configuration  PAD=0"));
}

TEST_F(Explain, CountsOneLaunchOfTheDefaultAndOfTheBestByTheProfiler) {
  store_session();
  const std::string ncu = profiler("case $configuration in PAD=0) form=fault ;; *) form=clean ;; esac\ncp " +
                                   std::string(planted) + "bank_conflict.$form.csv \"$log\"\n");
  const CommandResult result = explain({"--device", "cuda:0"}, ncu);
  EXPECT_EQ(result.code, 0) << result.err;
  expect_to_fit(result.out);
  EXPECT_THAT(result.out, AllOf(ContainsRegex("counters of one launch +default +best\n"),
                                ContainsRegex("passes by bank conflicts +16470954 +59773\n"),
                                HasSubstr("default, by these counters\n  bank conflicts "),
                                HasSubstr("best, by these counters: nothing is known to be wrong")));
  const std::string asked = content_of(folder_ / "asked");
  EXPECT_EQ(lines_of(asked).size(), 2U);
  EXPECT_THAT(asked, AllOf(HasSubstr("--clock-control none"), HasSubstr("--kernel-name planted_bank_conflict "),
                           HasSubstr("--launch-skip 2 --launch-count 1"), HasSubstr("smsp__thread_inst_executed"),
                           HasSubstr("/bin/attune check " + kernel() +
                                     " --problem n=4096 --configuration PAD=1 "
                                     "--device cuda:0")));
}

TEST_F(Explain, SaysWhyCountersCannotBeReadAndWhatToDo) {
  store_session();
  const auto why = [&](const std::string& body) {
    const CommandResult result = explain({}, profiler(body));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("bank stride"), Not(HasSubstr("\x1b")))) << "advice is there all the same";
    return on_one_line(result.out.substr(result.out.rfind("counters: ")));
  };
  EXPECT_THAT(why("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >\"$log\"\n"),
              AllOf(HasSubstr("may not read the GPU's counters"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"),
                    HasSubstr("--default-counters")));
  EXPECT_THAT(why("printf '==ERROR== no \\033[31mdriver\\n' >\"$log\"\n"),
              HasSubstr("ncu: ==ERROR== no \\x1b[31mdriver"));
  EXPECT_THAT(why("echo 'attune: there is no GPU'; exit 1\n"), HasSubstr("ncu: attune: there is no GPU"));
  EXPECT_THAT(why("exit 0\n"), HasSubstr("it has counted no launch"));
  EXPECT_THAT(why("exit 0\n"), AllOf(HasSubstr("to see all of it: "), HasSubstr("attune check ")));
  expect_failure(2, {"explain", kernel(), "--device", "cuda", "--counters", scale()}, {"ncu --csv --page raw"});
  const CommandResult missing = explain({}, "/nowhere/ncu");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("ATTUNE_NCU names `/nowhere/ncu`, which is no program"));
}

TEST_F(Explain, NamesWhatIsMissing) {
  expect_failure(2, {"explain", kernel()}, {"attune tune"});
  store_session();
  expect_failure(2, {"explain", kernel(), "--problem", "n=7"}, {"no session of planted_bank_conflict for this"});
  expect_failure(2, {"explain", "planted_bank_conflict", "--configuration", "PAD=0"}, {"name its file"});
  EXPECT_THAT(on_one_line(output_of({"explain", "planted_bank_conflict"})),
              HasSubstr("its text is in its file: name FILE.cu"));
}

}  // namespace
}  // namespace attune::test
