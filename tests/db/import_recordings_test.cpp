// Files of other tuners, and tables, as sessions and records. All recorded caches are looked for in $ATTUNE_RECORDED,
// else in ../shared/data/recorded beside the repository; one is always there.
#include <fmt/format.h>

#include <cstdlib>

#include "attune/error.hpp"
#include "core/device_class.hpp"
#include "db/wisdom_test.hpp"
#include "imports/import_file.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* some_class = "cuda|NVIDIA A100-PCIE-40GB|cc80|sm108|mem40G|bus5120|l2-40M|mig-";

ImportTarget target_of(const std::string& kernel_file, const std::string& problem = "") {
  ImportTarget target;
  target.spec = read_kernel_file(kernel_file);
  target.device = *device_of_class(some_class, device_limits("sm_80"));
  target.problem = parse_problem(target.spec, problem, "cuda");
  return target;
}

ImportTarget scale() { return target_of(ATTUNE_TEST_DATA "/kernels/scale.cu", "n=1000 T=float"); }

// A cache of BLOCK and ITEMS under other names, with one value for all rows in `fixed`.
std::string cache_of(const std::string& rows) {
  return R"({"device_name": "A100", "kernel_name": "scale", "problem_size": [1000],
             "tune_params_keys": ["block_size_x", "items", "fixed"],
             "tune_params": {"block_size_x": [32, 64, 128, 999], "items": [1, 2], "fixed": [7]},
             "cache": {)" +
         rows + "}}";
}
std::string row_of(int block, int items, const std::string& time) {
  return fmt::format(
      R"("{0},{1},7": {{"block_size_x": {0}, "items": {1}, "fixed": 7, "time": {2}, "compile_time": 250}})", block,
      items, time);
}

class ImportedRecordings : public WisdomTest {
 protected:
  RecordedParts parts_of_text(const std::string& name, const std::string& text, const ImportTarget& target) const {
    write_file(scratch_ / name, text);
    return ImportFile(scratch_ / name).recorded(target);
  }
  static ImportTarget mapped() {
    ImportTarget target = scale();
    target.names = parse_names(target.spec, "block_size_x=BLOCK,items=ITEMS");
    return target;
  }
  static std::string rows() {
    return row_of(64, 1, "2.0") + "," + row_of(32, 1, "1.0") + "," + row_of(32, 2, "\"CompilationFailedConfig\"") +
           "," + row_of(128, 2, "0.5") + "," + row_of(999, 1, "0.25");
  }
};

TEST_F(ImportedRecordings, BringTheBestAsARecordAndAllAsASession) {
  const RecordedParts read = parts_of_text("a.json", cache_of(rows()), mapped());
  ASSERT_THAT(read.parts.records, SizeIs(1));
  const Record& record = read.parts.records[0].record;
  EXPECT_EQ(record.configuration, (Configuration{{"BLOCK", 32}, {"ITEMS", 1}}));
  EXPECT_EQ(std::tuple(record.median_ns, record.default_ns, record.speedup), std::tuple(1e6, 2e6, 2.0));
  EXPECT_EQ(std::tuple(record.origin, record.source, record.protocol), std::tuple(Origin::imported, "Kernel Tuner", 0));
  EXPECT_EQ(record.key.device_class, some_class);
  EXPECT_EQ(record.key.code, scale().spec.fingerprints.code);
  ASSERT_THAT(read.parts.sessions, SizeIs(1));
  const JoinedSession& session = read.parts.sessions[0];
  EXPECT_EQ(session.session.state, SessionState::finished);
  EXPECT_EQ(session.session.protocol, 0);
  std::vector<Verdict> verdicts;
  for (const Trial& trial : session.trials) verdicts.push_back(trial.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::ok, Verdict::ok, Verdict::compile_error));
  EXPECT_EQ(session.trials[0].compile_ms, 250);
}

TEST_F(ImportedRecordings, SayWhatIsLeftOutWithAnExample) {
  const RecordedParts read = parts_of_text("a.json", cache_of(rows()), mapped());
  EXPECT_THAT(read.notes,
              ElementsAre(AllOf(HasSubstr("`fixed`"), HasSubstr("7 throughout")),
                          AllOf(HasSubstr("1 configuration left out"), HasSubstr("block_size_x=999")),
                          AllOf(HasSubstr("not legal"), HasSubstr("BLOCK=128 ITEMS=2: BLOCK * ITEMS <= 128"))));
}

TEST_F(ImportedRecordings, ComeOnceAndAreSeenByTheStore) {
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(join_parts(parts_of_text("a.json", cache_of(rows()), mapped()).parts, {.into = file_})
                  .counts.begin()
                  ->second.known,
              2 * i);
  WisdomStore store(file_);
  EXPECT_EQ(store.sessions("scale").at(0).trials, 3);
  EXPECT_THAT(store.candidates(store.records().at(0).key), SizeIs(1));
  EXPECT_FALSE(store.find_record(store.records().at(0).key)) << "its times are not compared with times of here";
}

TEST_F(ImportedRecordings, TakeFirstValuesForParametersThatTheFileLacks) {
  ImportTarget target = scale();
  target.names = parse_names(target.spec, "block_size_x=BLOCK");
  const std::string text = cache_of(row_of(64, 1, "2.0") + "," + row_of(32, 1, "1.0"));
  const RecordedParts read = parts_of_text("a.json", text, target);
  EXPECT_THAT(read.notes, Contains("ITEMS is not in the file, and counts as 1"));
  EXPECT_TRUE(read.parts.records.at(0).record.narrowed);
}

TEST_F(ImportedRecordings, RefuseNamesThatTheKernelOrTheFileLacks) {
  const auto message_of = [&](const std::string& names) {
    ImportTarget target = scale();
    return error_of([&] {
      target.names = parse_names(target.spec, names);
      parts_of_text("a.json", cache_of(rows()), target);
    });
  };
  EXPECT_THAT(message_of("items=ITEMS"), AllOf(HasSubstr("a.json"), HasSubstr("`block_size_x`"), HasSubstr("--map")));
  EXPECT_THAT(message_of("block_size_x=BLOCKS"), AllOf(HasSubstr("`BLOCKS`"), HasSubstr("did you mean `BLOCK`")));
  EXPECT_THAT(message_of("block=BLOCK"), HasSubstr("`block`, which is not in the file"));
  EXPECT_THAT(message_of("block_size_x=BLOCK,items=BLOCK"), HasSubstr("both stand for BLOCK"));
  EXPECT_THAT(message_of("block_size_x"), HasSubstr("block_size_x=BLOCK"));
  EXPECT_THAT(error_of([&] { parts_of_text("a.json", cache_of(row_of(999, 1, "1.0")), mapped()); }),
              AllOf(HasSubstr("none of its 1 configuration"), HasSubstr("999")));
}

TEST_F(ImportedRecordings, OfT4ResultsHaveTheirVerdicts) {
  const std::string text = R"({"schema_version": "1.0.0", "metadata": {"timeunit": "microseconds"}, "results": [
    {"configuration": {"BLOCK": 64, "ITEMS": 1}, "times": {"runtimes": [3, 1, 2]}, "invalidity": "correct",
     "correctness": 1, "measurements": [{"name": "time", "value": 9, "unit": ""}]},
    {"configuration": {"BLOCK": 32, "ITEMS": 1}, "times": {}, "invalidity": "correctness", "correctness": 0}]})";
  const RecordedParts read = parts_of_text("a.json", text, scale());
  EXPECT_EQ(read.parts.records.at(0).record.source, "T4 results");
  EXPECT_EQ(read.parts.records.at(0).record.median_ns, 2000) << "the median of the single launches";
  EXPECT_EQ(read.parts.sessions.at(0).trials.at(1).verdict, Verdict::wrong_result);
}

TEST_F(ImportedRecordings, OfATableHaveTheUnitOfItsColumn) {
  ImportTarget target = scale();
  target.names = parse_names(target.spec, "threads=BLOCK");
  const RecordedParts read = parts_of_text(
      "a.csv", "threads,ITEMS,time_us,GFLOPs,verdict\n64,1,3.5,1,\n32,1,2.5,2,ok\n32,2,,,timeout\n", target);
  EXPECT_EQ(read.parts.records.at(0).record.median_ns, 2500);
  EXPECT_EQ(read.parts.records.at(0).record.source, "CSV");
  EXPECT_EQ(read.parts.sessions.at(0).trials.at(2).verdict, Verdict::timeout);
  EXPECT_THAT(read.notes, ElementsAre("1 column ignored: GFLOPs"));
}

TEST_F(ImportedRecordings, OfATableAreRefusedWithTheRow) {
  const auto message_of = [&](const std::string& text) {
    return error_of([&] { parts_of_text("a.csv", text, scale()); });
  };
  EXPECT_THAT(message_of("BLOCK,time_us\n64,1\n64,2\n"),
              AllOf(HasSubstr("row 2"), HasSubstr("has this configuration")));
  EXPECT_THAT(message_of("BLOCK,time_us\n64,fast\n"), AllOf(HasSubstr("row 1"), HasSubstr("`fast`")));
  EXPECT_THAT(message_of("BLOCK,seconds\n64,1\n"), HasSubstr("time_ns, time_us"));
  EXPECT_THAT(message_of("block,time_us\n64,1\n"), HasSubstr("no column is a parameter"));
  EXPECT_THAT(message_of("BLOCK,time_us\n"), HasSubstr("no rows"));
  EXPECT_THAT(message_of("no table at all"), HasSubstr("neither JSON"));
  EXPECT_THAT(message_of("\n"), HasSubstr("it is empty"));
}

struct RecordedCache {
  const char* file;    // without .json.xz
  const char* kernel;  // without .cu
  std::size_t rows;
};
void PrintTo(const RecordedCache& cache, std::ostream* stream) { *stream << cache.file; }

class RecordedCaches : public testing::TestWithParam<RecordedCache> {};

TEST_P(RecordedCaches, AreImportedWhole) {
  const char* const given = std::getenv("ATTUNE_RECORDED");
  fs::path folder =
      given != nullptr ? fs::path(given) : fs::path(ATTUNE_SOURCE_DIR) / ".." / "shared" / "data" / "recorded";
  const std::string name = std::string(GetParam().file) + ".json.xz";
  if (!fs::exists(folder / name)) folder = ATTUNE_TEST_DATA "/recorded";
  if (!fs::exists(folder / name)) GTEST_SKIP() << "no " << folder / name;
  const ImportTarget target = target_of(fmt::format(ATTUNE_TEST_DATA "/recorded/kernels/{}.cu", GetParam().kernel));
  const Scratch scratch;
  const RecordedParts read = ImportFile(folder / name).recorded(target);
  EXPECT_THAT(read.notes, IsEmpty());
  const JoinCount count = join_parts(read.parts, {.into = scratch / "w.db"}).counts.begin()->second;
  EXPECT_EQ(std::tuple(count.sessions, count.records, count.serving), std::tuple(1, 1, 1));
  EXPECT_EQ(count.trials, static_cast<std::int64_t>(GetParam().rows));
  double least_ns = 1e300;
  for (const Trial& trial : read.parts.sessions[0].trials)
    if (trial.verdict == Verdict::ok) least_ns = std::min(least_ns, trial.measurement.median_ns);
  EXPECT_EQ(WisdomStore(scratch / "w.db").records().at(0).median_ns, least_ns);
}

INSTANTIATE_TEST_SUITE_P(All, RecordedCaches,
                         testing::Values(RecordedCache{"pnpoly_RTX_3090", "pnpoly", 4092},
                                         RecordedCache{"convolution_milo_A100", "convolution", 4362},
                                         RecordedCache{"convolution_milo_A100_T4", "convolution", 4362},
                                         RecordedCache{"convolution_milo_A4000", "convolution", 4362},
                                         RecordedCache{"convolution_milo_MI250X", "convolution", 4362},
                                         RecordedCache{"dedispersion_milo_A100", "dedispersion", 11130},
                                         RecordedCache{"dedispersion_milo_MI250X", "dedispersion", 11130},
                                         RecordedCache{"gemm_RTX_2080_Ti", "gemm", 17956}),
                         [](const auto& test) { return std::string(test.param.file); });

}  // namespace
}  // namespace attune::test
