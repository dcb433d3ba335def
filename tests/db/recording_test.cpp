// What is read of files of measured configurations: docs/formats/recordings.md.
#include <gmock/gmock.h>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"
#include "recordings/compressed_text.hpp"
#include "recordings/recording_file.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const fs::path folder = ATTUNE_TEST_DATA "/recordings";

Recording read(const std::string& text) { return read_recordings(text, "odd.json").at(0); }

const RecordedTrial& trial_of(const Recording& recording, const std::string& configuration) {
  const SearchSpace space = space_of(recording);
  for (const RecordedTrial& trial : recording.trials)
    if (space.configuration(trial.row).text() == configuration) return trial;
  throw std::runtime_error("no trial of " + configuration);
}

// What the UsageError of `work` says; "" where it throws none.
std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string message_of(const std::string& text) {
  return refusal_of([&] { read_recordings(text, "odd.json"); });
}

// A cache of one parameter A with these rows.
std::string cache_of(const std::string& rows, const std::string& lists = R"("tune_params": {"A": [1, 2]},)") {
  return R"({"device_name": "gpu", "kernel_name": "k", "tune_params_keys": ["A"], )" + lists + R"("cache": {)" + rows +
         "}}";
}

TEST(KernelTunerCache, IsReadWithItsHeadValuesAndCosts) {
  const std::vector<Recording> recordings = load_recordings(folder / "kernel_tuner.json");
  ASSERT_EQ(recordings.size(), 1u);
  const Recording& recording = recordings[0];
  EXPECT_EQ(recording.source, (folder / "kernel_tuner.json").string());
  EXPECT_EQ(recording.kernel, "void_blur_float_");
  EXPECT_EQ(recording.device, "Test GPU 100");
  EXPECT_EQ(recording.problem, "4096x1024");
  EXPECT_THAT(recording.parameters,
              ElementsAre(Parameter{"block_size_x", {16, 32, 64, 128}}, Parameter{"method", {"shared", "texture"}},
                          Parameter{"use_padding", {true, false}}, Parameter{"scale", {0.5, 1.0}}));
  ASSERT_EQ(recording.trials.size(), 10u);
  const RecordedTrial& first = recording.trials[0];
  EXPECT_EQ(first.row, (Row{0, 0, 0, 0}));
  EXPECT_EQ(first.verdict, Verdict::ok);
  EXPECT_DOUBLE_EQ(first.median_ns, 2e6);
  EXPECT_THAT(first.samples_ns, ElementsAre(2.5e6, 1.5e6, 2e6));
  EXPECT_DOUBLE_EQ(first.compile_s, 0.1);
  EXPECT_DOUBLE_EQ(first.launches_s, 0.006);
  EXPECT_DOUBLE_EQ(first.framework_s, 0.0015);
  EXPECT_DOUBLE_EQ(first.search_s, 0.0005);
  EXPECT_DOUBLE_EQ(first.validation_s, 0.003);
  // Times and costs that are missing are made up as documented.
  const RecordedTrial& no_samples = trial_of(recording, "block_size_x=16 method=texture use_padding=true scale=0.5");
  EXPECT_DOUBLE_EQ(no_samples.median_ns, 4e6);
  EXPECT_DOUBLE_EQ(no_samples.launches_s, 0.008);  // benchmark_time
  EXPECT_EQ(no_samples.compile_s, 0);              // recorded as Infinity
  EXPECT_EQ(no_samples.framework_s, 0);            // recorded as -1
  EXPECT_DOUBLE_EQ(trial_of(recording, "block_size_x=16 method=texture use_padding=false scale=0.5").median_ns, 4e6);
}

TEST(KernelTunerCache, FailedRowsSayHow) {
  struct Case {
    const char* configuration;
    Verdict verdict;
    const char* detail;
    double launches_s;  // a failed row without launches costs none; NaN is no launch
  };
  const Case cases[] = {
      {"block_size_x=64 method=texture use_padding=false scale=0.5", Verdict::compile_error, "CompilationFailed", 0},
      {"block_size_x=64 method=texture use_padding=false scale=1.0", Verdict::launch_error, "RuntimeFailed", 0},
      {"block_size_x=64 method=shared use_padding=false scale=1.0", Verdict::restricted, "InvalidConfig", 0},
      {"block_size_x=64 method=shared use_padding=true scale=1.0", Verdict::launch_error, "not a number", 0.003},
      {"block_size_x=32 method=texture use_padding=true scale=1.0", Verdict::launch_error, "0", -1},
      {"block_size_x=32 method=texture use_padding=false scale=1.0", Verdict::launch_error, "1e+20", -1},
  };
  const Recording recording = load_recordings(folder / "kernel_tuner.json")[0];
  for (const Case& c : cases) {
    const RecordedTrial& trial = trial_of(recording, c.configuration);
    EXPECT_EQ(trial.verdict, c.verdict) << c.configuration;
    EXPECT_THAT(trial.detail, HasSubstr(c.detail));
    EXPECT_EQ(trial.median_ns, 0);
    if (c.launches_s >= 0) {
      EXPECT_DOUBLE_EQ(trial.launches_s, c.launches_s) << c.configuration;
    }
  }
}

TEST(KernelTunerCache, OfAnUnfinishedRunHasItsWholeRows) {
  EXPECT_EQ(load_recordings(folder / "kernel_tuner_unfinished.json")[0].trials.size(), 2u);
  const std::string whole = cache_of(R"("1": {"A": 1, "time": 1.0}, "2": {"A": 2, "time": 2.0})");
  const std::size_t first_end = whole.find("}, \"2\"") + 1, last_end = whole.size() - 2;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    if (size < first_end)
      EXPECT_THROW(read(cut), UsageError) << cut;
    else
      EXPECT_EQ(read(cut).trials.size(), size < last_end ? 1u : 2u) << cut;
  }
}

TEST(KernelTunerCache, HasTheValuesOfItsRowsInTheKindThatTheFileWrites) {
  const std::string rows = R"("4": {"A": 4, "time": 1}, "1": {"A": 1, "time": 2}, "2": {"A": 2, "time": 3})";
  for (const std::string& text : {cache_of(rows, ""), cache_of(rows)}) {
    EXPECT_THAT(read(text).parameters[0].values, ElementsAre(1, 2, 4)) << text;
    EXPECT_EQ(read(text).trials[0].row, Row{2}) << text;
  }
  const auto values = [](const std::string& list, const std::string& value) {
    const Recording recording =
        read(cache_of(R"("x": {"A": )" + value + R"(, "time": 1})", R"("tune_params": {"A": )" + list + "},"));
    EXPECT_EQ(recording.trials[0].row, Row{1}) << list;
    return recording.parameters[0].values;
  };
  EXPECT_THAT(values("[1, 2]", "2.0"), ElementsAre(Value(1), Value(2)));
  EXPECT_THAT(values("[1.0, 2.0]", "2"), ElementsAre(Value(1.0), Value(2.0)));
  EXPECT_THAT(values("[0, 0.5]", "0.5"), ElementsAre(Value(0.0), Value(0.5)));
  EXPECT_THAT(values("[false, true]", "1"), ElementsAre(Value(false), Value(true)));
  EXPECT_THAT(values("[1, \"fast\"]", "\"fast\""), ElementsAre(Value("1"), Value("fast")));
  EXPECT_THAT(values("[null, \"\"]", "\"\""), ElementsAre(Value("None"), Value("")));
}

TEST(KernelTunerCache, OfOneConfigurationTheLastRowCountsAndMembersStandInAnyOrder) {
  const Recording twice =
      read(cache_of(R"("1": {"A": 1, "time": 1}, "2": {"A": 2, "time": 2}, "1.0": {"A": 1.0, "time": 3})"));
  ASSERT_EQ(twice.trials.size(), 2u);
  EXPECT_DOUBLE_EQ(twice.trials[0].median_ns, 3e6);
  const Recording turned = read_recordings(
      R"({"cache": {"1": {"A": 1, "compile_time": 5, "time": 1}}, "kernel_name": "k", "tune_params_keys": ["A"]})",
      "folder/GPU_7.json.xz")[0];
  EXPECT_EQ(turned.kernel, "k");
  EXPECT_EQ(turned.device, "GPU_7") << "the file's name stands for a missing device";
}

TEST(T4Results, AreReadWithTheirFailures) {
  const Recording recording = load_recordings(folder / "t4.json")[0];
  EXPECT_EQ(recording.kernel, "t4");
  EXPECT_EQ(recording.device, "t4");
  EXPECT_THAT(recording.parameters, ElementsAre(Parameter{"tile", {2, 4, 8, 16}}, Parameter{"wide", {0, 1}}));
  ASSERT_EQ(recording.trials.size(), 7u);
  const RecordedTrial& twice = trial_of(recording, "tile=8 wide=0");
  EXPECT_DOUBLE_EQ(twice.median_ns, 3e6);
  EXPECT_DOUBLE_EQ(twice.compile_s, 0.01);
  EXPECT_DOUBLE_EQ(twice.framework_s, 0.002);
  EXPECT_DOUBLE_EQ(twice.search_s, 0.001);
  EXPECT_DOUBLE_EQ(twice.validation_s, 0.003);
  EXPECT_DOUBLE_EQ(trial_of(recording, "tile=16 wide=1").launches_s, 0.0025);
  EXPECT_EQ(trial_of(recording, "tile=2 wide=0").verdict, Verdict::compile_error);
  EXPECT_EQ(trial_of(recording, "tile=4 wide=0").verdict, Verdict::launch_error);
  EXPECT_EQ(trial_of(recording, "tile=4 wide=1").verdict, Verdict::wrong_result);
  EXPECT_EQ(trial_of(recording, "tile=8 wide=1").verdict, Verdict::timeout);
  EXPECT_EQ(trial_of(recording, "tile=2 wide=1").verdict, Verdict::restricted);
}

TEST(T4Results, TellTheirUnitOfTime) {
  const auto median = [](const std::string& unit, const std::string& own) {
    return read(R"({"metadata": {"timeunit": ")" + unit + R"("}, "results": [{"configuration": {"A": 1},
                    "measurements": [{"name": "time", "value": 2, "unit": ")" +
                own + R"("}]}]})")
        .trials[0]
        .median_ns;
  };
  EXPECT_DOUBLE_EQ(median("seconds", ""), 2e9);
  EXPECT_DOUBLE_EQ(median("seconds", "us"), 2e3);
  EXPECT_DOUBLE_EQ(median("", ""), 2e6);
  EXPECT_THROW(median("fortnights", ""), UsageError);
}

const std::string forms[] = {"kernel_tuner.json", "kernel_tuner.json.xz", "kernel_tuner.json.gz"};
constexpr std::size_t text_bytes = 2391;  // of each, decompressed

TEST(RecordingFile, IsRecognisedByContentNotByName) {
  const test::Scratch scratch;
  for (const std::string& name : forms) {
    test::write_file(scratch / "recording.dat", test::content_of(folder / name));
    EXPECT_EQ(load_recordings(scratch / "recording.dat")[0].trials.size(), 10u) << name;
  }
}

TEST(RecordingFile, DamagedCompressionIsNamed) {
  const test::Scratch scratch;
  for (const std::string& name : {forms[1], forms[2]}) {
    const std::string sound = test::content_of(folder / name);
    std::string damaged = sound;
    damaged.replace(sound.size() / 2, 4, "\x55\xAA\x55\xAA");
    test::write_file(scratch / name, damaged);
    EXPECT_THROW(load_recordings(scratch / name), UsageError) << name;
    test::write_file(scratch / name, sound.substr(0, sound.size() / 2));
    EXPECT_THAT(refusal_of([&] { load_recordings(scratch / name); }), AllOf(HasSubstr(name), HasSubstr("cut off")));
  }
}

TEST(RecordingFile, MoreTextThanTheLimitIsRefusedWhileItIsRead) {
  EXPECT_LE(TextLimits{}.decompressed, std::size_t{512} << 20);
  for (const std::string& name : forms) {
    EXPECT_THROW(read_text(folder / name, {.plain = 2000}), UsageError) << name;
    EXPECT_EQ(read_text(folder / name, {.plain = text_bytes}).size(), text_bytes) << name;
    EXPECT_EQ(read_text(folder / name, {.decompressed = 2000, .most_ratio = 50}).size(), text_bytes) << name;
    const std::string refusal = refusal_of([&] { read_text(folder / name, {.decompressed = 2000, .most_ratio = 1}); });
    if (name == forms[0])
      EXPECT_EQ(refusal, "") << "nothing was decompressed";
    else
      EXPECT_THAT(refusal, AllOf(HasSubstr(name), HasSubstr("decompress it first")));
  }
}

TEST(RecordingFile, XzStreamsMayFollowEachOtherButNothingElse) {
  const test::Scratch scratch;
  const std::string whole = test::content_of(folder / forms[1]), zeros(8, '\0');
  const auto read = [&](const std::string& behind) {
    test::write_file(scratch / "joined.json.xz", whole + behind);
    return read_text(scratch / "joined.json.xz");
  };
  EXPECT_EQ(read(zeros).size(), text_bytes);
  EXPECT_EQ(read(zeros + whole).size(), 2 * text_bytes);
  for (const std::string junk : {"junk", "\n"})
    EXPECT_THAT(refusal_of([&] { read(junk); }), AllOf(HasSubstr("joined.json.xz"), HasSubstr("other data follows")));
  EXPECT_THROW(read(whole.substr(0, whole.size() / 2)), UsageError);
}

TEST(RecordingFile, ADatabaseOfAnotherProgramIsNamed) {
  const test::Scratch scratch;
  test::write_file(scratch / "other.db", std::string("SQLite format 3\0", 16) + std::string(4080, '\0'));
  EXPECT_THAT(refusal_of([&] { load_recordings(scratch / "other.db"); }),
              AllOf(HasSubstr("other.db"), HasSubstr("no wisdom database"), HasSubstr("Kernel Tuner"),
                    Not(HasSubstr("ATTUNE_DB"))));
}

TEST(RecordingFile, TimesThatNoClockTakesAreRefused) {
  const auto refused = [](const std::string& members) {
    return message_of(cache_of(R"("7": {"A": 1, )" + members + "}"));
  };
  for (const char* const members :
       {R"("time": 1e-9)", R"("time": 2e9)", R"("time": 1, "compile_time": 1e10)", R"("time": 1, "times": [1, 1e-7])",
        R"("time": 1, "times": [1, 1e18])", R"("time": 1, "verification_time": 1e10)",
        R"("time": "CompilationFailedConfig", "framework_time": 1e200)"}) {
    EXPECT_THAT(refused(members), AllOf(HasSubstr("odd.json"), HasSubstr(R"(cache["7"])"), HasSubstr("unit of time")))
        << members;
  }
  EXPECT_EQ(refused(R"("time": 1e-6, "compile_time": 9e8, "times": [1e-6])"), "");
  EXPECT_EQ(refused(R"("time": 1e20)"), "") << "how older tuners wrote failures";
}

TEST(RecordingFile, WhatIsWrongIsNamedWithFileAndEntry) {
  for (const fs::path& path : {fs::path("/nowhere/at/all.json"), folder, fs::path()})
    EXPECT_THROW(load_recordings(path), UsageError) << path;
  std::vector<std::pair<std::string, std::vector<std::string>>> refusals = {
      {"", {"it is empty"}},
      {" \r\n", {"it is empty"}},
      {"[1, 2]", {"expected a JSON object"}},
      {"{}", {"Kernel Tuner cache"}},
      {"{\"cache\": {]}", {"no JSON", "line 1"}},
      {"{\"cache\": {}}", {"tune_params_keys"}},
      {cache_of(""), {"no whole row"}},
      {cache_of(R"("1": {"B": 1, "time": 1})"), {R"(cache["1"])", R"(no value of the parameter "A")"}},
      {cache_of(R"("1": 5)"), {R"(cache["1"])", "an object"}},
      {cache_of(R"("1": {"A": [1], "time": 1})"), {"expected an integer"}},
      {cache_of(R"("1": {"A": 18446744073709551615, "time": 1})"), {"2**63"}},
      {cache_of(R"("7": {"A": 1, "time": 1}, "8": {"A": 1e400, "time": 1})"), {R"(cache["8"])", "1e400"}},
      {cache_of(R"("7": {"A": 1, "time": 1}, "8": {"A": "1", "time": 1})"),
       {"`A` has the value 1 twice", "write it in one way"}},
      {cache_of(R"("1": {"A": "a\nb", "time": 1})"), {"on one line"}},
      {cache_of(R"("1": {"A": 1})"), {"neither a time nor single launches"}},
      {cache_of(R"("1": {"A": 1, "time": {"a": 1}})"), {"the time"}},
      {cache_of(R"("1": {"A": 1, "time": 1e999})"), {}},
      {cache_of("", R"("tune_params": {"A": 3},)"), {"an array of values"}},
      {R"({"results": [{"configuration": {"A": 1}, "invalidity": "cosmic"}]})",
       {"results[0]", "cosmic", "correctness"}},
      {R"({"results": [{"configuration": {"A": NaN}, "invalidity": "compile"}]})", {"results[0]", "NaN or Infinity"}},
      {R"({"results": [{"configuration": {"A": 1}, "invalidity": "compile"}, {"a": 1}]})", {"results[1]"}},
      {R"({"results": [{"configuration": {"A": -1e400}, "invalidity": "compile"}]})", {"results[0]", "-1e400"}},
      {R"({"results": [{"configuration": {"A": 1}, "invalidity": "compile")", {"copy it"}},
  };
  for (const std::string value : {"NaN", "Infinity", "-Infinity"}) {
    refusals.push_back({cache_of(R"("7": {"A": )" + value + R"(, "time": 1})"),
                        {R"(cache["7"])", R"(parameter "A")", "NaN or Infinity"}});
    refusals.push_back(
        {cache_of("", R"("tune_params": {"A": [1, )" + value + "]},"), {R"(tune_params["A"])", "NaN or Infinity"}});
  }
  for (const auto& [text, words] : refusals) {
    EXPECT_THAT(message_of(text), AllOf(HasSubstr("odd.json"), Not(HasSubstr("exception")))) << text;
    for (const std::string& word : words) EXPECT_THAT(message_of(text), HasSubstr(word)) << text;
  }
}

TEST(RecordingFile, HostileShapesAreRefusedSoon) {
  EXPECT_THAT(message_of("{\"cache\": {\"x\": " + std::string(100'000, '[')), HasSubstr("deep"));
  std::string members;
  for (int i = 0; i < 100'000; ++i) members += "\"m" + std::to_string(i) + "\": 1, ";
  EXPECT_THAT(message_of("{" + members + R"("cache": {}})"), HasSubstr("members"));
  EXPECT_THAT(message_of(cache_of(R"("1": {)" + members + R"("A": 1, "time": 1})")), HasSubstr("members"));
  std::string values;
  for (int i = 0; i < 70'000; ++i) values += std::to_string(i) + ",";
  EXPECT_THAT(message_of(cache_of("", R"("tune_params": {"A": [)" + values + "1]},")), HasSubstr("65535"));
  const std::string long_name(100'000, 'x');
  EXPECT_LT(message_of(cache_of("\"" + long_name + "\": {\"A\": \"a\\n" + long_name + "\"}")).size(), 1000u);
}

// The trial log of attune: of two sessions on one kernel, and one of another problem.
TEST(WisdomDatabase, GivesTheNewestTrialOfEachConfiguration) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "wisdom.db");
  EXPECT_THROW(load_recordings(scratch / "wisdom.db"), UsageError) << "without trials it is no recording";
  DeviceInfo device;
  device.name = "NVIDIA Test";
  const auto add = [&](const std::string& problem, std::initializer_list<std::tuple<int, Verdict, double>> trials) {
    SessionRow row;
    row.key.record.kernel = "scale";
    row.key.record.device_class = device.class_key();
    row.key.record.problem = Problem(parse_bindings(problem));
    const std::int64_t session = store.begin_session(row, device);
    for (const auto& [tile, verdict, ns] : trials) {
      Trial trial;
      trial.configuration = Configuration{{"TILE", tile}, {"T", "float"}};
      trial.verdict = verdict;
      trial.compile_ms = 250;
      if (verdict == Verdict::ok) trial.measurement = {{ns, ns}, ns, ns, ns, ns};
      store.add_trial(session, trial);
    }
  };
  add("n=10", {{32, Verdict::ok, 1000}, {16, Verdict::wrong_result, 0}});
  add("n=20", {{8, Verdict::ok, 500}});
  add("n=10", {{32, Verdict::ok, 2000}});
  const std::vector<Recording> recordings = load_recordings(scratch / "wisdom.db");
  ASSERT_EQ(recordings.size(), 2u);
  const Recording& recording = recordings[0];
  EXPECT_EQ(recording.kernel, "scale");
  EXPECT_EQ(recording.problem, "n=10");
  EXPECT_EQ(recording.device, "NVIDIA Test");
  EXPECT_THAT(recording.parameters, ElementsAre(Parameter{"TILE", {16, 32}}, Parameter{"T", {"float"}}));
  ASSERT_EQ(recording.trials.size(), 2u);
  EXPECT_EQ(trial_of(recording, "TILE=16 T=float").verdict, Verdict::wrong_result);
  const RecordedTrial& newest = trial_of(recording, "TILE=32 T=float");
  EXPECT_DOUBLE_EQ(newest.median_ns, 2000);
  EXPECT_DOUBLE_EQ(newest.compile_s, 0.25);
  EXPECT_DOUBLE_EQ(newest.launches_s, 4e-6);
  EXPECT_EQ(recordings[1].problem, "n=20");
}

}  // namespace
}  // namespace attune
