#include "device/host/static_shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "device/host/compiler_process.hpp"

namespace attune {
namespace {

// The object that this machine's compiler makes of a text.
std::vector<std::byte> object_of(const std::string& source, const std::string& optimisation) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "x.cpp") << source;
  const ProcessResult result = run_process({find_program("g++"), "-std=c++20", optimisation, "-fPIC",
                                            "-fvisibility=hidden", "-ffunction-sections", "-c", "x.cpp", "-o", "x.o"},
                                           folder.path(), 60);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  std::ifstream file(folder.path() / "x.o", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

constexpr const char* kernel_text = R"(
static thread_local int current_thread;
__attribute__((noinline)) static float* scratch(int i) { static thread_local float cells[64]; return cells + i; }
template <int N> __attribute__((noinline)) int* room() { static thread_local int cells[N]; return cells; }
extern "C" void nothing(int* out) { *out = current_thread; }
extern "C" void own(int* out) { static thread_local double tile[10]; tile[*out] = 1; *out = tile[3]; }
extern "C" void through_call(int* out) { *out = *scratch(*out); }
extern "C" void twice(int* out) { static thread_local char byte[3]; byte[*out] = 1; *out = *scratch(byte[1]) + *room<8>(); }
extern "C" void through_table(int* out) {
  static int* (*const table[])() = {room<4>, room<16>};
  *out = *table[*out]();
}
)";

TEST(StaticShared, IsWhatAnEntryReaches) {
  for (const char* optimisation : {"-O0", "-O1", "-O2", "-O3"}) {
    SCOPED_TRACE(optimisation);
    const auto bytes =
        static_shared_bytes(object_of(kernel_text, optimisation),
                            {"nothing", "own", "through_call", "twice", "through_table"}, "current_thread");
    EXPECT_EQ(bytes.at("nothing"), 0u);
    EXPECT_EQ(bytes.at("own"), 80u);
    EXPECT_EQ(bytes.at("through_call"), 256u);
    EXPECT_EQ(bytes.at("twice"), 256u + 32 + 3);
    EXPECT_EQ(bytes.at("through_table"), 16u + 64);
  }
}

TEST(StaticShared, RefusesWhatIsNoObject) {
  EXPECT_THROW(static_shared_bytes({}, {"f"}, "x"), Error);
  const std::string text(1000, 'x');
  EXPECT_THROW(static_shared_bytes(std::as_bytes(std::span(text)), {"f"}, "x"), Error);
}

TEST(StaticShared, RefusesDamagedObjectsAndReadsNothingBehindThem) {
  const std::vector<std::byte> whole = object_of(kernel_text, "-O1");
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(static_shared_bytes(part, {"own"}, "x"), Error) << length;
  }
  for (std::size_t at = 0; at < whole.size(); at += 11) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0xFF};
    try {
      static_shared_bytes(damaged, {"own", "twice"}, "x");
    } catch (const Error&) {
      // as good as an answer: what must not happen is a crash
    }
  }
}

}  // namespace
}  // namespace attune
