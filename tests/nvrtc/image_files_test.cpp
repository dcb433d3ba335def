// Which files an image of NVRTC names, and when cached code is compiled anew: by the real NVRTC, without a driver.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvrtc_compiler.hpp"
#include "device/cuda/nvrtc_pch.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "device/image_key.hpp"
#include "dispatch/images.hpp"
#include "support/loads_anything.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::request_for;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// The NVRTC of this process, or none: then it throws as make_nvrtc_compiler()'s does.
class CountingCompiler final : public Compiler {
 public:
  explicit CountingCompiler(std::shared_ptr<Compiler> real) : real_(std::move(real)) {}
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    compiled += static_cast<int>(requests.size());
    return real().compile(requests);
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return real().toolchain(); }
  std::string target(const std::string& architecture) override {
    ++asked;
    return real().target(architecture);
  }
  bool disturbs_timing() const noexcept override { return false; }
  int compiled = 0, asked = 0;

 private:
  Compiler& real() {
    if (!real_) throw Error("no NVRTC");
    return *real_;
  }
  const std::shared_ptr<Compiler> real_;
};

class NvrtcImages : public test::NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "attune-images-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  // A kernel with a header in angle brackets, from two folders.
  ImageRequest request() const {
    return request_for("#include <factor.cuh>\n__global__ void scale(int* x) { *x *= FACTOR; }", {"scale"}, "sm_90",
                       {"-I" + (folder_ / "first").string(), "-I" + (folder_ / "second").string()});
  }
  ImageCache cache() const { return ImageCache(folder_ / "cache"); }
  // A new process: nothing in memory.
  struct Start {
    std::shared_ptr<CountingCompiler> compiler;
    std::shared_ptr<test::LoadsAnything> device;
    Images images;
  };
  std::unique_ptr<Start> start(std::shared_ptr<Compiler> real = make_nvrtc_compiler("sm_90")) const {
    auto compiler = std::make_shared<CountingCompiler>(std::move(real));
    auto device = std::make_shared<test::LoadsAnything>(compiler);
    return std::unique_ptr<Start>(
        new Start{compiler, device,
                  Images(device, no_bundles_, {std::make_unique<ImageCache>(folder_ / "cache"), nullptr},
                         [](const auto& why) { ADD_FAILURE() << why; })});
  }
  // Returns how many images a new process compiles for the request.
  int compiles(const ImageRequest& request) const {
    const auto process = start();
    const LoadedImage image = process->images.get(request);
    EXPECT_TRUE(image.status.ok()) << image.status.detail;
    return process->compiler->compiled;
  }
  // PTX as an NVRTC of earlier days makes it for an sm_90.
  Image ptx_of(const ImageRequest& request) const {
    cuda::NvrtcLibrary older = cuda::nvrtc();
    older.architectures = {75, 80};
    return *cuda::compile_with(older, request, "sm_90").image;
  }
  fs::path folder_;
  Warnings warnings_{[](const std::string& why) { ADD_FAILURE() << why; }};
  AddedBundles no_bundles_{warnings_};
};

TEST_F(NvrtcImages, AnEditedHeaderInAngleBracketsIsCompiledAnew) {
  write("second/factor.cuh", "#define FACTOR 3\n");
  EXPECT_EQ(compiles(request()), 1);
  EXPECT_EQ(compiles(request()), 0);
  write("second/factor.cuh", "#define FACTOR 5\n");
  EXPECT_EQ(compiles(request()), 1);
  EXPECT_EQ(compiles(request()), 0) << "the image was replaced";
}

TEST_F(NvrtcImages, AHeaderThatAppearsInAnEarlierFolderOrGoesIsAChange) {
  write("second/factor.cuh", "#define FACTOR 3\n");
  EXPECT_EQ(compiles(request()), 1);
  write("first/factor.cuh", "#define FACTOR 5\n");
  EXPECT_EQ(compiles(request()), 1);
  write("second/factor.cuh", "#define FACTOR 7\n");
  EXPECT_EQ(compiles(request()), 0) << "the later folder's is not opened";
  fs::remove(folder_ / "first/factor.cuh");
  EXPECT_EQ(compiles(request()), 1);
}

// A way for a source to open, or to ask for, "factor.cuh" in a folder of its options.
struct Route {
  const char* name;
  const char* source;
  const char* option = "";  // "FOLDER" stands for the folder
};
constexpr Route routes[] = {
    {"a digraph", "%:include <factor.cuh>\n"},
    {"a continued line", "#incl\\\nude \\\n <factor\\\n.cuh>\n"},
    {"a macro", "#define THE_FILE <factor.cuh>\n#include THE_FILE\n"},
    {"a macro that makes a name", "#define TEXT(x) #x\n#define NAME(x) TEXT(x.cuh)\n#include NAME(factor)\n"},
    {"a macro in a header", "#include <by_macro.cuh>\n"},
    {"a question without #include", "#if __has_include(<factor.cuh>)\n#endif\n#define FACTOR 2\n"},
    {"a question by a wrapper", "#define HAS(x) __has_include(x)\n#if HAS(<factor.cuh>)\n#endif\n#define FACTOR 2\n"},
    {"the next folder", "#include <starts.cuh>\n"},
    {"-include of a path", "", "-include=FOLDER/second/factor.cuh"},
    {"-include of a name", "", "-include=factor.cuh"},
    {"--pre-include", "", "--pre-include=factor.cuh"},
    {"the front end's own option", "", "-Xcudafe=--preinclude=FOLDER/second/factor.cuh"},
};

TEST_F(NvrtcImages, WhateverOpensAFileAnEditOfItIsCompiledAnew) {
  write("first/starts.cuh", "#include_next <starts.cuh>\n");
  write("second/starts.cuh", "#include <factor.cuh>\n");
  write("second/by_macro.cuh", "#define IN_HEADER \"factor.cuh\"\n#include IN_HEADER\n");
  for (const Route& route : routes) {
    SCOPED_TRACE(route.name);
    ImageRequest wanted = request();
    wanted.source.text = std::string(route.source) + "__global__ void scale(int* x) { *x *= FACTOR; }";
    if (std::string option = route.option; !option.empty()) {
      if (const auto place = option.find("FOLDER"); place != option.npos) option.replace(place, 6, folder_.string());
      wanted.options.push_back(option);
    }
    write("second/factor.cuh", "#define FACTOR 3\n");
    EXPECT_EQ(compiles(wanted), 1);
    EXPECT_EQ(compiles(wanted), 0);
    write("second/factor.cuh", "#define FACTOR 5\n");
    EXPECT_EQ(compiles(wanted), 1) << "edited";
    write("first/factor.cuh", "#define FACTOR 7\n");
    EXPECT_EQ(compiles(wanted), 1) << "one in an earlier folder";
    fs::remove(folder_ / "first/factor.cuh");
  }
}

TEST_F(NvrtcImages, WhatPrecompiledHeadersOpenedCounts) {
  write("second/heavy.cuh", "template <int N> struct Times { static constexpr int value = N; };\n");
  write("second/factor.cuh", "#define FACTOR 3\n");
  ImageRequest wanted = request();
  wanted.source.text =
      "#include <heavy.cuh>\n#define THE_FILE <factor.cuh>\n#include THE_FILE\n"
      "__global__ void scale(int* x) { *x *= Times<FACTOR>::value; }";
  const auto names_it = Contains(Field(&ImageFile::path, (folder_ / "second/factor.cuh").string()));
  const int used = cuda::precompiled_headers().counts().used;
  for (int compile = 0; compile < 3; ++compile) {
    const CompileOutcome outcome = cuda::compile_with(cuda::nvrtc(), wanted, "sm_90", HeavyHeaders::precompile);
    ASSERT_TRUE(outcome.image) << outcome.log;
    EXPECT_THAT(outcome.image->files, names_it) << compile;
  }
  if (cuda::nvrtc().api.has_pch()) {
    EXPECT_GT(cuda::precompiled_headers().counts().used, used);
  }
}

TEST_F(NvrtcImages, OfThreadsHaveEachItsOwnFiles) {
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "of_" + std::to_string(i) + ".cuh";
    write("second/" + name, "#define FACTOR 3\n");
    ImageRequest wanted = request();
    wanted.source.text =
        "#define THE_FILE <" + name + ">\n#include THE_FILE\n__global__ void scale(int* x) { *x = FACTOR; }";
    threads.emplace_back([&found, i, wanted] {
      const CompileOutcome outcome = cuda::compile_with(cuda::nvrtc(), wanted, "sm_90");
      if (!outcome.image) return;
      for (const ImageFile& file : outcome.image->files)
        if (!file.is_absent()) found[static_cast<std::size_t>(i)] += fs::path(file.path).filename().string();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, ElementsAre("of_0.cuh", "of_1.cuh", "of_2.cuh", "of_3.cuh"));
}

TEST_F(NvrtcImages, AQuestionWithAMacroIsNamedAndItsImageIsNotKept) {
  ImageRequest wanted = request();
  wanted.source.text = "#define OPTIONAL <o.h>\n#if __has_include(OPTIONAL)\n#endif\n__global__ void scale(int*) {}";
  const CompileOutcome outcome = cuda::compile_with(cuda::nvrtc(), wanted, "sm_90");
  ASSERT_TRUE(outcome.image) << outcome.log;
  EXPECT_FALSE(outcome.image->knows_files);
  EXPECT_THAT(outcome.log, HasSubstr("kernel.cu(2): warning: a macro names the file of __has_include"));
}

// Which it is does not depend on where an application starts.
TEST_F(NvrtcImages, AHeaderInTheCurrentFolderIsRefused) {
  const fs::path before = fs::current_path();
  write("here.cuh", "#define FACTOR 3\n");
  fs::current_path(folder_);
  const std::string end = "__global__ void scale(int*) {}";
  for (const std::string source :
       {"#define THE_FILE \"here.cuh\"\n#include THE_FILE\n", "#if __has_include(\"here.cuh\")\n#endif\n"}) {
    ImageRequest wanted = request();
    wanted.source.text = source + end;
    const CompileOutcome outcome = cuda::compile_with(cuda::nvrtc(), wanted, "sm_90");
    EXPECT_EQ(outcome.verdict, Verdict::compile_error) << source;
    EXPECT_THAT(outcome.log, HasSubstr("here.cuh: error: it lies in the current folder"));
  }
  fs::current_path(before);
}

TEST_F(NvrtcImages, APipeInTheirPlaceIsRefusedAtOnce) {
  write("second/factor.cuh", "#define FACTOR 3\n");
  fs::create_directories(folder_ / "first");
  ASSERT_EQ(mkfifo((folder_ / "first/factor.cuh").c_str(), 0600), 0);
  const CompileOutcome outcome = cuda::compile_with(cuda::nvrtc(), request(), "sm_90");
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, HasSubstr("first/factor.cuh: error: it is no regular file"));
}

TEST_F(NvrtcImages, InOneProcessALoadedImageStays) {
  write("second/factor.cuh", "#define FACTOR 3\n");
  const auto process = start();
  const auto module = process->images.get(request()).module;
  write("second/factor.cuh", "#define FACTOR 5\n");
  EXPECT_EQ(process->images.get(request()).module, module);
  EXPECT_EQ(process->compiler->compiled, 1);
}

TEST_F(NvrtcImages, WithoutHeadersOfFilesNameNoneAndAskForNoCompilerAgain) {
  const ImageRequest plain = request_for("#include \"attune.cuh\"\n__global__ void k() {}", {"k"}, "sm_90");
  EXPECT_EQ(compiles(plain), 1);
  EXPECT_THAT(cache().find(image_key(plain))->files, IsEmpty());
  const auto process = start(nullptr);
  EXPECT_TRUE(process->images.get(plain).status.ok());
  EXPECT_EQ(process->device->compilers_asked_for, 0);
}

TEST_F(NvrtcImages, NameTheToolkitsHeaders) {
  const auto folders = cuda::toolkit_include_folders(cuda::nvrtc().file);
  const auto folder = cuda::find_toolkit_header(folders, "cuda_fp16.h");
  if (!folder) GTEST_SKIP() << "no cuda_fp16.h on this machine";
  const ImageRequest halves = request_for("#include \"attune.cuh\"\n__global__ void k(__half* x) { *x = __hneg(*x); }",
                                          {"k"}, "sm_90", {"-DATTUNE_HALF=1"});
  const CompileOutcome outcome = std::move(make_nvrtc_compiler("sm_90")->compile({&halves, 1}).front());
  ASSERT_TRUE(outcome.image) << outcome.log;
  EXPECT_TRUE(outcome.image->knows_files);
  for (const char* name : {"cuda_fp16.h", "cuda_fp16.hpp"})
    EXPECT_THAT(outcome.image->files, Contains(Field(&ImageFile::path, (folder->lexically_normal() / name).string())));
  if (!cuda::find_toolkit_header(folders, "cccl/cub/cub.cuh")) return;
  const ImageRequest cub = request_for("#include <cub/block/block_reduce.cuh>\n__global__ void k() {}", {"k"}, "sm_90");
  const CompileOutcome heavy = std::move(make_nvrtc_compiler("sm_90")->compile({&cub, 1}).front());
  ASSERT_TRUE(heavy.image) << heavy.log;
  EXPECT_TRUE(heavy.image->knows_files) << heavy.image->files.size();
  EXPECT_THAT(heavy.image->files, Contains(Field(&ImageFile::path, EndsWith("cub/block/block_reduce.cuh"))));
  RecordProperty("files_of_cub", static_cast<int>(heavy.image->files.size()));
}

TEST_F(NvrtcImages, PtxOfAnEarlierCompilerIsReplacedByNativeCode) {
  const ImageRequest plain = request_for("__global__ void k() {}", {"k"}, "sm_90");
  const Image ptx = ptx_of(plain);
  ASSERT_EQ(ptx.architecture, "compute_80");
  cache().put(image_key(plain), ptx);
  EXPECT_EQ(start()->images.toolchain(plain), cuda::nvrtc().name());
  const auto process = start();
  EXPECT_TRUE(process->images.get(plain).status.ok());
  EXPECT_THAT(process->device->loaded, ElementsAre("sm_90"));
  EXPECT_EQ(cache().find(image_key(plain))->architecture, "sm_90");
  EXPECT_EQ(compiles(plain), 0);
}

TEST_F(NvrtcImages, PtxServesWithoutACompilerOrWithNoNewerOne) {
  const ImageRequest plain = request_for("__global__ void k() {}", {"k"}, "sm_90");
  cache().put(image_key(plain), ptx_of(plain));
  const auto without = start(nullptr);
  EXPECT_TRUE(without->images.get(plain).status.ok());
  EXPECT_THAT(without->device->loaded, ElementsAre("compute_80"));
  const ImageRequest beyond = request_for("__global__ void k() {}", {"k"}, "sm_990");
  EXPECT_EQ(compiles(beyond), 1);
  const auto again = start();
  EXPECT_TRUE(again->images.get(beyond).status.ok());
  EXPECT_EQ(again->compiler->compiled, 0);
  EXPECT_EQ(again->compiler->asked, 1);
}

TEST_F(NvrtcImages, NativeCodeOfTheSiteComesBeforePtxOfOnesOwn) {
  const ImageRequest plain = request_for("__global__ void k() {}", {"k"}, "sm_90");
  cache().put(image_key(plain), ptx_of(plain));
  ImageCache(folder_ / "site").put(image_key(plain), *cuda::compile_with(cuda::nvrtc(), plain, "sm_90").image);
  const auto compiler = std::make_shared<CountingCompiler>(nullptr);
  const auto device = std::make_shared<test::LoadsAnything>(compiler);
  Images images(device, no_bundles_,
                {std::make_unique<ImageCache>(folder_ / "cache"),
                 std::make_unique<ImageCache>(folder_ / "site", ImageCache::Access::read_only)},
                [](const auto& why) { ADD_FAILURE() << why; });
  EXPECT_TRUE(images.get(plain).status.ok());
  EXPECT_THAT(device->loaded, ElementsAre("sm_90"));
  EXPECT_EQ(device->compilers_asked_for, 0);
}

}  // namespace
}  // namespace attune
