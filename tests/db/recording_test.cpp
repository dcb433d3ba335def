// What is read of files of measured configurations: docs/formats/recordings.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "db/compressed_text.hpp"
#include "db/recording_file.hpp"
#include "db/scratch.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path folder = ATTUNE_TEST_DATA "/recordings";

const RecordedTrial& trial_of(const Recording& recording, const std::string& configuration) {
  const SearchSpace space = space_of(recording);
  for (const RecordedTrial& trial : recording.trials)
    if (space.configuration(trial.row).text() == configuration) return trial;
  throw std::runtime_error("no trial of " + configuration);
}

std::string message_of(const std::string& text) {
  try {
    read_recordings(text, "odd.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
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
}

TEST(KernelTunerCache, FailedRowsSayHow) {
  const Recording recording = load_recordings(folder / "kernel_tuner.json")[0];
  const auto expect = [&](const std::string& configuration, Verdict verdict, const std::string& detail) {
    const RecordedTrial& trial = trial_of(recording, configuration);
    EXPECT_EQ(trial.verdict, verdict) << configuration;
    EXPECT_THAT(trial.detail, HasSubstr(detail));
    EXPECT_EQ(trial.median_ns, 0);
  };
  expect("block_size_x=64 method=texture use_padding=false scale=0.5", Verdict::compile_error, "CompilationFailed");
  expect("block_size_x=64 method=texture use_padding=false scale=1.0", Verdict::launch_error, "RuntimeFailed");
  expect("block_size_x=64 method=shared use_padding=false scale=1.0", Verdict::restricted, "InvalidConfig");
  expect("block_size_x=64 method=shared use_padding=true scale=1.0", Verdict::launch_error, "not a number");
  expect("block_size_x=32 method=texture use_padding=true scale=1.0", Verdict::launch_error, "0");
  expect("block_size_x=32 method=texture use_padding=false scale=1.0", Verdict::launch_error, "1e+20");
  // A failed row without launches costs none; NaN is no launch.
  EXPECT_EQ(trial_of(recording, "block_size_x=64 method=texture use_padding=false scale=1.0").launches_s, 0);
  EXPECT_DOUBLE_EQ(trial_of(recording, "block_size_x=64 method=shared use_padding=true scale=1.0").launches_s, 0.003);
}

TEST(KernelTunerCache, MissingTimesAndCostsAreMadeUpAsDocumented) {
  const Recording recording = load_recordings(folder / "kernel_tuner.json")[0];
  const RecordedTrial& no_samples = trial_of(recording, "block_size_x=16 method=texture use_padding=true scale=0.5");
  EXPECT_DOUBLE_EQ(no_samples.median_ns, 4e6);
  EXPECT_DOUBLE_EQ(no_samples.launches_s, 0.008);  // benchmark_time
  EXPECT_EQ(no_samples.compile_s, 0);              // recorded as Infinity
  EXPECT_EQ(no_samples.framework_s, 0);            // recorded as -1
  const RecordedTrial& no_time = trial_of(recording, "block_size_x=16 method=texture use_padding=false scale=0.5");
  EXPECT_DOUBLE_EQ(no_time.median_ns, 4e6);
}

TEST(KernelTunerCache, OfAnUnfinishedRunHasItsWholeRows) {
  const Recording recording = load_recordings(folder / "kernel_tuner_unfinished.json")[0];
  EXPECT_EQ(recording.trials.size(), 2u);
  const std::string whole = cache_of(R"("1": {"A": 1, "time": 1.0}, "2": {"A": 2, "time": 2.0})");
  const std::size_t first_end = whole.find("}, \"2\"") + 1, last_end = whole.size() - 2;
  for (std::size_t size = first_end; size < whole.size(); ++size) {
    const auto recordings = read_recordings(whole.substr(0, size), "cut.json");
    EXPECT_EQ(recordings[0].trials.size(), size < last_end ? 1u : 2u) << whole.substr(0, size);
  }
  for (std::size_t size = 0; size < first_end; ++size)
    EXPECT_THROW(read_recordings(whole.substr(0, size), "cut.json"), UsageError) << whole.substr(0, size);
}

TEST(KernelTunerCache, WithoutValueListsHasThoseOfItsRows) {
  const std::string rows = R"("4": {"A": 4, "time": 1}, "1": {"A": 1, "time": 2}, "2": {"A": 2, "time": 3})";
  EXPECT_THAT(read_recordings(cache_of(rows, ""), "x.json")[0].parameters[0].values, ElementsAre(1, 2, 4));
  const Recording beside = read_recordings(cache_of(rows), "x.json")[0];
  EXPECT_THAT(beside.parameters[0].values, ElementsAre(1, 2, 4));
  EXPECT_EQ(beside.trials[0].row, Row{2});
}

TEST(KernelTunerCache, ValuesKeepTheKindThatTheFileWrites) {
  const auto values = [](const std::string& list, const std::string& value) {
    const std::string rows = R"("x": {"A": )" + value + R"(, "time": 1})";
    const Recording recording = read_recordings(cache_of(rows, R"("tune_params": {"A": )" + list + "},"), "x.json")[0];
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

TEST(KernelTunerCache, OfOneConfigurationTheLastRowCounts) {
  const Recording recording = read_recordings(
      cache_of(R"("1": {"A": 1, "time": 1}, "2": {"A": 2, "time": 2}, "1.0": {"A": 1.0, "time": 3})"), "x.json")[0];
  ASSERT_EQ(recording.trials.size(), 2u);
  EXPECT_DOUBLE_EQ(recording.trials[0].median_ns, 3e6);
}

TEST(KernelTunerCache, ItsMembersMayStandInAnyOrder) {
  const Recording recording = read_recordings(
      R"({"cache": {"1": {"A": 1, "compile_time": 5, "time": 1}}, "kernel_name": "k", "tune_params_keys": ["A"]})",
      "folder/GPU_7.json.xz")[0];
  EXPECT_EQ(recording.kernel, "k");
  EXPECT_EQ(recording.device, "GPU_7") << "the file's name stands for a missing device";
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
    return read_recordings(R"({"metadata": {"timeunit": ")" + unit + R"("}, "results": [{"configuration": {"A": 1},
      "measurements": [{"name": "time", "value": 2, "unit": ")" +
                               own + R"("}]}]})",
                           "x.json")[0]
        .trials[0]
        .median_ns;
  };
  EXPECT_DOUBLE_EQ(median("seconds", ""), 2e9);
  EXPECT_DOUBLE_EQ(median("seconds", "us"), 2e3);
  EXPECT_DOUBLE_EQ(median("", ""), 2e6);
  EXPECT_THROW(median("fortnights", ""), UsageError);
}

TEST(RecordingFile, IsRecognisedByContentNotByName) {
  const test::Scratch scratch;
  for (const char* const name : {"kernel_tuner.json", "kernel_tuner.json.xz", "kernel_tuner.json.gz"}) {
    const std::filesystem::path copy = scratch.path() / "recording.dat";
    std::filesystem::copy_file(folder / name, copy, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(load_recordings(copy)[0].trials.size(), 10u) << name;
  }
}

TEST(RecordingFile, DamagedCompressionIsNamed) {
  const test::Scratch scratch;
  for (const char* const name : {"kernel_tuner.json.xz", "kernel_tuner.json.gz"}) {
    const std::filesystem::path copy = scratch.path() / name;
    std::filesystem::copy_file(folder / name, copy);
    const auto size = std::filesystem::file_size(copy);
    {
      std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size / 2));
      file.write("\x55\xAA\x55\xAA", 4);
    }
    EXPECT_THROW(load_recordings(copy), UsageError) << name;
    std::filesystem::copy_file(folder / name, copy, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy, size / 2);
    try {
      load_recordings(copy);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr("cut off")));
    }
  }
}

TEST(RecordingFile, MoreTextThanTheLimitIsRefusedWhileItIsRead) {
  for (const char* const name : {"kernel_tuner.json", "kernel_tuner.json.xz", "kernel_tuner.json.gz"}) {
    EXPECT_THROW(read_text(folder / name, {.plain = 2000}), UsageError) << name;
    EXPECT_EQ(read_text(folder / name, {.plain = 2391}).size(), 2391u) << name;
  }
}

TEST(RecordingFile, AFewCompressedBytesDoNotBecomeAnyNumberOfBytes) {
  EXPECT_LE(TextLimits{}.decompressed, std::size_t{512} << 20);
  EXPECT_EQ(read_text(folder / "kernel_tuner.json", {.decompressed = 2000, .most_ratio = 1}).size(), 2391u);
  for (const char* const name : {"kernel_tuner.json.xz", "kernel_tuner.json.gz"}) {
    EXPECT_EQ(read_text(folder / name, {.decompressed = 2000, .most_ratio = 50}).size(), 2391u) << name;
    try {
      read_text(folder / name, {.decompressed = 2000, .most_ratio = 1});
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr("decompress it first")));
    }
  }
}

TEST(RecordingFile, XzStreamsMayFollowEachOtherButNothingElse) {
  const test::Scratch scratch;
  const auto read = [&](const std::string& behind) {
    const std::filesystem::path copy = scratch.path() / "joined.json.xz";
    std::filesystem::copy_file(folder / "kernel_tuner.json.xz", copy,
                               std::filesystem::copy_options::overwrite_existing);
    std::ofstream(copy, std::ios::app | std::ios::binary) << behind;
    return read_text(copy);
  };
  std::ifstream stream(folder / "kernel_tuner.json.xz", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(read("").size(), 2391u);
  EXPECT_EQ(read(std::string(8, '\0')).size(), 2391u);
  EXPECT_EQ(read(std::string(8, '\0') + whole).size(), 2 * 2391u);
  for (const std::string junk : {"junk", "\n"}) {
    try {
      read(junk);
      ADD_FAILURE() << junk;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("joined.json.xz"), HasSubstr("other data follows")));
    }
  }
  EXPECT_THROW(read(whole.substr(0, whole.size() / 2)), UsageError);
}

TEST(RecordingFile, ADatabaseOfAnotherProgramIsNamed) {
  const test::Scratch scratch;
  const std::filesystem::path file = scratch.path() / "other.db";
  std::ofstream(file, std::ios::binary) << std::string("SQLite format 3\0", 16) << std::string(4080, '\0');
  try {
    load_recordings(file);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("other.db"), HasSubstr("no wisdom database"), HasSubstr("Kernel Tuner"),
                                    Not(HasSubstr("ATTUNE_DB"))));
  }
}

TEST(RecordingFile, NumbersThatAreNoneAreNoValues) {
  for (const std::string value : {"NaN", "Infinity", "-Infinity"}) {
    EXPECT_THAT(message_of(cache_of(R"("7": {"A": )" + value + R"(, "time": 1})")),
                AllOf(HasSubstr("odd.json"), HasSubstr(R"(cache["7"])"), HasSubstr(R"(parameter "A")"),
                      HasSubstr("NaN or Infinity")));
    EXPECT_THAT(message_of(cache_of("", R"("tune_params": {"A": [1, )" + value + "]},")),
                AllOf(HasSubstr(R"(tune_params["A"])"), HasSubstr("NaN or Infinity")));
  }
  EXPECT_THAT(message_of(R"({"results": [{"configuration": {"A": NaN}, "invalidity": "compile"}]})"),
              AllOf(HasSubstr("results[0]"), HasSubstr("NaN or Infinity")));
}

TEST(RecordingFile, NumbersBeyondAnyRangeAreNamedWithTheirRow) {
  EXPECT_THAT(
      message_of(cache_of(R"("7": {"A": 1, "time": 1}, "8": {"A": 1e400, "time": 1})")),
      AllOf(HasSubstr("odd.json"), HasSubstr(R"(cache["8"])"), HasSubstr("1e400"), Not(HasSubstr("exception"))));
  EXPECT_THAT(message_of(R"({"results": [{"configuration": {"A": 1}, "invalidity": "compile"},
                                         {"configuration": {"A": -1e400}, "invalidity": "compile"}]})"),
              AllOf(HasSubstr("results[1]"), HasSubstr("-1e400")));
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

TEST(RecordingFile, ValuesThatBecomeOneAreNamed) {
  EXPECT_THAT(message_of(cache_of(R"("7": {"A": 1, "time": 1}, "8": {"A": "1", "time": 1})")),
              AllOf(HasSubstr("odd.json"), HasSubstr("`A` has the value 1 twice"), HasSubstr("write it in one way")));
}

TEST(RecordingFile, AnEmptyFileIsCalledEmpty) {
  EXPECT_THAT(message_of(""), HasSubstr("odd.json: it is empty"));
  EXPECT_THAT(message_of(" \r\n"), HasSubstr("odd.json: it is empty"));
  EXPECT_THROW(load_recordings(""), UsageError);
}

TEST(RecordingFile, WhatIsWrongIsNamedWithFileAndEntry) {
  EXPECT_THROW(load_recordings("/nowhere/at/all.json"), UsageError);
  EXPECT_THROW(load_recordings(folder), UsageError);
  EXPECT_THAT(message_of("[1, 2]"), AllOf(HasSubstr("odd.json"), HasSubstr("expected a JSON object")));
  EXPECT_THAT(message_of("{}"), HasSubstr("Kernel Tuner cache"));
  EXPECT_THAT(message_of("{\"cache\": {]}"), AllOf(HasSubstr("odd.json"), HasSubstr("no JSON"), HasSubstr("line 1")));
  EXPECT_THAT(message_of("{\"cache\": {}}"), HasSubstr("tune_params_keys"));
  EXPECT_THAT(message_of(cache_of("")), HasSubstr("no whole row"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"B": 1, "time": 1})")),
              AllOf(HasSubstr(R"(cache["1"])"), HasSubstr(R"(no value of the parameter "A")")));
  EXPECT_THAT(message_of(cache_of(R"("1": 5)")), AllOf(HasSubstr(R"(cache["1"])"), HasSubstr("an object")));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": [1], "time": 1})")), HasSubstr("expected an integer"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": 18446744073709551615, "time": 1})")), HasSubstr("2**63"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": "a\nb", "time": 1})")), HasSubstr("on one line"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": 1})")), HasSubstr("neither a time nor single launches"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": 1, "time": {"a": 1}})")), HasSubstr("the time"));
  EXPECT_THAT(message_of(cache_of(R"("1": {"A": 1, "time": 1e999})")), HasSubstr("odd.json"));
  EXPECT_THAT(message_of(cache_of("", R"("tune_params": {"A": 3},)")), HasSubstr("an array of values"));
  EXPECT_THAT(message_of(R"({"results": [{"configuration": {"A": 1}, "invalidity": "cosmic"}]})"),
              AllOf(HasSubstr("results[0]"), HasSubstr("cosmic"), HasSubstr("correctness")));
  EXPECT_THAT(message_of(R"({"results": [{"configuration": {"A": 1}, "invalidity": "compile"}, {"a": 1}]})"),
              HasSubstr("results[1]"));
  EXPECT_THAT(message_of(R"({"results": [{"configuration": {"A": 1}, "invalidity": "compile")"), HasSubstr("copy it"));
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

}  // namespace
}  // namespace attune
