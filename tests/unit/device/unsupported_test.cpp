#include "device/host/unsupported.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include "device/host/unsupported_names.hpp"

namespace attune {
namespace {

// What g++ or clang++ says of a kernel that has `source` in its second line.
struct Case {
  std::string_view source;
  std::string_view messages;
  std::string_view name;  // the unsupported thing; none if empty
  int line = 2;
};

std::ostream& operator<<(std::ostream& out, const Case& tried) { return out << tried.source << ": " << tried.messages; }

class Unsupported : public ::testing::TestWithParam<Case> {};

TEST_P(Unsupported, IsNamedWithItsLine) {
  const Case& tried = GetParam();
  const Header files[] = {{"h.cuh", "\n#include <cub/cub.cuh>"}, {"k.cu", "\n" + std::string(tried.source)}};
  const std::string message = unsupported_use(tried.messages, files).value_or("");
  if (tried.name.empty()) {
    EXPECT_EQ(message, "");
    return;
  }
  const std::string wanted = ":" + std::to_string(tried.line) + ": error: `" + std::string(tried.name) +
                             "` is not supported on the host device: ";
  EXPECT_NE(message.find(wanted), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with("; see docs/host_device.md")) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Messages, Unsupported,
    ::testing::Values(
        // Named by the message.
        Case{"", "k.cu:2:3: error: 'cudaMalloc' was not declared in this scope", "cudaMalloc"},
        Case{"", "k.cu: In function 'void f()':\nk.cu:7:3: error: use of undeclared identifier '__nv_fp8_e4m3'",
             "__nv_fp8_e4m3", 7},
        Case{"", "k.cu:2:3: error: 'cuda' has not been declared", "cuda"},
        Case{"BARRIER;", "k.cu:3: Error: no such instruction: `bar.sync 0'", "asm", 3},
        Case{"\"bar.sync 0;\"", "k.cu:2:1: error: invalid instruction mnemonic 'bar.sync'", "asm"},
        Case{"", "entries:1:9: error: '__nv_fp8_e5m2' was not declared in this scope", "__nv_fp8_e5m2", 1},
        // Named by the line.
        Case{"child<<<1, 32>>>();", "k.cu:2:7: error: expected primary-expression before '<' token", "<<<"},
        Case{"cuda :: atomic<int> a;", "k.cu:2:1: error: unknown type", "cuda"},
        Case{"__asm__(\"bar.sync 0;\");", "k.cu:2: Error: no such instruction: `bar.sync 0'", "__asm__"},
        Case{"throw 1;", "k.cu:2:1: error: exception handling disabled", "throw"},
        Case{"#  include <cuda_fp8.h>", "k.cu:2:10: fatal error: cuda_fp8.h: No such file", "cuda_fp8.h"},
        Case{"", "In file included from h.cuh:2,\n                 from k.cu:1:\n/usr/x.h:9:1: error: no",
             "cub/cub.cuh"},
        // The first place counts.
        Case{"", "k.cu:4:1: error: x\nk.cu:5:1: error: '__any'\nk.cu:6:1: error: 'cudaFree'", "__any", 5},
        // Something else is wrong.
        Case{"int x = y;  // asm", "k.cu:2:9: error: 'y' was not declared in this scope", ""},
        Case{"int cuda = y, cub, cuda_block, plasm, cudable;", "k.cu:2:12: error: 'y' was not declared", ""},
        Case{"__shfl_down_sync(y, __hadd(1, 2), 1);", "k.cu:2:18: error: 'y' was not declared", ""},
        Case{"#include <cmath>", "k.cu:2:10: fatal error: cmath: No such file or directory", ""},
        Case{"a << b; c <<= d; f<g<1>> x;", "k.cu:2:1: error: 'a' was not declared", ""},
        Case{"asm(\"\");", "k.cu:99:1: error: x\nelsewhere:2:1: error: x\n2:1:\n:\nk.cu:", ""},
        Case{"#include", "k.cu:2:1: error: #include expects \"FILENAME\"", ""}, Case{"#include <", "k.cu:2:1: x", ""},
        Case{"", "", ""}));

TEST(UnsupportedUse, IsListedInTheDocumentation) {
  std::ifstream file(ATTUNE_SOURCE_DIR "/docs/host_device.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto listed = [&](std::string_view name) {
    while (name.ends_with('*')) name.remove_suffix(1);
    return page.find("`" + std::string(name) + "`") != std::string::npos;
  };
  for (const Refusal& refusal : refused_names) EXPECT_TRUE(listed(refusal.name)) << refusal.name;
  for (const Refusal& refusal : refused_headers) EXPECT_TRUE(listed(refusal.name)) << refusal.name;
}

}  // namespace
}  // namespace attune
