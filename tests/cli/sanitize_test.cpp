// attune check --sanitize: kernels with one mistake each, run for real under the sanitizers of the machine's compiler.
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char *thread_141 = "block (2,0,0), thread (5,1,0)", *thread_999 = "block (15,0,0), thread (7,0,1)";

class Sanitize : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    for (const std::string library : {"libasan.so", "libubsan.so"}) {
      const CommandResult found = run_command({"g++", "-print-file-name=" + library});
      if (!found.out.starts_with("/")) GTEST_SKIP() << library << " is not installed: g++ says " << found.out;
    }
  }

  // A kernel file of 1000 int32 elements in blocks of (8,4,2) threads: `body` stands alone on line 28 and sees y, x, n,
  // i (the element), t (the thread in the block), and 0 as `zero`, which no compiler knows.
  std::string kernel(const std::string& body, const std::string& shared = "float unused") const {
    return write("wrong.cu", R"cu(/*attune
[kernel]
name = "wrong"
summary = "y = 3 x"
[problem]
n = { size = 100000, host = 1000 }
[parameters]
STEP = [1, 2]
[[launch]]
entry = "wrong<STEP>"
grid = ["ceil_div(n, 64)"]
block = ["8", "4", "2"]
shared = "256"
arguments = ["n", "x", "y"]
[arguments]
y = { type = "int32", size = "n", role = "out" }
x = { type = "int32", size = "n", role = "in", fill = "constant(0)" }
n = { type = "int64" }
*/
template <int STEP>
__global__ void wrong(long long n, const int* x, int* y) {
  __shared__ )cu" + shared + R"cu(;
  extern __shared__ int dynamic[];
  const int t = threadIdx.x + 8 * threadIdx.y + 32 * threadIdx.z, zero = x[0];
  const long long i = blockIdx.x * 64ll + t;
  dynamic[t] = t; __syncthreads();
  if (i < n) y[i] = 3 * x[i];
)cu" + body + "\n}\n");
  }

  // Thread 13 of block 2 does this with a function of the C library.
  std::string kernel_with(const std::string& function, const std::string& statement) const {
    std::string text = content_of(kernel("  if (i == 141) { " + statement + "; }"));
    text.insert(text.find("template"), "extern \"C\" " + function + ";\n");
    return write("wrong.cu", text);
  }

  CommandResult check(const std::string& path, const std::string& sanitizers = "address,undefined",
                      std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"check", path, "--device", "host", "--sanitize", sanitizers};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return attune(std::move(arguments));
  }
};

// A mistake in line 28, made by thread 13 of block 2 at element 141 unless `at` is another, and its report.
struct Mistake {
  const char *name, *body, *verdict, *what;
  const char* shared = "float unused";
  const char* at = thread_141;
  const char* sanitizers = "address,undefined";
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

// Through pointers: what the compiler knows the bounds of, the other sanitizer finds.
const Mistake mistakes[] = {
    {"WriteBehindAnArray", "if (i == 999) y[i + STEP] = 1;", "guard",
     "wrote 4 bytes outside argument `y`, at element [1000]; it has 1000 of int32", "float unused", thread_999},
    {"ReadBehindAnArray", "if (i == 999) y[i] = x[i + STEP];", "guard",
     "read 4 bytes outside argument `x`, at element [1000]; it has 1000 of int32", "float unused", thread_999},
    {"WriteBeforeAnArray", "if (i == 141) y[i - 142] = 1;", "guard",
     "wrote 4 bytes outside argument `y`, at element [-1]"},
    {"AccessThatOnlyEndsOutside",
     "if (i == 141) { long long two; __builtin_memcpy(&two, x + 999 + zero, 8); y[i] = int(two); }", "guard",
     "read 8 bytes outside argument `x`, at elements [999] to [1000]"},
    {"AtomicBehindAnArray", "if (i == 141) atomicAdd(y + n, 1);", "guard",
     "wrote 4 bytes outside argument `y`, at element [1000]"},
    {"AccessFarAway", "if (i == 141) y[i << 36] = 1;", "fault", ""},
    {"WriteBehindDynamicSharedMemory", "if (i == 141) dynamic[t + 51] = 1;", "fault",
     "wrote 4 bytes outside dynamic shared memory, at byte 256; the launch has 256 bytes"},
    {"ReadBeforeDynamicSharedMemory", "if (i == 141) y[i] = dynamic[zero - 1];", "fault",
     "read 4 bytes outside dynamic shared memory, at byte -4"},
    {"OverrunOfStaticSharedMemory", "int* p = tile[0]; if (i == 141) p[zero + 8 * STEP * 9] = 1;", "fault",
     "wrote 4 bytes outside shared variable `tile`, at byte 288; it has 288 bytes",
     "int before[4], tile[8][STEP * 9], behind"},
    {"OverrunOfALocalArray",
     "int local[8]; for (int k = 0; k < 8; ++k) local[k] = x[k]; int* p = local; if (i == 141) y[i] = p[zero + 8];",
     "fault", "stack-buffer-overflow", "float unused", thread_141, "address"},
    {"StackOverflow",
     "auto deep = [&](auto& self, int k) -> int { volatile int room[64]; room[k & 63] = k; return k > 1 << 20 ? k : "
     "room[(k + 1) & 63] + self(self, k + 1) + room[k & 63]; }; if (i == 141) y[i] = deep(deep, 0);",
     "fault", "stack-overflow"},
    {"IntegerOverflow", "if (i == 141) y[i] = zero + 2147483647 + STEP;", "fault", "signed integer overflow",
     "float unused", thread_141, "undefined"},
    {"Shift", "if (i == 141) y[i] = 1 << (32 + zero);", "fault", "shift exponent 32 is too large"},
    {"NullPointer", "if (i == 141) y[i] = *(reinterpret_cast<const int*>(0ll + zero));", "fault",
     "load of null pointer of type 'const int'"},
    {"MisalignedAccess", "if (i == 141) y[0] = reinterpret_cast<const int4*>(x + 1)->x;", "fault",
     "member access within misaligned address"},
    {"DivisionByZero", "if (i == 141) y[i] = 7 / zero;", "fault", "division by zero"},
    {"BoundsThatTheCompilerKnows", "if (i == 141) tile[zero + 1][9 + zero] = 1;", "fault",
     "index 9 out of bounds for type 'int [9]'", "int tile[8][9]"},
};

class SanitizeMistake : public Sanitize, public testing::WithParamInterface<Mistake> {};
INSTANTIATE_TEST_SUITE_P(, SanitizeMistake, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

TEST_P(SanitizeMistake, IsNamedWithItsLineThreadAndEntry) {
  const Mistake& m = GetParam();
  const CommandResult result = check(kernel("  " + std::string(m.body), m.shared), m.sanitizers);
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: " + std::string(m.verdict) + "\n"),
                                HasSubstr("wrong.cu:28: " + std::string(m.what)),
                                HasSubstr("in " + std::string(m.at) + " of wrong<1>")))
      << result.err;
}

TEST_F(Sanitize, WithoutTheAddressesTheDeviceStillEndsALaunchOnItsOwn) {
  const CommandResult trap = check(kernel("  if (STEP == 2 && i == 141) __trap();"), "undefined", {"-c", "STEP=2"});
  EXPECT_EQ(trap.code, 3);
  EXPECT_THAT(trap.out, AllOf(HasSubstr("verdict: fault"), HasSubstr(thread_141), HasSubstr("__trap()")));
}

TEST_F(Sanitize, NamesTheReferenceWhenThatIsAtFault) {
  const std::string path = scale_with("y[i] = x[i] + x[i] + x[i];", "y[i] = x[i + 1] + x[i] + x[i];");
  const CommandResult result = check(path, "address");
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("read 4 bytes outside argument `x`, at element [5000]"),
                                HasSubstr("of scale_reference<float>"), HasSubstr("block (78,0,0), thread (7,0,0)")));
}

TEST_F(Sanitize, LeavesDeadlocksToTheDevice) {
  const CommandResult result = check(kernel("  if (STEP == 2 && t == 3) __syncwarp(); else __syncthreads();"),
                                     "address,undefined", {"-c", "STEP=2"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("reached by")));
}

TEST_F(Sanitize, IsSilentAboutCleanKernels) {
  for (const auto& [name, problem] :
       {std::pair("reduce", "n=100000"), std::pair("transpose", "width=100 height=70"), std::pair("axpy", "n=10000")}) {
    const CommandResult result = check(name, "address,undefined", {"--problem", problem});
    EXPECT_EQ(result.code, 0) << name << result.out << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("-fsanitize=address,undefined"), HasSubstr("verdict: ok\n"),
                                  HasSubstr("nothing found")))
        << name;
  }
  const CommandResult own = check(kernel("  if (i < n) y[i] += t - dynamic[t];", "__align__(16) float tile[4], other"));
  EXPECT_EQ(own.code, 0) << own.out << own.err;
}

TEST_F(Sanitize, ReportsTheSharedMemoryThatTheKernelHasWithoutFences) {
  EXPECT_THAT(check(kernel("  if (t == 0) tile[zero] = 1;", "int tile[12 * 1024]")).out,
              AllOf(HasSubstr("49152 bytes of static shared memory"), HasSubstr("verdict: ok")));
}

TEST_F(Sanitize, EndsWhatNeverEnds) {
  const CommandResult result = check(kernel("  volatile int* go = y; if (i == 141) while (go[5] == zero) {}"),
                                     "address", {"--time-limit", "8s"});
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: timeout\n"), HasSubstr("stopped after 8 s")));
}

TEST_F(Sanitize, LeavesNothingBehind) {
  const std::filesystem::path temporary = folder_ / "tmp";
  std::filesystem::create_directory(temporary);
  const CommandResult result =
      attune({"check", kernel("  if (i == 141) y[n] = 1;"), "--device", "host", "--sanitize", "address"},
             {.environment = {{"TMPDIR", temporary.string()}}});
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrong.cu:28: wrote 4 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Sanitize, AKernelThatEndsItsProcessHasAVerdict) {
  for (const std::string code : {"0", "3"}) {
    const CommandResult result = check(kernel_with("void _exit(int)", "_exit(" + code + ")"));
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("with exit code " + code)));
  }
}

TEST_F(Sanitize, ACommandThatIsKilledLeavesNeitherFolderNorProcess) {
  const std::filesystem::path temporary = folder_ / "tmp", begun = folder_ / "begun";
  std::filesystem::create_directory(temporary);
  const std::string command = "setsid sh -c 'echo $$ > " + begun.string() + "; exec sleep 100' > /dev/null 2>&1 &";
  const std::string file = kernel_with("int system(const char*)", "system(\"" + command + "\"); for (;;) {}");
  CommandOptions options;
  options.environment["TMPDIR"] = temporary.string();
  options.signal_when = [&](const std::string&) { return content_of(begun).ends_with("\n") ? SIGKILL : 0; };
  EXPECT_EQ(attune({"check", file, "--device", "host", "--sanitize", "undefined"}, options).code, 128 + SIGKILL);
  const std::string child = lines_of(content_of(begun)).at(0);
  const auto is_alive = [&child] { return !content_of("/proc/" + child + "/cmdline").empty(); };
  for (int i = 0; i < 100 && (is_alive() || !std::filesystem::is_empty(temporary)); ++i) usleep(100'000);
  EXPECT_FALSE(is_alive());
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

using SanitizeOptions = Workbench;

TEST_F(SanitizeOptions, WithoutTheRuntimeSayWhatToDo) {
  const std::string compiler =
      write("bare-g++", "#!/bin/sh\ncase \"$*\" in *print-file-name*) echo libasan.so;; *) exec g++ \"$@\";; esac\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const CommandResult result = attune({"check", scale(), "--device", "host", "--sanitize", "address"},
                                      {.environment = {{"ATTUNE_HOST_CXX", compiler}}});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("bare-g++"), HasSubstr("libasan.so"), HasSubstr("install")));
  const CommandResult variable =
      attune({"check", scale(), "--device", "host"}, {.environment = {{"ATTUNE_SANITIZE", "address"}}});
  EXPECT_EQ(variable.code, 1) << variable.out;
  EXPECT_THAT(variable.err, HasSubstr("unset it"));
}

}  // namespace
}  // namespace attune::test
