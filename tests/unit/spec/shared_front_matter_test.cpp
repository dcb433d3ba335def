// Front matter that kernel files share: `include` of [kernel].
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* shared_text = R"(# What two kernels share.
[problem]
n = "size"
T = ["float", "double"]
[parameters]
BLOCK = [256, 64]
[values]
tile = "BLOCK * ITEMS"
[restrictions]
rules = ["tile <= 1024"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
)";

constexpr const char* kernel_text = R"cu(/*attune
[kernel]
name = "scale"
include = ["shared.toml"]
[parameters]
ITEMS = [1, 2]
[values]
twice = "2 * tile"
[restrictions]
rules = ["twice <= 4096"]
[[launch]]
entry = "scale<T, BLOCK, ITEMS>"
grid = ["ceil_div(n, tile)"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
n = { type = "int64" }
*/
template <typename T, int BLOCK, int ITEMS>
__global__ void scale(T* out, const T* in, long long n);
)cu";

// The same in one file.
constexpr const char* whole_text = R"cu(/*attune
[kernel]
name = "scale"
[problem]
n = "size"
T = ["float", "double"]
[parameters]
BLOCK = [256, 64]
ITEMS = [1, 2]
[restrictions]
rules = ["(BLOCK * ITEMS) <= 1024", "(2 * (BLOCK * ITEMS)) <= 4096"]
[[launch]]
entry = "scale<T, BLOCK, ITEMS>"
grid = ["ceil_div(n, (BLOCK * ITEMS))"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
*/
template <typename T, int BLOCK, int ITEMS>
__global__ void scale(T* out, const T* in, long long n);
)cu";

class SharedFrontMatter : public testing::Test {
 protected:
  SharedFrontMatter() : folder_(fs::path(testing::TempDir()) / ("attune_shared_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "parts");
    write("shared.toml", shared_text);
  }
  ~SharedFrontMatter() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  KernelSpec read(const std::string& kernel = kernel_text, std::vector<fs::path>* files = nullptr) {
    write("scale.cu", kernel);
    return read_kernel_file(folder_ / "scale.cu", files);
  }
  Fingerprints with(std::string_view text, std::string_view replacement) {
    write("shared.toml", edited(shared_text, text, replacement));
    return read().fingerprints;
  }
  // What the error says, with the folder left out.
  std::string error(const std::string& kernel = kernel_text) {
    std::string text = message_of<SpecError>([&] { read(kernel); });
    const std::string folder = folder_.string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }
  std::string error_with(std::string_view text, std::string_view replacement) {
    write("shared.toml", edited(shared_text, text, replacement));
    return error();
  }
  std::string error_including(const std::string& list) { return error(edited(kernel_text, "[\"shared.toml\"]", list)); }

  fs::path folder_;
};

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

TEST_F(SharedFrontMatter, CountsAsIfItStoodInTheKernelFile) {
  std::vector<fs::path> files;
  const KernelSpec spec = read(kernel_text, &files);
  const KernelSpec whole = read_kernel_text(whole_text, "scale.cu");
  EXPECT_EQ(spec.fingerprints.code, whole.fingerprints.code);
  EXPECT_EQ(spec.fingerprints.contract, whole.fingerprints.contract);
  EXPECT_EQ(spec.fingerprints.space, whole.fingerprints.space);
  EXPECT_THAT(files, Contains(folder_ / "shared.toml"));
}

TEST_F(SharedFrontMatter, StandsBeforeThatOfTheKernelFileInTheOrderOfTheList) {
  write("more.toml",
        "[parameters]\nZETA = [1]\n[restrictions]\nrules = [\"ZETA == 1\"]\n[[launch]]\nmemset = \"out\"\n"
        "value = 0\n[compile]\noptions = [\"-DA\"]\n");
  write("parts/last.toml", "\xEF\xBB\xBF[parameters]\nALPHA = [1]\n[compile]\noptions = [\"-DB\"]\n");
  const KernelSpec spec =
      read(edited(kernel_text, "[\"shared.toml\"]", "[\"more.toml\", \"shared.toml\", \"parts/last.toml\"]"));
  EXPECT_THAT(names_of(spec.parameters), ElementsAre("ZETA", "BLOCK", "ALPHA", "ITEMS"));
  EXPECT_THAT(names_of(spec.arguments), ElementsAre("out", "in", "n"));
  EXPECT_THAT(names_of(spec.problem), ElementsAre("n", "T"));
  ASSERT_EQ(spec.rules.size(), 3u);
  EXPECT_EQ(spec.rules[0].text(), "ZETA == 1");
  EXPECT_EQ(spec.rules[2].text(), "(2 * (BLOCK * ITEMS)) <= 4096");
  ASSERT_EQ(spec.launch.size(), 2u);
  EXPECT_EQ(spec.launch[0].kind, StepKind::memset);
  EXPECT_THAT(spec.compile.options, ElementsAre("-DA", "-DB"));
}

TEST_F(SharedFrontMatter, ItsCommentsAndSummaryDiscardNothing) {
  const Fingerprints before = read().fingerprints;
  const Fingerprints after = with("# What two kernels share.", "# As ever.\n[kernel]\nsummary = \"scales\"");
  EXPECT_EQ(read().summary, "scales");
  EXPECT_EQ(after.code, before.code);
  EXPECT_EQ(after.contract, before.contract);
  EXPECT_EQ(after.space, before.space);
}

TEST_F(SharedFrontMatter, ItsRulesAndArgumentsCountAsThoseOfTheKernelFile) {
  const Fingerprints before = read().fingerprints;
  const Fingerprints rule = with("tile <= 1024", "tile <= 512"), values = with("[256, 64]", "[256, 128]");
  for (const Fingerprints& after : {rule, values}) {
    EXPECT_NE(after.space, before.space);
    EXPECT_EQ(after.contract, before.contract);
    EXPECT_EQ(after.code, before.code);
  }
  EXPECT_NE(with("size = \"n\", role = \"in\"", "size = \"2 * n\", role = \"in\"").contract, before.contract);
}

TEST_F(SharedFrontMatter, IsEmbeddedBesideAKernel) {
  const EmbeddedHeader files[] = {{"other.toml", "[kernel"}, {"shared.toml", shared_text}};
  EXPECT_EQ(read_embedded_kernel({"scale.cu", kernel_text, {}, files}).fingerprints.space, read().fingerprints.space);
  EXPECT_THAT(message_of<SpecError>([] { read_kernel_text(kernel_text, "scale.cu"); }),
              AllOf(HasSubstr("scale.cu:4:12: cannot include `shared.toml`"), HasSubstr("without a folder")));
}

TEST_F(SharedFrontMatter, ErrorsNameTheFileThatTheyAreIn) {
  const auto is_at = [](const std::string& place, const std::string& words) {
    return AllOf(HasSubstr("shared.toml:" + place), HasSubstr(words), Not(HasSubstr("scale.cu")));
  };
  EXPECT_THAT(error_with("BLOCK * ITEMS", "BLOCK * ITEM"), is_at("8:17: `ITEM`", "did you mean `ITEMS`?"));
  EXPECT_THAT(error_with("tile <= 1024", "tile <="), is_at("10:18: ", "expected"));
  EXPECT_THAT(error_with("[\"float\", \"double\"]", "float"), is_at("4:", "lacks quotes"));
  EXPECT_THAT(error_with("role = \"in\"", "role = \"inn\""), is_at("13:", "inn"));
  EXPECT_THAT(error_with("[values]", "if = [1]\n[values]"), is_at("7:1: ", "cannot name a parameter"));
  EXPECT_THAT(error_with("[values]", "[value]"), is_at("7:2: ", "unknown section `value`"));
  EXPECT_THAT(error_with("# What", "/*attune\n"), is_at("1:1: ", "an included file is TOML alone, without `/*attune`"));
  EXPECT_THAT(error_with("# What", "# \xFF"), is_at("1:3: ", "not valid UTF-8"));
  write("shared.toml", shared_text);
  EXPECT_THAT(error(edited(kernel_text, "twice <= 4096", "twice <=")),
              AllOf(HasSubstr("scale.cu:10:19: "), Not(HasSubstr("shared.toml"))));
  EXPECT_THAT(error(edited(kernel_text, "name = \"scale\"\n", "")), HasSubstr("scale.cu:2:1: [kernel] needs `name`"));
}

TEST_F(SharedFrontMatter, AKeyHasOnePlace) {
  EXPECT_THAT(error_with("BLOCK = [256, 64]", "BLOCK = [256, 64]\nITEMS = [4]"),
              HasSubstr("scale.cu:6:1: `ITEMS` stands in shared.toml:7 too: remove it from one of the two files"));
  EXPECT_THAT(error_with("[problem]", "[kernel]\nname = \"shared\"\n[problem]"),
              HasSubstr("scale.cu:3:1: `name` stands in shared.toml:3 too"));
  EXPECT_THAT(error_with("[problem]", "[launch]\n[problem]"),
              HasSubstr("scale.cu:11:3: `launch` stands in shared.toml:2"));
  write("shared.toml", shared_text);
  write("more.toml", "[arguments]\nin = { role = \"in\" }\n");
  EXPECT_THAT(error_including("[\"shared.toml\", \"more.toml\"]"),
              HasSubstr("more.toml:2:1: `in` stands in shared.toml:13 too"));
}

TEST_F(SharedFrontMatter, IsNamedByItsPlaceBesideTheKernelFile) {
  EXPECT_THAT(
      error_including("[\"none.toml\"]"),
      HasSubstr("scale.cu:4:12: cannot include `none.toml`: none.toml: there is no such file; put the file there"));
  EXPECT_THAT(error_including("[\"parts\"]"), HasSubstr("cannot include `parts`: parts: it is a folder"));
  const std::string absolute = (folder_ / "shared.toml").string();
  for (const std::string& name : {absolute, std::string("../shared.toml"), std::string("parts/../../shared.toml"),
                                  std::string(), std::string("parts/")})
    EXPECT_THAT(error_including("[\"" + name + "\"]"), HasSubstr("is no file beside the kernel file")) << name;
  EXPECT_THAT(error_including("\"shared.toml\""), HasSubstr("scale.cu:4:11: expected an array of files"));
  EXPECT_THAT(error_including("[1]"), HasSubstr("scale.cu:4:12: expected a string, found the integer 1"));
}

TEST_F(SharedFrontMatter, IncludesNoOtherFile) {
  write("more.toml", "[kernel]\ninclude = [\"shared.toml\"]\n");
  EXPECT_THAT(error_including("[\"more.toml\"]"),
              HasSubstr("more.toml:2:1: an included file includes no other: name the file in `include` of scale.cu"));
}

}  // namespace
}  // namespace attune::tests
