#include "exports/template_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exported_program.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string kernel_with(const std::string& section) {
  return R"cu(/*attune
[kernel]
name = "copies"
[problem]
n = { size = 1000 }
T = ["float", "half"]
[parameters]
BLOCK = [128, 64]
WIDE = [false, true]
[restrictions]
rules = ["!WIDE || T == 'float'"]
[[launch]]
entry = "copies<T, BLOCK, WIDE>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "factor", "gain"]
[[launch]]
entry = "widen<BLOCK>"
when = "WIDE"
grid = [1]
block = ["BLOCK"]
arguments = ["out"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
factor = { type = "T", fill = "2" }
gain = { type = "double", fill = "2" }
)cu" + section +
         "*/\n__global__ void copies() {}\n";
}

TEST(Templates, RefuseWhatTheyCannotHave) {
  const std::pair<std::string, std::string> refused[] = {
      {"[compile]\noptions = [\"--maxrregcount={BLOCK}\"]\n", "tunable option `--maxrregcount={BLOCK}`"},
      {"[compile]\noptions = [\"-DX if WIDE\"]\n", "tunable option `-DX if WIDE`"},
      {"[compile]\ndefines = true\n", "`defines`"},
      {"[compile]\nrequires = \"sm_90a\"\n", "requires = \"sm_90a\""},
  };
  for (const auto& [section, word] : refused) {
    const KernelSpec spec = read_kernel_text(kernel_with(section), "copies.cu");
    EXPECT_THAT(message_of<UsageError>([&] { require_templates(spec); }),
                AllOf(HasSubstr("`copies`"), HasSubstr(word), HasSubstr("runtime")));
    EXPECT_THAT(exported_header({.spec = spec, .records = {}}), HasSubstr("select(")) << "without templates";
  }
  EXPECT_THAT(message_of<UsageError>([] { require_templates(load_kernel("transpose")); }),
              HasSubstr("tensor map `in_tiles`"));
}

TEST(Templates, InstantiateWhatCanBeSelectedAndNoMore) {
  const KernelSpec spec = read_kernel_text(kernel_with("[compile]\noptions = [\"-lineinfo\"]\n"), "copies.cu");
  Record record;
  record.key = {"copies",
                spec.fingerprints.code,
                spec.fingerprints.contract,
                h200().class_key(),
                {{"n", 5}, {"T", "float"}},
                "cold",
                "time"};
  record.configuration = {{"BLOCK", 64}, {"WIDE", true}};
  HeaderTerms terms{.spec = spec, .records = {record}};
  terms.with_templates = true;
  const std::string text = exported_header(terms);
  EXPECT_THAT(text, AllOf(HasSubstr("&copies<float, 128, false>"), HasSubstr("&copies<__half, 128, false>"),
                          HasSubstr("&copies<float, 64, true>"), HasSubstr("&widen<64>"),
                          HasSubstr("nvcc -std=c++17 -lineinfo -DATTUNE_HALF=1")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("__half, 64, true")), Not(HasSubstr("&widen<128>"))));
  EXPECT_THAT(text,
              AllOf(HasSubstr("  void* out = nullptr;"), HasSubstr("  const void* in = nullptr;"),
                    HasSubstr("  double gain = {};"), HasSubstr("  const void* factor = nullptr;  // the address"),
                    Not(HasSubstr("long long n ="))));
}

}  // namespace
}  // namespace attune::test
