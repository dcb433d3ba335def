#include "advice/counters.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "attune/error.hpp"

namespace attune {
namespace {

// What the profiler prints around the rows of two launches, the names of the program's own output included.
const std::string output = R"(==PROF== Connected to process 4711 (attune-worker)
hello, "ID" of the program
==PROF== Profiling "planted": 0%....50%....100% - 8 passes
"ID","Process ID","Kernel Name","dram__bytes.sum","launch__registers_per_thread","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","smsp__thread_inst_executed_per_inst_executed.ratio"
"","","","Mbyte","register/thread","sector",""
"0","4711","a ""quoted"", kernel
of two lines","12.5","32","1,048,576","n/a"
"1","4711","b","1","1","1","1"
==PROF== Disconnected from process 4711
)";

TEST(CountersInText, AreThoseOfTheFirstLaunchInBaseUnits) {
  const Counters counters = read_counters(output, "x.csv");
  EXPECT_EQ(counters.kernel, "a \"quoted\", kernel\nof two lines");
  EXPECT_EQ(counters.find("dram__bytes.sum"), 12.5e6);
  EXPECT_EQ(counters.find("launch__registers_per_thread"), 32);
  EXPECT_EQ(counters.find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 1048576);
}

TEST(CountersInText, SayWhichAreMissing) {
  const Counters counters = read_counters(output, "x.csv");
  EXPECT_EQ(counters.find("smsp__thread_inst_executed_per_inst_executed.ratio"), std::nullopt);
  EXPECT_THAT(counters.missing, testing::Contains("smsp__thread_inst_executed_per_inst_executed.ratio"));
  EXPECT_THAT(counters.missing, testing::Contains("launch__waves_per_multiprocessor"));
  EXPECT_THAT(counters.missing, testing::Not(testing::Contains("dram__bytes.sum")));
}

std::string message_of(const std::string& text) {
  try {
    read_counters(text, "x.csv");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(CountersInText, AreRefusedWithTheReason) {
  using testing::HasSubstr;
  EXPECT_THAT(message_of(""), HasSubstr("x.csv has no line that begins with \"ID\""));
  EXPECT_THAT(message_of("==ERROR== ERR_NVGPUCTRPERM\n"), HasSubstr("ncu --csv --page raw"));
  EXPECT_THAT(message_of("\"ID\",\"dram__bytes.sum\"\n\"\",\"byte\"\n"), HasSubstr("has no launch below"));
  EXPECT_THAT(message_of("\"ID\",\"dram__bytes.sum\",\"a\"\n\"\",\"byte\",\"\"\n\"0\",\"1\""),
              HasSubstr("ends within a launch"));
  EXPECT_THAT(message_of("\"ID\",\"a\"\n\"\",\"\"\n\"0\",\"1\"\n"), HasSubstr("none of the metrics that are wanted"));
}

// Whatever is cut off or damaged is read or refused, and nothing else happens.
TEST(CountersInText, OfAnyLengthAndWithAnyByteChangedAreReadOrRefused) {
  for (std::size_t size = 0; size < output.size(); ++size) message_of(output.substr(0, size));
  for (std::size_t i = 0; i < output.size(); ++i)
    for (const char byte : {'"', ',', '\n', '\0', '\xff'}) {
      std::string damaged = output;
      damaged[i] = byte;
      message_of(damaged);
    }
}

// Counters of a clean kernel, on which every finding is silent.
Counters clean() {
  Counters counters;
  counters.values = {{"launch__waves_per_multiprocessor", 1},
                     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 24},
                     {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 100},
                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 400},
                     {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100},
                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 400},
                     {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100},
                     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 50},
                     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", 100},
                     {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 20},
                     {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 20},
                     {"smsp__thread_inst_executed_per_inst_executed.ratio", 24}};
  return counters;
}

std::vector<std::string> found_with(const std::string& metric, std::optional<double> value) {
  Counters counters = clean();
  if (value)
    counters.values[metric] = *value;
  else
    counters.values.erase(metric);
  std::vector<std::string> found;
  for (const Advice& one : findings_in(counters)) {
    EXPECT_NE(one.threshold, "");
    EXPECT_NE(one.evidence, "");
    found.push_back(one.about);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST(FindingsInCounters, BeginAtTheirThresholds) {
  EXPECT_THAT(findings_in(clean()), testing::IsEmpty());
  EXPECT_EQ(found_with("launch__waves_per_multiprocessor", 1.1), Names{"tail"});
  EXPECT_EQ(found_with("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 25), Names{"bank conflicts"});
  EXPECT_EQ(found_with("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 49), Names{"uncoalesced"});
  EXPECT_EQ(found_with("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", 49), Names{"uncoalesced"});
  EXPECT_EQ(found_with("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 30), Names{"spills"});
  EXPECT_EQ(found_with("smsp__thread_inst_executed_per_inst_executed.ratio", 23), Names{"divergence"});
}

// Without the share of used bytes, sectors for each request tell: 16 of the widest access are right.
TEST(FindingsInCounters, FallBackToSectorsForEachRequest) {
  Counters counters = clean();
  counters.values.erase("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct");
  counters.values["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 1600;
  EXPECT_THAT(findings_in(counters), testing::IsEmpty());
  counters.values["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 1700;
  ASSERT_EQ(findings_in(counters).size(), 1U);
  EXPECT_EQ(findings_in(counters)[0].about, "uncoalesced");
}

TEST(FindingsInCounters, AreNoneOfCountersThatAreMissing) {
  for (const CounterMetric& metric : counter_metrics())
    EXPECT_EQ(found_with(std::string(metric.name), std::nullopt), Names{});
  EXPECT_THAT(findings_in(Counters{}), testing::IsEmpty());
}

// What ncu 2025.3 counted on an H200 in kernels with a planted fault, and in the same kernels without it.
class PlantedFault : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  static Names found_in(const std::string& name) {
    const std::string file = std::string(ATTUNE_TEST_DATA "/planted/") + name + ".csv";
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const Counters counters = read_counters(text, file);
    EXPECT_THAT(counters.missing, testing::IsEmpty());
    EXPECT_EQ(counters.device, "NVIDIA H200");
    EXPECT_THAT(counters.kernel, testing::HasSubstr("planted_"));
    Names names;
    for (const Advice& one : findings_in(counters))
      if (names.empty() || names.back() != one.about) names.push_back(one.about);
    return names;
  }
};

TEST_P(PlantedFault, IsNamedAlone) {
  EXPECT_EQ(found_in(std::string(GetParam().first) + ".fault"), Names{GetParam().second});
}

TEST_P(PlantedFault, IsNotNamedInTheKernelWithoutIt) {
  EXPECT_EQ(found_in(std::string(GetParam().first) + ".clean"), Names{});
}

INSTANTIATE_TEST_SUITE_P(Counters, PlantedFault,
                         testing::Values(std::pair("bank_conflict", "bank conflicts"),
                                         std::pair("uncoalesced", "uncoalesced"), std::pair("spill", "spills"),
                                         std::pair("tail", "tail"), std::pair("divergence", "divergence")),
                         [](const auto& with) { return std::string(with.param.first); });

}  // namespace
}  // namespace attune
