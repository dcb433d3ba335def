// The text of a header: provenance, name spaces, what a hostile database cannot do, and what is refused.
#include "exports/header.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "exported_program.hpp"
#include "exports/provenance.hpp"
#include "odd_kernel.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Record record_of(const KernelSpec& spec) {
  Record record;
  record.uuid = "11111111-2222-4333-8444-555555555555";
  record.key = {spec.name,
                spec.fingerprints.code,
                spec.fingerprints.contract,
                h200().class_key(),
                {{"n", 1 << 20}, {"T", "float"}, {"OP", "Op::sum"}},
                "cold",
                "time"};
  record.device_name = "NVIDIA H200";
  record.compute_capability = 90;
  record.multiprocessors = 132;
  for (const Parameter& parameter : spec.parameters) record.configuration.set(parameter.name, parameter.values.front());
  record.median_ns = 12345.5;
  record.speedup = 1.875;
  record.speedup_low = 1.75;
  record.speedup_high = 2;
  record.toolchain = "NVRTC 13.0";
  record.driver = "580.159 (CUDA 13.0)";
  record.attune_version = "0.1.0";
  record.made_ms = 1760000000123;
  record.effort = Effort::patient;
  return record;
}

TEST(ExportedHeader, SaysWhereEachRecordIsFrom) {
  const KernelSpec spec = load_kernel("reduce");
  const std::string text = exported_header({.spec = spec, .records = {record_of(spec)}, .attune_version = "0.1.0"});
  EXPECT_THAT(text,
              AllOf(HasSubstr("attune 0.1.0"), HasSubstr(spec.fingerprints.code), HasSubstr(spec.fingerprints.contract),
                    HasSubstr("n=1048576 T=float OP=Op::sum on NVIDIA H200"),
                    HasSubstr("driver 580.159 (CUDA 13.0), NVRTC 13.0"), HasSubstr("median 12345.5 ns"),
                    HasSubstr("1.875 times as fast as the default (1.750 to 2.000)"), HasSubstr("2025-10-09T08:53:20Z"),
                    HasSubstr("effort patient")));
  EXPECT_THAT(text, Not(HasSubstr("#include \"")));
}

TEST(ExportedHeader, HasDatesOfEveryCalendar) {
  EXPECT_EQ(utc_date(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_date(-5), "-5 ms");
  EXPECT_EQ(utc_date(std::numeric_limits<std::int64_t>::max()), "9223372036854775807 ms");
}

TEST(ExportedHeader, LeavesOutRecordsOfOtherCode) {
  const KernelSpec spec = load_kernel("reduce");
  Record other = record_of(spec);
  other.key.code = "another";
  EXPECT_EQ(exported_header({.spec = spec, .records = {other}}), exported_header({.spec = spec, .records = {}}));
}

TEST(ExportedHeader, TakesNoCodeFromADatabase) {
  const KernelSpec spec = load_kernel("reduce");
  Record hostile = record_of(spec);
  hostile.device_name = "x\"}};\n#error device\n// \\";
  hostile.driver = "y\n#error driver \\";
  hostile.toolchain = "z\\\n#error toolchain */ ?\?/";
  hostile.key.device_class = "cuda|\"};\n#error class?\?/\n";
  hostile.attune_version = "0\r#error version";
  const std::string text = exported_header({.spec = spec, .records = {hostile}});
  EXPECT_EQ(output_of_program(text + "int main() {}\n"), "");
  for (const char* const word : {"device", "driver", "toolchain", "class", "version"})
    EXPECT_THAT(text, Not(HasSubstr(fmt::format("\n#error {}", word))));
}

TEST(ExportedHeader, StandsBesideOthersInOneProgram) {
  const KernelSpec reduce = load_kernel("reduce"), add = load_kernel("add"), odd = read_kernel_text(odd_file, "odd.cu");
  const std::string all = exported_header({.spec = reduce, .records = {record_of(reduce)}}) +
                          exported_header({.spec = add, .records = {}}) +
                          exported_header({.spec = odd, .records = {}}) +
                          exported_header({.spec = reduce, .records = {}, .name_space = "second"}) +
                          exported_header({.spec = reduce, .records = {}});
  const std::string main = R"cpp(
#include <cstdio>
    int main() {
      attune_export_reduce::Device device;
      device.name = "NVIDIA H200";
      const auto first = attune_export_reduce::select({1 << 20, "float", "Op::sum"}, device);
      const auto other = second::select({1 << 20, "float", "Op::sum"}, {});
      std::printf("%s; %s", first.why.c_str(), other.why.c_str());
    }
  )cpp";
  EXPECT_EQ(output_of_program(all + main),
            "no record fits; the default configuration; no record fits; the default configuration");
}

TEST(ExportedHeader, NamesWhatFails) {
  const KernelSpec spec = read_kernel_text(odd_file, "odd.cu");
  const std::string text = exported_header({.spec = spec, .records = {}, .name_space = "attune_export"}) + R"cpp(
#include <cstdio>
    using namespace attune_export;
    int main() {
      Device small;
      small.shared_per_block = 100;
      std::puts(select({1000, 1, 0, "float", "Op::sum"}, small).why.c_str());
      std::puts(select({1000, 0, 0, "float", "Op::sum"}, {}).why.c_str());
      std::puts(select({1000, 1, 0, "int64", "Op::sum"}, {}).why.c_str());
      Device wide;
      wide.compute_capability = 90;
      std::puts(select({2147483648, 1, 0, "float", "Op::sum"}, wide).why.c_str());
      std::puts(select({100, 4, 0, "float", "Op::sum"}, wide).steps.at(0).entry.c_str());
    }
  )cpp";
  const std::string out = output_of_program(text);
  EXPECT_THAT(out, AllOf(HasSubstr("no configuration of this header is legal here; the first one breaks: rule `"),
                         HasSubstr("problem `rows`: expected a size from 1 to 2^62\n"),
                         HasSubstr("problem `T`: the kernel file does not list this name\n"),
                         HasSubstr("argument `small`: value: n / 8: does not fit its type\n"),
                         HasSubstr("odd<float, other::BLOCK, 128, 0.5, false, float, Mode::a, Op::sum, 2 * 3>\n")));
}

TEST(ExportedHeader, SelectsNothingToLaunchForASizeOfZero) {
  std::string file = test::smooth_file;
  const std::string before = exported_header({.spec = read_kernel_text(file, "smooth.cu"), .records = {}});
  EXPECT_THAT(before, HasSubstr("expected a size from 1 to 2^62"));
  const std::string name = "name = \"smooth\"";
  file.replace(file.find(name), name.size(), name + "\nempty = \"nothing\"");
  const std::string text = exported_header({.spec = read_kernel_text(file, "smooth.cu"), .records = {}}) + R"cpp(
#include <cstdio>
    using namespace attune_export_smooth;
    int main() {
      Device device;
      device.compute_capability = 90;
      for (const Problem& problem : {Problem{0, 2, "float"}, Problem{8, 0, "float"}, Problem{8, 2, "float"}}) {
        const Selection selection = select(problem, device);
        std::printf("%d %d %s\n", selection.is_found, static_cast<int>(selection.steps.size()), selection.why.c_str());
      }
      std::puts(select({-1, 2, "float"}, device).why.c_str());
    }
  )cpp";
  EXPECT_EQ(output_of_program(text),
            "1 0 nothing is launched, because a size is 0\n1 0 nothing is launched, because a size is 0\n"
            "1 1 no record fits; the default configuration\nproblem `n`: expected a size from 0 to 2^62\n");
}

TEST(ExportedHeader, KnowsHowManyBytesOfParametersTheDeviceTakes) {
  const std::string text =
      exported_header({.spec = read_kernel_text(test::smooth_file, "smooth.cu"), .records = {}}) + R"cpp(
#include <cstdio>
    using namespace attune_export_smooth;
    int main() {
      Device device;
      device.compute_capability = 90;
      for (const int driver : {0, 12010, 12000}) {
        device.driver_cuda_version = driver;
        for (const std::int64_t radius : {508, 509, 4091, 4092})
          std::printf("%d", select({8, radius, "float"}, device).is_found);
      }
      std::puts("");
    }
  )cpp";
  EXPECT_EQ(output_of_program(text), "111011101000\n");
}

TEST(ExportedHeader, SaysWhereTheDefaultWasFaster) {
  const KernelSpec spec = load_kernel("reduce");
  Record near = record_of(spec);
  near.configuration.set("BLOCK", 256);
  near.default_ns = near.median_ns - 1;
  const std::string text = exported_header({.spec = spec, .records = {near}, .name_space = "attune_export"});
  const std::string out = output_of_program(fmt::format("{}{}{}{}", text, R"cpp(
#include <cstdio>
                                                          using namespace attune_export;
                                                          void print(const Selection& s) {
                                                            std::printf("%s; BLOCK=%d, %d %d, %.3f\n", s.why.c_str(),
                                                                        static_cast<int>(s.configuration.BLOCK),
                                                                        s.record, s.fall_back, s.speedup);
                                                          }
                                                          int main() {
                                                            const Device h200 =)cpp",
                                                        device_code(h200()), R"cpp(;
                                                                                   print(select({1 << 20, "float", "Op::sum"}, h200));
                                                                                   print(select({1000000, "float", "Op::sum"}, h200));
                                                                                   }
  )cpp"));
  EXPECT_THAT(out, HasSubstr("(exact); BLOCK=256, 0 -1, 1.875\n"));
  EXPECT_THAT(out, HasSubstr("(near problem), where the default was faster: the default configuration; BLOCK=512, 0 0, "
                             "1.000\n"));
}

TEST(ExportedHeader, SaysWhereTheDefaultFailed) {
  const KernelSpec spec = load_kernel("reduce");
  Record failed = record_of(spec);
  failed.configuration.set("BLOCK", 256);
  failed.default_verdict = Verdict::resources;
  failed.speedup = failed.speedup_low = failed.speedup_high = 1;
  const std::string text = exported_header({.spec = spec, .records = {failed}, .name_space = "attune_export"});
  EXPECT_THAT(text, AllOf(HasSubstr("median 12345.5 ns, the default configuration failed (resources); 2025"),
                          Not(HasSubstr("times as fast as the default"))));
  const std::string main = R"cpp(
#include <cstdio>
                             using namespace attune_export;
                             void print(const Selection& s) {
                               std::printf("%s; BLOCK=%d, %d %d\n", s.why.c_str(), static_cast<int>(s.configuration.BLOCK), s.record, s.fall_back);
                             }
                             int main() {
                               const Device h200 =)cpp" +
                           device_code(h200()) +
                           R"cpp(;
                                 print(select({1 << 20, "float", "Op::sum"}, h200));
                                 print(select({1000, "float", "Op::sum"}, h200));
                                 }
                           )cpp";
  EXPECT_EQ(output_of_program(text + main),
            "tuned on NVIDIA H200 (exact), where the default failed (resources); BLOCK=256, 0 -1\n"
            "tuned on NVIDIA H200 (other problem), where the default failed (resources); BLOCK=256, 0 -1\n");
}

TEST(ExportedHeader, HasANameSpaceThatCppHas) {
  const KernelSpec spec = load_kernel("add");
  for (const std::string name :
       {"a-b", "a b", "a:b", "a::", "::a", "1a", "class", "a::class", "std", "and", "__a", "_A"})
    EXPECT_THAT(message_of<UsageError>([&] { exported_header({.spec = spec, .records = {}, .name_space = name}); }),
                HasSubstr(name.starts_with("a::c") ? "`class`" : "`" + name + "`"));
  const std::string text = exported_header({.spec = spec, .records = {}, .name_space = "mine::sums"});
  EXPECT_EQ(output_of_program(
                text + "#include <cstdio>\nint main() { std::printf(\"%d\", mine::sums::Problem().T == \"\"); }"),
            "0");
}

// Returns a kernel whose problem, parameters and arguments have these names.
std::string kernel_with(const std::string& problem, const std::vector<std::string>& parameters,
                        const std::string& argument) {
  std::string listed, rule = "true";
  for (const std::string& name : parameters) {
    listed += name + " = [1, 2]\n";
    rule += " && " + name + " >= 1";
  }
  return fmt::format(
      "/*attune\n[kernel]\nname = \"named\"\n[problem]\n{0} = {{ size = 64 }}\n[parameters]\n{1}[restrictions]\nrules "
      "= "
      "[\"{2}\"]\n[[launch]]\nentry = \"named<{3}>\"\ngrid = [\"{0}\"]\nblock = [\"32\"]\narguments = [\"{4}\"]\n"
      "[arguments]\n{4} = {{ type = \"float\", size = \"{0}\", role = \"out\" }}\n*/\ntemplate <int X> __global__ void "
      "named(float* out) {{}}\n",
      problem, listed, rule, parameters.front(), argument);
}

TEST(ExportedHeader, HasMembersThatAreMacrosOrItsOwnWords) {
  const std::vector<std::string> names = {
      "EOF",     "NULL",        "linux",    "unix",   "assert",  "stdin",    "INFINITY",      "NAN",    "I",
      "M_PI",    "SIGINT",      "alloca",   "MINE",   "Problem", "Problem_", "Device",        "Value",  "size_t",
      "detail",  "std",         "text",     "values", "p",       "c",        "Configuration", "select", "main",
      "text_of", "string_view", "Selection"};
  const KernelSpec spec = read_kernel_text(kernel_with("errno", names, "stdout"), "named.cu");
  const std::string header = exported_header({.spec = spec, .records = {}, .name_space = "named"});
  std::vector<std::string> options = {"-O0", "-std=gnu++17", "-DMINE=is not C++"};
  for (const char* const included : {"cstdio", "cassert", "cerrno", "csignal", "complex.h", "alloca.h"})
    options.insert(options.end(), {"-include", included});
  const std::string main = R"cpp(
    int main() {
      const auto s = named::select({7}, {});
      named::Configuration c;
      c.std_ = c.Problem_ + c.Problem__;
      std::printf("%s; %s; %d", text_of(named::Problem{7}).c_str(), text_of(c).substr(0, 27).c_str(), EOF);
    }
  )cpp";
  EXPECT_EQ(output_of_program(header + main, options), "errno=7; EOF=1 NULL=1 linux=1 unix=1; -1");
}

TEST(ExportedHeader, RefusesNamesThatNoMacroCanBeSetAsideFor) {
  for (const std::string name : {"defined", "__LINE__", "_Pragma", "__cplusplus"}) {
    const KernelSpec spec = read_kernel_text(kernel_with("n", {name}, "out"), "named.cu");
    EXPECT_THAT(message_of<UsageError>([&] { exported_header({.spec = spec, .records = {}}); }),
                AllOf(HasSubstr("`" + name + "`"), HasSubstr("rename it")));
  }
}

TEST(ExportedHeader, IsForTheProblemsThatWereAskedFor) {
  const KernelSpec spec = load_kernel("reduce");
  HeaderTerms terms{.spec = spec, .records = {}};
  terms.problems = {{{"T", "float"}, {"OP", "Op::sum"}}, {{"n", 64}, {"T", "double"}}};
  const std::string out = output_of_program(exported_header(terms) + R"cpp(
#include <cstdio>
    using namespace attune_export_reduce;
    int main() {
      for (const Problem& p :
           {Problem{64, "float", "Op::sum"}, Problem{64, "float", "Op::max"}, Problem{65, "double", "Op::max"}})
        std::printf("%d ", select(p, {}).is_found ? 1 : 0);
      std::puts(select({64, "int32", "Op::sum"}, {}).why.c_str());
    }
  )cpp");
  EXPECT_EQ(out, "1 0 1 problem: this header was exported for others\n");
}

}  // namespace
}  // namespace attune::test
