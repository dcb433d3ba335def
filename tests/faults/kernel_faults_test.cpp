// What kernels do wrong, on the host device through the real worker processes: faulty.cu, each value of whose parameter
// is another mistake.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class KernelFaults : public FaultBench {
 protected:
  // Tunes with these values of FAULT, `none` first.
  TuneRun run_with(const std::string& values, const std::string& type = "float", CommandOptions options = {}) const {
    return tune({ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu", "--problem", "T=" + type, "--strategy", "exhaustive",
                 "--parameters", "FAULT=Fault::none," + values, "--db", database()},
                std::move(options));
  }
  // What stands in the database for one value of FAULT.
  Trial trial_of(const std::string& value) const { return trials().at("FAULT=" + value); }
};

TEST_F(KernelFaults, WhatDoesNotCompileIsAVerdictThatQuotesTheCompiler) {
  const TuneRun run = run_with("Fault::asserted,Fault::missing,Fault::fine");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::asserted").verdict, Verdict::compile_error);
  EXPECT_THAT(trial_of("Fault::asserted").detail, HasSubstr("this one was not meant to be"));
  EXPECT_EQ(trial_of("Fault::missing").verdict, Verdict::compile_error);
  EXPECT_THAT(trial_of("Fault::missing").detail, HasSubstr("missing"));
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::ok);
  EXPECT_EQ(run.workers_replaced(), 0);
  EXPECT_THAT(quarantined(), IsEmpty());
  EXPECT_THAT(attempts(), IsEmpty());
}

TEST_F(KernelFaults, AFileThatDoesNotCompileIsToldAsThat) {
  std::ifstream in(ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string file = (folder_ / "broken.cu").string();
  std::ofstream(file) << text << "\n__global__ void open( {\n";
  const TuneRun run = tune({file, "--db", database()});
  EXPECT_EQ(run.command.code, 3);
  EXPECT_THAT(run.command.err, HasSubstr("it does not compile"));
  EXPECT_THAT(run.command.err, HasSubstr("broken.cu:"));
  EXPECT_THAT(quarantined(), IsEmpty());
}

// As g++ does: its messages are of a full folder.
TEST_F(KernelFaults, ACompilerWithoutRoomEndsTheSessionAndTheSameCommandGoesOn) {
  const std::string compiler = (folder_ / "compiler").string(), full = (folder_ / "full").string();
  std::ofstream(compiler)
      << "#!/bin/sh\ncase \"$*\" in *-dump*) exec g++ \"$@\";; esac\n"
         "if [ -e '" +
             full +
             "' ] && grep -q 'faulty<float, Fault::fine>' kernel.cpp; then\n"
             "  echo 'fatal error: error writing to /tmp/ccX.s: No space left on device'; exit 1\nfi\n"
             "exec g++ \"$@\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  std::ofstream(full) << "x";
  CommandOptions options;
  options.environment["ATTUNE_HOST_CXX"] = compiler;
  const TuneRun failed = run_with("Fault::fine", "float", options);
  EXPECT_EQ(failed.command.code, 1);
  EXPECT_THAT(failed.command.err, AllOf(HasSubstr("has no room for its files in /"), HasSubstr("TMPDIR")));
  EXPECT_EQ(count_of_verdict(Verdict::compile_error), 0);
  std::filesystem::remove(full);
  const TuneRun run = run_with("Fault::fine", "float", options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::ok);
}

// Kills itself, as one that the operating system kills for its memory, as often as a file says, at one configuration.
class KilledCompiler {
 public:
  KilledCompiler(const std::filesystem::path& folder, const std::string& expression)
      : compiler_(folder / "compiler"), end_(folder / "end"), left_(folder / "left") {
    std::ofstream(compiler_) << "#!/bin/sh\nif [ -s '" << left_.string() << "' ] && grep -q '" << expression
                             << "' kernel.cpp 2> /dev/null; then\n"
                             << "  n=$(cat '" << left_.string() << "'); if [ $n -gt 0 ]; then echo $((n - 1)) > '"
                             << left_.string() << "'; . '" << end_.string() << "'; fi\nfi\nexec g++ \"$@\"\n";
    std::filesystem::permissions(compiler_, std::filesystem::perms::owner_all);
  }
  void ends(const std::string& how, int times) const {
    std::ofstream(end_) << how << "\n";
    std::ofstream(left_) << times << "\n";
  }
  CommandOptions options() const {
    CommandOptions options;
    options.environment["ATTUNE_HOST_CXX"] = compiler_.string();
    return options;
  }

 private:
  std::filesystem::path compiler_, end_, left_;
};

TEST_F(KernelFaults, ACompilerThatIsKilledOnceBlamesNone) {
  const KilledCompiler compiler(folder_, "faulty<float, Fault::fine>");
  for (const char* end : {"kill -KILL $$", "kill -SEGV $$", "kill -HUP $$",
                          "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1"}) {
    compiler.ends(end, 1);
    std::filesystem::remove(database());
    const TuneRun run = run_with("Fault::fine", "float", compiler.options());
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(to_text(trial_of("Fault::fine").verdict), "ok") << end << ": " << trial_of("Fault::fine").detail;
  }
}

TEST_F(KernelFaults, ACompilerThatIsKilledTwiceIsAVerdictThatTheNextSessionTriesAgain) {
  for (const char* value : {"Fault::fine", "Fault::none"}) {
    SCOPED_TRACE(value);
    const KilledCompiler compiler(folder_, std::string("faulty<float, ") + value + ">");
    compiler.ends("kill -KILL $$", 2);
    std::filesystem::remove(database());
    const TuneRun run = run_with("Fault::fine", "float", compiler.options());
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(to_text(trial_of(value).verdict), "compile_crash");
    EXPECT_EQ(trial_of(value).deaths, 2);
    EXPECT_THAT(quarantined(), IsEmpty());
    const TuneRun next = run_with("Fault::fine", "float", compiler.options());
    EXPECT_EQ(next.command.code, 0) << next.command.err;
    EXPECT_EQ(next.best.at("end"), "finished");
    EXPECT_EQ(to_text(trial_of(value).verdict), "ok") << trial_of(value).detail;
  }
}

TEST_F(KernelFaults, ACompilerThatMeetsALimitOfProcessorTimeBlamesNone) {
  const KilledCompiler compiler(folder_, "faulty<float, Fault::fine>");
  compiler.ends(
      "sh -c 'while :; do :; done'; echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", 100);
  CommandOptions options = compiler.options();
  options.environment["ATTUNE_COMPILE_LIMIT"] = "60";
  options.processor_limit = 5;
  const TuneRun run = run_with("Fault::fine", "float", options);
  EXPECT_EQ(run.command.code, 1);
  EXPECT_THAT(run.command.err, HasSubstr("ulimit -t"));
  EXPECT_FALSE(trials().contains("FAULT=Fault::fine"));
}

TEST_F(KernelFaults, AMissingCompilerIsToldAndNoConfigurationIsBlamed) {
  CommandOptions options;
  options.environment["ATTUNE_HOST_CXX"] = "/no/such/compiler";
  const TuneRun run = run_with("Fault::fine", "float", options);
  EXPECT_EQ(run.command.code, 1);
  EXPECT_THAT(run.command.err, HasSubstr("/no/such/compiler"));
  EXPECT_THAT(run.trials, IsEmpty());
  EXPECT_THAT(quarantined(), IsEmpty());
}

TEST_F(KernelFaults, WrongResultsAreVerdictsAndHarmNoOther) {
  const TuneRun run = run_with("Fault::wrong,Fault::nan,Fault::guard,Fault::input,Fault::fine");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::wrong").verdict, Verdict::wrong_result);
  EXPECT_GT(trial_of("Fault::wrong").numerics.max_absolute, 0);
  EXPECT_EQ(trial_of("Fault::nan").verdict, Verdict::wrong_result);
  EXPECT_THAT(trial_of("Fault::nan").detail, HasSubstr("nan"));
  EXPECT_EQ(trial_of("Fault::guard").verdict, Verdict::guard);
  EXPECT_THAT(trial_of("Fault::guard").detail, HasSubstr("`y`"));
  EXPECT_EQ(trial_of("Fault::input").verdict, Verdict::guard);
  EXPECT_THAT(trial_of("Fault::input").detail, HasSubstr("`x`"));
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::ok) << trial_of("Fault::fine").detail;
  EXPECT_EQ(run.workers_replaced(), 0);
  EXPECT_THAT(quarantined(), IsEmpty());
}

// Finalists are loaded anew between rounds. Sixty samples are more than the search takes.
TEST_F(KernelFaults, AFinalistThatCannotBeLoadedAgainIsLostAndTheOthersGoOn) {
  faults("FAULT=Fault::fine load n>60 error 2\n");
  const TuneRun run = run_with("Fault::fine");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::out_of_memory) << "it is never loaded again";
  EXPECT_EQ(trial_of("Fault::none").verdict, Verdict::ok);
  EXPECT_EQ(run.best.at("configuration").at("FAULT"), "Fault::none");
  EXPECT_GT(run.best.at("rounds"), 20);
  EXPECT_EQ(run.workers_replaced(), 0);
}

TEST_F(KernelFaults, OffByOneIsWrong) {
  const TuneRun run = run_with("Fault::wrong", "int32");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::wrong").verdict, Verdict::wrong_result);
  EXPECT_EQ(trial_of("Fault::wrong").numerics.max_absolute, 1);
}

TEST_F(KernelFaults, OneThatEndsItsProcessOrNeverEndsIsQuarantined) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.5";
  const TuneRun run = run_with("Fault::ends,Fault::hangs,Fault::traps,Fault::fine", "float", options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::ends").verdict, Verdict::fault);
  EXPECT_THAT(trial_of("Fault::ends").detail, HasSubstr("signal 6"));
  EXPECT_EQ(trial_of("Fault::hangs").verdict, Verdict::timeout);
  EXPECT_EQ(trial_of("Fault::traps").verdict, Verdict::fault);
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::ok) << trial_of("Fault::fine").detail;
  for (const char* value : {"Fault::ends", "Fault::hangs"}) EXPECT_EQ(trial_of(value).attempts, 2) << value;
  EXPECT_GE(run.workers_replaced(), 4);
  EXPECT_GE(quarantined().size(), 2u);
}

struct Mischief {
  const char* name;
  const char* declarations;
  const char* calls;                 // once for each launch, by ITEMS=2 alone
  std::vector<std::string> changed;  // as notes say it
  bool harms_itself = false;
};
void PrintTo(const Mischief& one, std::ostream* out) { *out << one.name; }

class KernelThatChangesItsWorker : public KernelFaults, public testing::WithParamInterface<Mischief> {};

TEST_P(KernelThatChangesItsWorker, FalsifiesNoOther) {
  const std::string kernel = scale_with(
      {{"template <typename T, int ITEMS>",
        std::string(GetParam().declarations) + "\ntemplate <typename T, int ITEMS>"},
       {"for (int i = 0; i < ITEMS; ++i)",
        "if (ITEMS == 2 && first == 0) {" + std::string(GetParam().calls) + "}\n  for (int i = 0; i < ITEMS; ++i)"}});
  const TuneRun run = tune({kernel, "--strategy", "exhaustive", "--db", database()});
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(trials(), SizeIs(5));
  for (const auto& [configuration, trial] : trials()) {
    if (GetParam().harms_itself && configuration.ends_with("ITEMS=2")) continue;
    EXPECT_EQ(trial.verdict, Verdict::ok) << configuration << ": " << trial.detail;
    EXPECT_EQ(trial.deaths, 0) << configuration;
    EXPECT_EQ(trial.attempts, 1) << configuration;
  }
  EXPECT_GE(run.workers_replaced(), 2) << "one for each configuration with ITEMS=2";
  EXPECT_THAT(quarantined(), IsEmpty());
  for (const std::string& changed : GetParam().changed)
    for (const char* const block : {"64", "32"})
      EXPECT_THAT(run.notes, Contains(AllOf(HasSubstr(std::string("BLOCK=") + block + " ITEMS=2: changed its worker ("),
                                            HasSubstr(changed))));
}

const Mischief mischiefs[] = {
    {"Closes",
     "extern \"C\" int close(int);",
     "for (int number = 0; number < 20; ++number) if (number < 3 || number > 5) close(number);",
     {"descriptor 0 closed", "descriptor 1 closed"}},
    {"Replaces", "extern \"C\" int dup2(int, int);", "dup2(1, 0);", {"descriptor 0 replaced"}},
    {"LeavesOpen", "extern \"C\" int open(const char*, int, ...);", "open(\"/dev/null\", 0);", {"left open"}},
    {"LimitsAddresses",
     "extern \"C\" int setrlimit(int, const void*) noexcept;",
     "const long long few[2] = {1 << 20, 1 << 20}; setrlimit(9, few);",
     {"RLIMIT_AS changed"},
     true},
    {"LimitsFiles",
     "extern \"C\" int setrlimit(int, const void*) noexcept;",
     "const long long none[2] = {0, 1LL << 40}; setrlimit(1, none);",
     {"RLIMIT_FSIZE changed"}},
    {"LimitsDescriptors",
     "extern \"C\" int setrlimit(int, const void*) noexcept;",
     "const long long few[2] = {6, 6}; setrlimit(7, few);",
     {"RLIMIT_NOFILE changed"}},
    {"ChangesItsFolder", "extern \"C\" int chdir(const char*);", "chdir(\"/proc\");", {"another working folder"}},
    {"ChangesItsFileMask", "extern \"C\" unsigned umask(unsigned);", "umask(0777);", {"umask 777"}},
    {"SetsAHandler",
     "extern \"C\" void* signal(int, void*);",
     "signal(10, (void*)1);",
     {"the handler of signal 10 set"}},
    {"SetsATimer", "extern \"C\" unsigned alarm(unsigned);", "alarm(1000);", {"a timer set"}},
    {"ChangesItsPriority", "extern \"C\" int nice(int);", "nice(1);", {"priority "}},
};
INSTANTIATE_TEST_SUITE_P(All, KernelThatChangesItsWorker, testing::ValuesIn(mischiefs),
                         [](const auto& one) { return one.param.name; });

// Ways to look into another process; each leaves a folder when it is not refused.
constexpr const char* looks_into_the_coordinator = R"(
extern "C" {
long ptrace(int, ...) noexcept;
int getppid() noexcept;
int mkdir(const char*, unsigned) noexcept;
long syscall(long, ...) noexcept;
int open(const char*, int, ...);
void* opendir(const char*);
void* readdir(void*);
int atoi(const char*) noexcept;
int snprintf(char*, unsigned long, const char*, ...) noexcept;
int* __errno_location() noexcept;
}
void leave(const char* way) {
  char path[500];
  snprintf(path, sizeof path, "%s/%s", "PLACE", way);
  mkdir(path, 0700);
}
void look_into_the_coordinator() {
  const int pid = getppid(), refused = 1;  // EPERM
  char path[100];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  void* const threads = opendir(path);
  int others = 0;
  while (char* const entry = static_cast<char*>(readdir(threads))) {
    const int thread = atoi(entry + 19);  // d_name
    if (thread <= 0) continue;
    others += thread != pid;
    if (ptrace(0x4206, thread, nullptr, nullptr) == 0) leave(thread == pid ? "seize" : "seize_thread");
    if (ptrace(16, thread, nullptr, nullptr) == 0) leave(thread == pid ? "attach" : "attach_thread");
  }
  if (others == 0) leave("no_thread_found");
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  if (open(path, 2) >= 0) leave("mem");
  char byte = 0;
  struct { void* place; unsigned long bytes; } here{&byte, 1}, there{reinterpret_cast<void*>(64), 1};
#if defined(__x86_64__)
  const long numbers[] = {310, 311, 0x40000000 + 521};  // process_vm_readv, process_vm_writev, ptrace of x32
#else
  const long numbers[] = {270, 271};
#endif
  for (const long number : numbers) {
    *__errno_location() = 0;
    syscall(number, pid, &here, 1, &there, 1, 0);
    snprintf(path, sizeof path, "call_%ld", number);
    if (*__errno_location() != refused) leave(path);
  }
}
)";

TEST_F(KernelFaults, OneThatAttachesToTheCoordinatorCannot) {
  const std::filesystem::path ways = folder_ / "ways";
  std::filesystem::create_directory(ways);
  std::string looks = looks_into_the_coordinator;
  looks.replace(looks.find("PLACE"), 5, ways.string());
  const std::string kernel =
      scale_with({{"template <typename T, int ITEMS>", looks + "template <typename T, int ITEMS>"},
                  {"for (int i = 0; i < ITEMS; ++i)",
                   "if (ITEMS == 2 && first == 0) look_into_the_coordinator();\n  for (int i = 0; i < ITEMS; ++i)"}});
  CommandOptions options;
  options.timeout_seconds = 60;
  const TuneRun run = tune({kernel, "--strategy", "exhaustive", "--db", database()}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  const bool has_landlock = syscall(444, nullptr, 0, 1) > 0;  // landlock_create_ruleset: its version
  for (const auto& way : std::filesystem::directory_iterator(ways))
    EXPECT_TRUE(way.path().filename() == "mem" && !has_landlock) << way.path().filename();
  EXPECT_EQ(count_of_verdict(Verdict::ok), 5);
}

TEST_F(KernelFaults, AnEmptyImageFailsToLoad) {
  faults("Fault::fine compile * empty\n");
  const TuneRun run = run_with("Fault::fine");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::load_error) << trial_of("Fault::fine").detail;
  EXPECT_EQ(trial_of("Fault::none").verdict, Verdict::ok);
  EXPECT_EQ(run.workers_replaced(), 0);
  EXPECT_THAT(quarantined(), IsEmpty());
}

// One of a batch kills the compiler: it alone is blamed.
TEST_F(KernelFaults, ACrashOfTheCompilerSparesTheOthersOfItsBatch) {
  faults("Fault::wrong compile * signal 11\n");
  const TuneRun run = run_with("Fault::wrong,Fault::nan,Fault::fine");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trial_of("Fault::wrong").verdict, Verdict::compile_crash);
  EXPECT_EQ(trial_of("Fault::nan").verdict, Verdict::wrong_result);
  EXPECT_EQ(trial_of("Fault::fine").verdict, Verdict::ok);
  EXPECT_THAT(quarantined(), IsEmpty()) << "the next session tries it again";
}

}  // namespace
}  // namespace attune::test
