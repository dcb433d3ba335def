// Precompiled headers: the same code with less parsing, in a folder that does not outlive the process.
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvrtc_pch.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using cuda::PchCounts;
using cuda::PchFolder;
using cuda::precompiled_headers;
using test::request_for;
using testing::HasSubstr;
using testing::Not;

constexpr const char* cub_source = R"(#include <cub/block/block_reduce.cuh>
template <int BLOCK, int ITEMS> __global__ void sum(float* out, const float* in) {
  using Reduce = cub::BlockReduce<float, BLOCK>;
  __shared__ typename Reduce::TempStorage memory;
  float value = 0;
  for (int i = 0; i < ITEMS; ++i) value += in[threadIdx.x + i * BLOCK];
  value = Reduce(memory).Sum(value);
  if (threadIdx.x == 0) *out = value;
}
)";

// A user's header of 250 KB, parsed in a tenth of a second. `factor` shows in the code.
Header heavy_header(int factor) {
  std::string text = "#define FACTOR " + std::to_string(factor) + "\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    text += "template <typename T, int N> struct Thing" + n +
            " { T values[N]; __device__ T first() const { return values[0] * T(" + n + "); } };\n";
  }
  return {"things.cuh", std::move(text)};
}

// `salt` makes it another source than that of other tests: what was seen of a source is never forgotten.
ImageRequest heavy_request(const std::string& salt, const std::string& entry, int factor = 1) {
  ImageRequest request = request_for("#include \"things.cuh\"\n// " + salt + R"(
template <int ITEMS> __global__ void scale(int* x) {
  static_assert(ITEMS < 1000, "too many items");
  for (int i = 0; i < ITEMS; ++i) x[threadIdx.x + i] *= FACTOR;
}
)",
                                     {entry});
  request.source.headers = {heavy_header(factor)};
  return request;
}

CompileOutcome compile_heavy(const ImageRequest& request, HeavyHeaders headers = HeavyHeaders::precompile) {
  return std::move(make_nvrtc_compiler("sm_90", headers)->compile({&request, 1}).front());
}

// Compiles the heavy source for `first` to `last` items. Each compiles, and nothing is said of precompiling.
void compile_heavy(const std::string& salt, int first, int last) {
  for (int i = first; i <= last; ++i) {
    const CompileOutcome outcome = compile_heavy(heavy_request(salt, "scale<" + std::to_string(i) + ">"));
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    EXPECT_THAT(outcome.log, Not(HasSubstr("precompiled")));
  }
}

// The machine code of a cubin, by section.
std::map<std::string, std::string> code_of(const Image& image) {
  const auto* bytes = reinterpret_cast<const char*>(image.code->data());
  Elf64_Ehdr file;
  std::memcpy(&file, bytes, sizeof file);
  std::vector<Elf64_Shdr> sections(file.e_shnum);
  std::memcpy(sections.data(), bytes + file.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::map<std::string, std::string> code;
  for (const Elf64_Shdr& section : sections) {
    const std::string name = bytes + sections[file.e_shstrndx].sh_offset + section.sh_name;
    if (name.starts_with(".text.")) code[name].assign(bytes + section.sh_offset, section.sh_size);
  }
  return code;
}

class Pch : public test::NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    if (IsSkipped()) return;
    if (!cuda::nvrtc().api.has_pch()) GTEST_SKIP() << cuda::nvrtc().name() << " has no precompiled headers";
    compile_heavy("before", 1, 1);  // the first source of a process has them at once; these tests are of the next
    before_ = precompiled_headers().counts();
  }
  // Since the test began.
  PchCounts counts() const {
    const PchCounts now = precompiled_headers().counts();
    return {now.created - before_.created, now.used - before_.used, now.grown - before_.grown,
            now.given_up - before_.given_up};
  }

 private:
  PchCounts before_;
};

TEST_F(Pch, AKernelWithCubCompilesToTheSameCodePlainlyWhileMakingThemAndWithThem) {
  if (!cuda::find_toolkit_header(cuda::toolkit_include_folders(cuda::nvrtc().file), "cccl/cub/cub.cuh"))
    GTEST_SKIP() << "no CUB in the CUDA toolkit of this machine";
  const ImageRequest request = request_for(cub_source, {"sum<128, 4>"});
  std::vector<CompileOutcome> outcomes;
  for (int i = 0; i < 3; ++i) outcomes.push_back(compile_heavy(request));
  EXPECT_EQ(counts().created, 1);
  EXPECT_EQ(counts().used, 1);
  ASSERT_EQ(outcomes[0].verdict, Verdict::ok) << outcomes[0].log;
  const auto code = code_of(*outcomes[0].image);
  ASSERT_EQ(code.count(".text._Z3sumILi128ELi4EEvPfPKf"), 1u);
  for (const CompileOutcome& outcome : {outcomes[1], outcomes[2]}) {
    ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    EXPECT_EQ(code_of(*outcome.image), code);
    EXPECT_EQ(outcome.image->functions.front().usage, outcomes[0].image->functions.front().usage);
    EXPECT_THAT(outcome.log, Not(HasSubstr("precompiled")));
  }
  EXPECT_EQ(compile_heavy(request_for(cub_source, {"sum<256, 1>"})).verdict, Verdict::ok);
  EXPECT_EQ(counts().used, 2) << "other entries of the same source read the same file";
  EXPECT_EQ(counts().created, 1);
}

TEST_F(Pch, ASourceIsCompiledPlainlyUntilItComesAgain) {
  compile_heavy("once", 1, 1);
  compile_heavy("twice", 1, 1);
  compile_heavy("once", 2, 2);
  EXPECT_EQ(counts().created, 0) << "not in a row";
  compile_heavy("once", 3, 3);
  EXPECT_EQ(counts().created, 1);
  compile_heavy("once", 4, 4);
  EXPECT_EQ(counts().used, 1);
  compile_heavy("twice", 4, 4);
  compile_heavy("once", 5, 5);
  EXPECT_EQ(counts().used, 2) << "one compile of another source drives nothing out";
}

TEST_F(Pch, ApplicationsNeitherWriteThemNorWaitForThem) {
  const ImageRequest request = heavy_request("application", "scale<1>");
  const SourceText other = heavy_request("other", "scale<1>").source;
  ASSERT_FALSE(precompiled_headers().begin(other, {}));
  auto held = precompiled_headers().begin(other, {});  // one at a time: who uses them now waits for ever
  ASSERT_TRUE(held);
  const auto compiler = make_nvrtc_compiler("sm_90");  // as a device's own
  for (int i = 0; i < 3; ++i) EXPECT_EQ(compiler->compile({&request, 1}).front().verdict, Verdict::ok);
  EXPECT_EQ(compile_heavy(request, HeavyHeaders::parse).verdict, Verdict::ok);
  held.reset();
  EXPECT_EQ(counts().created, 0);
  EXPECT_EQ(counts().used, 0);
}

TEST_F(Pch, TheFirstSourceHasThemTheFirstTime) {
  cuda::PrecompiledHeaders headers(cuda::nvrtc(), testing::TempDir());
  const SourceText source = heavy_request("first", "scale<1>").source;
  EXPECT_TRUE(headers.begin(source, {"-std=c++17"}));
  EXPECT_FALSE(headers.begin(heavy_request("second", "scale<1>").source, {"-std=c++17"}));
  EXPECT_TRUE(headers.begin(source, {"-std=c++17"}));
  EXPECT_FALSE(headers.begin(source, {"-std=c++20"})) << "options that differ";
  EXPECT_FALSE(headers.begin(source, {"-std=c++17"}));
  EXPECT_THAT(headers.folder().string(), testing::StartsWith(testing::TempDir()));
}

TEST_F(Pch, LightHeadersAreNotWorthIt) {
  struct Case {
    const char* source;
    std::vector<Header> headers;
    bool heavy;
  };
  const Case cases[] = {{"#include \"attune.cuh\"\n", {}, false},
                        {"#include <cuda_fp16.h>\n", {}, false},
                        {"#include <cuda_fp16.h>\n  #  include <cub/cub.cuh> // sums", {}, true},
                        {"#include \"a.cuh\"\n", {{"a.cuh", "#define A 1\n"}}, false},
                        {"#include \"a.cuh\"\n", {{"a.cuh", "#include <cuda/std/array>\n"}}, true},
                        {"#include \"things.cuh\"\n", {heavy_header(1)}, true}};
  for (const Case& c : cases) EXPECT_EQ(cuda::has_heavy_headers({"k.cu", c.source, c.headers}), c.heavy) << c.source;
}

TEST_F(Pch, OptionsThatDifferBetweenConfigurationsLeaveThemOut) {
  for (int i = 0; i < 3; ++i) {
    for (const char* option : {"--maxrregcount=32", "--maxrregcount=64"}) {
      ImageRequest request = heavy_request("options", "scale<1>");
      request.options = {option};
      EXPECT_EQ(compile_heavy(request).verdict, Verdict::ok);
      EXPECT_EQ(compile_heavy(request).verdict, Verdict::ok);
    }
  }
  EXPECT_LE(counts().created, 1) << "before it was known that they differ";
  EXPECT_EQ(counts().used, 0);
}

TEST_F(Pch, ConfigurationsThatDifferInMacrosShareTheHeadersBehindWhichTheseStand) {
  if (!cuda::find_toolkit_header(cuda::toolkit_include_folders(cuda::nvrtc().file), "cccl/cub/cub.cuh"))
    GTEST_SKIP() << "no CUB in the CUDA toolkit of this machine";
  ImageRequest request = request_for(std::string("// macros\n") + cub_source, {"sum<128, 4>"});
  for (const char* value : {"1", "2", "3", "4"}) {
    request.macros = {{"STEPS", value}};
    const CompileOutcome outcome = compile_heavy(request);
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    EXPECT_THAT(outcome.log, Not(testing::AnyOf(HasSubstr("PCH"), HasSubstr("precompiled"))));
  }
  EXPECT_EQ(counts().created, 1);
  EXPECT_EQ(counts().used, 2);
}

TEST_F(Pch, AHeaderWithAnotherTextUnderTheSameNameIsReadAnew) {
  std::map<int, std::string> code;
  for (const int factor : {3, 5}) {
    for (int i = 0; i < 3; ++i) {
      const CompileOutcome outcome = compile_heavy(heavy_request("texts", "scale<1>", factor));
      ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
      code[factor] = code_of(*outcome.image).at(".text._Z5scaleILi1EEvPi");
    }
  }
  EXPECT_EQ(counts().created, 2);
  EXPECT_EQ(counts().used, 2);
  EXPECT_NE(code[3], code[5]);
}

TEST_F(Pch, AnErrorIsReportedAsWithoutThemAndSpoilsNothing) {
  const CompileOutcome plain = compile_heavy(heavy_request("errors", "scale<1000>"));
  EXPECT_EQ(plain.verdict, Verdict::compile_error);
  EXPECT_THAT(plain.log, HasSubstr("too many items"));
  for (int i = 0; i < 3; ++i) {
    const CompileOutcome again = compile_heavy(heavy_request("errors", "scale<1000>"));
    EXPECT_EQ(again.verdict, Verdict::compile_error);
    EXPECT_EQ(again.log, plain.log);
    compile_heavy("errors", i + 1, i + 1);
  }
  EXPECT_EQ(counts().created, 1);
  EXPECT_GE(counts().used, 2);
  EXPECT_EQ(counts().given_up, 0);
}

TEST_F(Pch, AHeapThatIsTooSmallGrows) {
  ASSERT_EQ(cuda::nvrtc().api.set_pch_heap(1 << 20), cuda::nvrtc_success);
  compile_heavy("heap", 1, 4);
  EXPECT_EQ(counts().grown, 1);
  EXPECT_EQ(counts().created, 1);
  EXPECT_EQ(counts().used, 1);
}

TEST_F(Pch, WithoutAFolderItCompilesAllTheSame) {
  compile_heavy("folder", 1, 2);
  fs::remove_all(precompiled_headers().folder());  // by somebody who cleans up /tmp
  compile_heavy("folder", 3, 5);
  EXPECT_EQ(counts().given_up, 1);
  compile_heavy("folder 2", 1, 2);
  EXPECT_EQ(counts().created, 2) << "other sources have them again";
}

// The child, this test begun anew, writes what it sees of its folder and then ends as programs do.
TEST_F(Pch, TheFolderIsPrivateAndGoneWhenTheProcessHasEnded) {
  setenv("ATTUNE_PCH_NOTE", (testing::TempDir() + "/attune-pch-note-" + std::to_string(getpid())).c_str(), 0);
  const fs::path note = std::getenv("ATTUNE_PCH_NOTE");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        compile_heavy("child", 1, 3);
        const fs::path folder = precompiled_headers().folder();
        int files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) files += entry.path().extension() == ".pch";
        struct stat status {};
        stat(folder.c_str(), &status);
        std::ofstream(note) << files << ' ' << (status.st_mode & 0777) << ' ' << folder.string() << std::flush;
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  std::ifstream in(note);
  int files = 0, mode = 0;
  std::string folder;
  in >> files >> mode >> folder;
  fs::remove(note);
  EXPECT_EQ(files, 1);
  EXPECT_EQ(mode, 0700);
  ASSERT_THAT(folder, HasSubstr("attune-pch-"));
  EXPECT_FALSE(fs::exists(folder));
}

class PchFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/pch-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    parent_ = name;
  }
  void TearDown() override { fs::remove_all(parent_); }
  fs::path abandoned(const std::string& name) const {
    fs::create_directory(parent_ / name);
    std::ofstream(parent_ / name / "lock") << "";
    std::ofstream(parent_ / name / "kernel_0.pch") << "much";
    return parent_ / name;
  }
  static void make_old(const fs::path& folder) {
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  }
  fs::path parent_;
};

TEST_F(PchFolderTest, RemovesWhatKilledProcessesLeftAndNothingElse) {
  const fs::path old = abandoned("attune-pch-aaaaaa"), young = abandoned("attune-pch-bbbbbb"),
                 foreign = abandoned("pch-cccccc"), held = abandoned("attune-pch-dddddd");
  for (const fs::path& folder : {old, foreign, held}) make_old(folder);
  fs::create_directory_symlink(foreign, parent_ / "attune-pch-eeeeee");
  const int lock = open((held / "lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  {
    const PchFolder folder(parent_);
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(young / "kernel_0.pch"));
    EXPECT_TRUE(fs::exists(foreign / "kernel_0.pch"));
    EXPECT_TRUE(fs::exists(held / "kernel_0.pch"));
    make_old(folder.path());
    const PchFolder second(parent_);
    EXPECT_TRUE(fs::exists(folder.path())) << "its owner lives";
  }
  close(lock);
}

TEST_F(PchFolderTest, AForkedChildRemovesNothing) {
  const PchFolder folder(parent_);
  const pid_t child = fork();
  if (child == 0) {
    folder.~PchFolder();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(folder.path()));
}

}  // namespace
}  // namespace attune
