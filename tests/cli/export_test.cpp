// attune export: headers that need nothing of attune, CSV, JSON; what is refused.
#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "attune/bundle.hpp"
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Export : public Workbench {
 protected:
  // Compiles a header with a main function by the compiler of this build, as C++17, and returns what it prints.
  std::string output_with(const std::string& header, const std::string& main) const {
    write("exported.hpp", header);
    const std::string source = write("main.cpp", "#include \"exported.hpp\"\n#include <cstdio>\n" + main);
    const std::string program = (folder_ / "main").string();
    const CommandResult compiled = run_command(
        {ATTUNE_TEST_CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", program});
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    return run_command({program}).out;
  }
};

// Returns the statements that fill a header's Device with what a class key says.
std::string device_of(const std::string& device_class) {
  static const std::regex parts(R"((.*)\|(.*)\|cc(\d+)\|sm(\d+)\|mem(\d+)G\|bus(\d+)\|l2-(\d+)M\|mig-(.*))");
  std::smatch found;
  EXPECT_TRUE(std::regex_match(device_class, found, parts)) << device_class;
  return fmt::format(
      "Device d; d.kind = \"{}\"; d.name = \"{}\"; d.compute_capability = {}; d.multiprocessors = {}; d.memory_bytes = "
      "{}ull << 30; d.memory_bus_bits = {}; d.l2_bytes = {}ull << 20;",
      found[1].str(), found[2].str(), found[3].str(), found[4].str(), found[5].str(), found[6].str(), found[7].str());
}

TEST_F(Export, AHeaderSelectsWhatWasTuned) {
  output_of({"tune", scale(), "--trials", "3"});
  const Json record = Json::parse(output_of({"export"})).at("records").at(0);
  const std::string header = output_of({"export", scale(), "--format", "header"});
  EXPECT_THAT(header, AllOf(HasSubstr("namespace attune_export_scale {"), HasSubstr(std::string(record.at("uuid"))),
                            HasSubstr(std::string(record.at("code"))), HasSubstr("effort measure")));
  EXPECT_THAT(header,
              AllOf(Not(HasSubstr("#include \"")), Not(HasSubstr(folder_.string())), Not(HasSubstr("scale.cu"))));
  std::string wanted;
  for (const auto& [name, value] : record.at("configuration").items())
    wanted += fmt::format("{}{}={}", wanted.empty() ? "" : " ", name, value.dump());
  const std::string main =
      "int main() {\n  using namespace attune_export_scale;\n  " + device_of(record.at("device_class")) + R"(
  for (const std::int64_t n : {5000, 6000, 60000}) {
    const Selection s = select({n, "float"}, d);
    std::printf("%s, %s, %zu\n", text_of(s.rung), text_of(s.configuration).c_str(), s.steps.size());
  }
}
)";
  const std::vector<std::string> lines = lines_of(output_with(header, main));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "exact, " + wanted + ", 1");
  EXPECT_EQ(lines[1], "near problem, " + wanted + ", 1");
  EXPECT_THAT(lines[2], StartsWith("none, "));
}

TEST_F(Export, AHeaderWithoutRecordsHasFallBacksAndSaysSo) {
  const CommandResult result = attune({"export", "reduce", "--format", "header"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no records of reduce"), HasSubstr("fall-backs"), HasSubstr("attune tune")));
  const std::string main = R"(
int main() {
  attune_export_reduce::Device d;
  d.compute_capability = 90;
  const auto s = attune_export_reduce::select({4096, "double", "Op::min"}, d);
  std::printf("%d %d %s", s.is_found ? 1 : 0, s.fall_back, s.why.c_str());
}
)";
  EXPECT_EQ(output_with(result.out, main), "1 1 no record fits, and the default is not legal here; a fall-back");
}

TEST_F(Export, ADeviceAndProblemsNarrowAHeader) {
  output_of({"tune", scale(), "--trials", "2", "--problem", "n=5000"});
  output_of({"tune", scale(), "--trials", "2", "--problem", "n=90000"});
  const Json record = Json::parse(output_of({"export"})).at("records").at(0);
  const std::string device_class = record.at("device_class"), name = record.at("device_name");
  const auto header = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"export", scale(), "--format", "header"});
    return output_of(options);
  };
  EXPECT_THAT(header({}), HasSubstr("; 2 records,"));
  EXPECT_THAT(header({"--device", device_class}), HasSubstr("; 2 records,"));
  EXPECT_THAT(header({"--device", name, "--problem", "n=5000"}), HasSubstr("; 1 record,"));
  EXPECT_THAT(header({"--problem", "n=5000", "--problem", "n=90000 T=float"}), HasSubstr("; 2 records,"));
  EXPECT_THAT(header({"--namespace", "mine"}), AllOf(HasSubstr("namespace mine {"), HasSubstr("#ifndef MINE_HPP")));
  expect_failure(2, {"export", scale(), "--format", "header", "--device", "NVIDIA H200"},
                 {"no records of the device `NVIDIA H200`", device_class});
  expect_failure(2, {"export", "--format", "csv", "--device", "NVIDIA H200"}, {device_class});
}

TEST_F(Export, ARecordIsALineOfCsv) {
  EXPECT_EQ(lines_of(output_of({"export", "--format", "csv"})).size(), 1u);
  output_of({"tune", scale(), "--trials", "2"});
  const std::vector<std::string> lines = lines_of(output_of({"export", scale(), "--format", "csv"}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], StartsWith("kernel,code,contract,device_class,problem,uuid,"));
  EXPECT_THAT(lines[1], AllOf(StartsWith("scale,"), HasSubstr(",n=5000 T=float,"), HasSubstr(",cold,time,")));
  EXPECT_EQ(Json::parse(output_of({"export", "scale"})), Json::parse(output_of({"export", "-k", "scale"})));
}

TEST_F(Export, RefusalsNameTheThing) {
  expect_failure(2, {"export", "--format", "header"}, {"one kernel"});
  expect_failure(2, {"export", "reduse", "--format", "header"}, {"did you mean `reduce`?"});
  expect_failure(2, {"export", "reduce", "--format", "hpp"}, {"`hpp`", "json, csv, header"});
  expect_failure(2, {"export", "reduce", "--kernel", "add"}, {"two kernels", "reduce", "add"});
  expect_failure(2, {"export", "reduce", "--problem", "n=5"}, {"--problem is not for --format json"});
  expect_failure(2, {"export", "reduce", "--format", "header", "--problem", "m=5"}, {"`m`"});
  expect_failure(2, {"export", "reduce", "--format", "header", "--problem", "T=int"}, {"int32"});
  expect_failure(2, {"export", "reduce", "--format", "header", "--namespace", "a::class"}, {"`class`"});
  expect_failure(2, {"export", "transpose", "--format", "header", "--templates"},
                 {"tensor map `in_tiles`", "attune's runtime"});
  expect_failure(2, {"export", "reduce", "--format", "header", "-o", database()}, {"the wisdom database"});
  expect_failure(2, {"export", "reduce", "--format", "header", "--device", "H200"}, {"`H200`", "none at all"});
}

TEST_F(Export, AHeaderReplacesTheFileOfBefore) {
  const std::string file = write("reduce.hpp", "old");
  EXPECT_EQ(attune({"export", "reduce", "--format", "header", "-o", file}).code, 0);
  EXPECT_THAT(content_of(file), StartsWith("// reduce: "));
}

class ExportBundle : public Export {
 protected:
  static std::string smooth() { return ATTUNE_SOURCE_DIR "/apps/examples/own_kernel/smooth.cu"; }
  std::string bundle() const { return (folder_ / "app.bundle").string(); }
  void tune_smooth() const {
    output_of({"tune", smooth(), "--problem", "n=5000 T=float", "--parameters", "BLOCK=128 ITEMS=4"});
  }
};

TEST_F(ExportBundle, HasKernelWisdomAndImages) {
  tune_smooth();
  const CommandResult result = attune({"export", smooth(), "reduce", "--format", "bundle", "-o", bundle()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("2 kernels, 1 record, 1 image; "), HasSubstr("there are no records of reduce")));
  const Bundle made = Bundle::open(bundle());
  EXPECT_EQ(made.sections(SectionKind::kernel).size(), 2u);
  EXPECT_EQ(made.sections(SectionKind::records).size(), 1u);
  EXPECT_EQ(made.sections(SectionKind::image).size(), 1u);
  EXPECT_THAT(result.err, HasSubstr("hash " + made.hash()));
}

TEST_F(ExportBundle, IsTheSameEachTime) {
  tune_smooth();
  const std::string first = attune({"export", smooth(), "--format", "bundle"}).out;
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(attune({"export", smooth(), "--format", "bundle"}).out, first);
}

TEST_F(ExportBundle, HasImagesOfFurtherProblemsAndOfArchitectures) {
  const CommandResult result = attune({"export", smooth(), "--format", "bundle", "--architecture", "host", "--problem",
                                       "n=1000 T=float", "--problem", "n=1000 T=double", "-o", bundle()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Bundle::open(bundle()).sections(SectionKind::image).size(), 2u);
}

TEST_F(ExportBundle, NeedsNoImages) {
  tune_smooth();
  const CommandResult result = attune({"export", smooth(), "--format", "bundle", "--no-images", "-o", bundle()});
  EXPECT_THAT(result.err, HasSubstr("1 kernel, 1 record, 0 images"));
}

TEST_F(ExportBundle, NamesNoFolderOfThisMachine) {
  tune_smooth();
  const std::string bytes = attune({"export", smooth(), "--format", "bundle", "--no-images"}).out;
  EXPECT_GT(bytes.size(), 1000u);
  EXPECT_EQ(bytes.find(ATTUNE_SOURCE_DIR), std::string::npos);
}

TEST_F(ExportBundle, RefusesWhatItCannotHave) {
  const auto error_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"export", "--format", "bundle", "-o", bundle()});
    const CommandResult result = attune(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(error_of({}), HasSubstr("--format bundle takes the kernels"));
  EXPECT_THAT(error_of({smooth(), smooth()}), HasSubstr("two kernels are named smooth"));
  EXPECT_THAT(error_of({smooth(), "--templates"}), HasSubstr("--templates is not for --format bundle"));
  EXPECT_THAT(error_of({smooth(), "--no-images", "--problem", "n=1"}), HasSubstr("--no-images wants none"));
  EXPECT_THAT(error_of({smooth(), "--architecture", "sm_1"}), HasSubstr("sm_1"));
  EXPECT_FALSE(std::filesystem::exists(bundle()));
  const CommandResult json = attune({"export", "--no-images"});
  EXPECT_EQ(json.code, 2);
  EXPECT_THAT(json.err, HasSubstr("--no-images is not for --format json"));
}

TEST_F(ExportBundle, LacksAnImageThatDoesNotCompileAndSaysSo) {
  const std::string broken = write("broken.cu", R"cu(/*attune
[kernel]
name = "broken"
[problem]
n = { size = 1024 }
[parameters]
BLOCK = [128]
[[launch]]
entry = "broken<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out"]
[arguments]
out = { type = "float", size = "n", role = "out" }
*/
template <int BLOCK> __global__ void broken(float* out) { nothing; }
)cu");
  const CommandResult result =
      attune({"export", broken, "--format", "bundle", "--architecture", "host", "--problem", "n=1024", "-o", bundle()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("there is no image of broken on host"), HasSubstr("nothing"), HasSubstr("0 images")));
  EXPECT_EQ(Bundle::open(bundle()).sections(SectionKind::kernel).size(), 1u);
}

TEST_F(Export, ASessionForOtherTunersIsTheNewestOfWhatIsAskedFor) {
  output_of({"tune", scale(), "--problem", "n=5000", "--trials", "3"});
  output_of({"tune", scale(), "--problem", "n=6000", "--trials", "2"});
  const auto sizes = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"export", "scale", "--format", "kernel-tuner"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(output_of(arguments)).at("problem_size");
  };
  EXPECT_EQ(sizes({}), Json({6000}));
  const auto note_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"export", "scale", "--format", "kernel-tuner"});
    return attune(more).err;
  };
  EXPECT_THAT(note_of({}), HasSubstr("the newest session of scale, for n=6000 T=float; --problem chooses another one"));
  EXPECT_EQ(note_of({"--problem", "n=5000"}), "");
  EXPECT_EQ(sizes({"--problem", "n=5000"}), Json({5000}));
  EXPECT_EQ(sizes({"--device", "host"}), Json({6000}));
  const std::string journal = output_of({"export", scale(), "--format", "optuna", "--problem", "n=5000 T=float"});
  EXPECT_THAT(journal, HasSubstr("scale n=5000 T=float on "));
  EXPECT_EQ(count_of(journal, "\"op_code\":4"), 3u);
  expect_failure(2, {"export", "scale", "--format", "optuna", "--problem", "n=7"},
                 {"no session of scale", "attune tune"});
  expect_failure(2, {"export", "scale", "--format", "optuna", "--device", "cuda"}, {"no session of scale"});
}

TEST_F(Export, ASessionForOtherTunersIsOne) {
  expect_failure(2, {"export", "--format", "optuna"}, {"one kernel", "attune export KERNEL"});
  expect_failure(2, {"export", "reduce", "scan", "--format", "kernel-tuner"}, {"two kernels"});
  expect_failure(2, {"export", "reduce", "--format", "optuna"}, {"nothing is known of reduce", "attune tune reduce"});
  expect_failure(2, {"export", "reduce", "--format", "optuna", "-p", "n=1", "-p", "n=2"}, {"one --problem"});
  expect_failure(2, {"export", "reduce", "--format", "optuna", "--regime", "warm"}, {"--regime is not for"});
  expect_failure(2, {"export", "reduce", "--format", "xml"},
                 {"json, csv, header, bundle, tuned, optuna, kernel-tuner, t4"});
}

}  // namespace
}  // namespace attune::test
