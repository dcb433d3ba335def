#include "device/cuda/ptxas_log.hpp"

#include <gtest/gtest.h>

#include "device/cuda/launched_log.hpp"

namespace attune::cuda {
namespace {

// As NVRTC 13.0 writes it.
constexpr const char* log_13 = R"(ptxas info    : 0 bytes gmem, 400 bytes cmem[3]
ptxas info    : Compiling entry function '_Z5spillILi100EEvPf' for 'sm_75'
ptxas info    : Function properties for _Z5spillILi100EEvPf
ptxas         .     400 bytes stack frame, 24 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 400 bytes cumulative stack size, 360 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 35.780 ms
ptxas info    : Compiling entry function '_Z3bigILi1024EEvPf' for 'sm_75'
ptxas info    : Function properties for _Z3bigILi1024EEvPf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]
ptxas info    : Compile time = 1.043 ms
ptxas info    : Compiling entry function '_Z5callsPf' for 'sm_75'
ptxas info    : Function properties for _Z5callsPf
ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 80 bytes cumulative stack size, 360 bytes cmem[0]
ptxas info    : Function properties for _Z6helperf
ptxas         .     72 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
)";

// As the versions up to 12 write it.
constexpr const char* log_12 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
ptxas info    : Function properties for _Z1kPf
    32 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 32768 bytes smem, 536 bytes cmem[0]
)";

TEST(PtxasLog, GivesEachEntryItsOwnNumbers) {
  const auto entries = entries_of_log(log_13);
  ASSERT_EQ(entries.size(), 3u);
  const ResourceUsage spill{64, 0, 400, 40, 368};
  EXPECT_EQ(entries.at("_Z5spillILi100EEvPf"), spill);
  const ResourceUsage big{10, 4096, 0, 0, 360};
  EXPECT_EQ(entries.at("_Z3bigILi1024EEvPf"), big);
}

TEST(PtxasLog, CountsTheFramesOfCalledFunctionsButNotTheirSpills) {
  const ResourceUsage calls{8, 0, 80, 0, 360};
  EXPECT_EQ(entries_of_log(log_13).at("_Z5callsPf"), calls);
}

TEST(LaunchedLog, LacksTheLinesOfEntriesThatAreNotLaunched) {
  const std::string warned =
      std::string(log_13) +
      "ptxas info    : (C7510) Potential Performance Loss: serialized in the function '_Z3bigILi1024EEvPf'\n"
      "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n";
  EXPECT_EQ(launched_log(warned, std::vector<ImageFunction>{{"calls", "_Z5callsPf", {}}}),
            "ptxas info    : 0 bytes gmem, 400 bytes cmem[3]\n"
            "ptxas info    : Compiling entry function '_Z5callsPf' for 'sm_75'\n"
            "ptxas info    : Function properties for _Z5callsPf\n"
            "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Used 8 registers, used 0 barriers, 80 bytes cumulative stack size, 360 bytes cmem[0]\n"
            "ptxas info    : Function properties for _Z6helperf\n"
            "ptxas         .     72 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads\n"
            "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n");
  const std::vector<ImageFunction> all{
      {"spill<100>", "_Z5spillILi100EEvPf", {}}, {"big<1024>", "_Z3bigILi1024EEvPf", {}}, {"calls", "_Z5callsPf", {}}};
  EXPECT_EQ(launched_log(warned, all), warned);
  EXPECT_EQ(launched_log("", all), "");
}

TEST(PtxasLog, ReadsTheOlderFormat) {
  const ResourceUsage expected{255, 32768, 32, 12, 536};
  EXPECT_EQ(entries_of_log(log_12).at("_Z1kPf"), expected);
}

TEST(PtxasLog, IsEmptyForALogWithoutEntries) {
  EXPECT_TRUE(entries_of_log("").empty());
  EXPECT_TRUE(entries_of_log("k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n").empty());
  EXPECT_TRUE(entries_of_log("ptxas info    : Used 10 registers").empty());
}

TEST(PtxasLog, SurvivesLinesThatEndTooEarly) {
  for (std::size_t length = 0; length < std::string_view(log_13).size(); ++length) {
    const auto entries = entries_of_log(std::string_view(log_13).substr(0, length));
    EXPECT_LE(entries.size(), 3u);
  }
  EXPECT_EQ(entries_of_log("Compiling entry function 'k").size(), 0u);
}

TEST(PtxasLog, TellsAnErrorFromAWarningOrAName) {
  const char* errors[] = {"k.cu(2): error: identifier \"x\" is undefined",
                          "k.cu(2): catastrophic error: could not open source file",
                          "ptxas application ptx input, line 23; error   : Instruction 'wgmma.fence' not supported",
                          "ptxas fatal   : Ptx assembly aborted due to errors",
                          "nvrtc: error: invalid value for --gpu-architecture (-arch)",
                          "k.cu(2): Error: Formal parameter space overflowed"};
  for (const char* text : errors) EXPECT_TRUE(names_an_error(text)) << text;
  EXPECT_FALSE(names_an_error(log_13));
  EXPECT_FALSE(names_an_error("ptxas info    : Compiling entry function '_Z11fatal_errorPf' for 'sm_75'"));
  EXPECT_FALSE(names_an_error("k.cu(2): warning #550-D: variable \"error\" was set but never used"));
}

TEST(PtxasLog, KnowsTheMessageOfTheVersionsThatSayIt) {
  EXPECT_TRUE(names_shared_overflow(
      "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)"));
  EXPECT_FALSE(names_shared_overflow(log_13));
}

TEST(PtxasLog, TellsALackOfMemoryFromErrors) {
  EXPECT_TRUE(names_lack_of_memory("k.cu(2): catastrophic error: out of memory\n  template<int N> struct S"));
  EXPECT_TRUE(names_lack_of_memory("ptxas fatal   : Memory allocation failure\n"));
  EXPECT_TRUE(names_lack_of_memory("ptxas fatal   : Ptx assembly aborted due to errors\n")) << "the reason is printed";
  EXPECT_FALSE(
      names_lack_of_memory("ptxas application ptx input, line 23; error   : Instruction not supported\n"
                           "ptxas fatal   : Ptx assembly aborted due to errors\n"));
  EXPECT_FALSE(names_lack_of_memory("k.cu(2): error: identifier \"memory\" is undefined"));
  EXPECT_FALSE(names_lack_of_memory(log_13));
}

TEST(PtxasLog, NamesTheEntriesWithTooMuchStaticSharedMemoryEvenWithoutAnErrorLine) {
  EXPECT_EQ(shared_overflows(log_13, 4095),
            "attune: void big<1024>(float*) has 4096 bytes of static shared memory; at most 4095 "
            "compile, more must be dynamic\n");
  EXPECT_EQ(shared_overflows(log_13, 4096), "");
}

}  // namespace
}  // namespace attune::cuda
