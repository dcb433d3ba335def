// How a compile may end that is no fault of the source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "device/cuda/nvrtc_compiler.hpp"
#include "support/nvrtc.hpp"

namespace attune::cuda {
namespace {

using testing::HasSubstr;

class NvrtcEnd : public test::NvrtcTest {
 protected:
  ~NvrtcEnd() override { unsetenv("ATTUNE_COMPILE_MEMORY"); }
  static ImageRequest request() { return test::request_for("__global__ void run() {}", {"run"}); }
  // Compiles with an NVRTC that gives up at once with a result and says nothing more.
  template <NvrtcResult result>
  static CompileOutcome end_with() {
    NvrtcLibrary library = nvrtc();
    library.api.compile = [](NvrtcProgram, int, const char* const*) { return result; };
    return compile_with(library, request(), "sm_90");
  }
};

TEST_F(NvrtcEnd, WithoutMemoryOrInsideTheCompilerIsNoErrorOfTheSource) {
  EXPECT_EQ(to_text(end_with<nvrtc_out_of_memory>().verdict), "compile_crash");
  const CompileOutcome internal = end_with<nvrtc_internal_error>();
  EXPECT_EQ(to_text(internal.verdict), "compile_crash");
  EXPECT_THAT(internal.log, HasSubstr("NVRTC_ERROR_INTERNAL_ERROR"));
  EXPECT_EQ(to_text(end_with<nvrtc_compilation>().verdict), "compile_error");
}

// An application with a user's limit in its environment may have memory later.
TEST_F(NvrtcEnd, BeyondTheUsersLimitIsALackOfMemory) {
  setenv("ATTUNE_COMPILE_MEMORY", "500", 1);
  const CompileOutcome limited = end_with<nvrtc_out_of_memory>();
  EXPECT_EQ(to_text(limited.verdict), "out_of_memory");
  EXPECT_THAT(limited.log, HasSubstr("ATTUNE_COMPILE_MEMORY"));
}

// NVRTC writes the list of the files that it opened into memory, which the limit covers too.
TEST_F(NvrtcEnd, ALimitOfFileSizesEndsNoProcess) {
  compile_with(nvrtc(), request(), "sm_90");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    _exit(static_cast<int>(compile_with(nvrtc(), request(), "sm_90").verdict));
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace attune::cuda
