// Hostile text: whatever stands in a file, it is read or refused, and nothing else happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "spec/kernel_file.hpp"
#include "spec/t1_space.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

// One to four edits of a text, a function of the seed.
std::string mutated(std::string text, std::uint64_t seed) {
  static const std::string pieces[] = {"\"",    "'",         "*/",     "/*",       "[",   "]", "[[",
                                       "{",     "}",         "\n",     "\\",       "=",   ".", ",",
                                       "#",     "\0",        "\xFF",   "\xE2\x82", "-",   ":", "9223372036854775808",
                                       "1e999", "\"\"\"",    "null",   "device.",  "(",   ")", " if ",
                                       " for ", " in ",      "range(", "**",       "nan", "<", ">",
                                       "\r",    "1979-05-27"};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (auto edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(below(40), text.size() - at);
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
    }
  }
  return text;
}

// Calls read(text) for many mutations. An error is a Refusal that is short.
template <typename Refusal, typename Read, typename Check>
void read_or_refuse(const std::string& file, int mutations, Read read, Check check) {
  int accepted = 0, refused = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string text = mutated(file, static_cast<std::uint64_t>(i));
    try {
      read(text);
      ++accepted;
    } catch (const Refusal& error) {
      ++refused;
      check(error, text);
      EXPECT_LT(std::string_view(error.what()).size(), 4096u) << error.what();
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << " threw something else: " << error.what();
    }
  }
  EXPECT_GT(accepted, mutations / 100) << "mutations so violent prove little";
  EXPECT_GT(refused, mutations / 4) << "mutations so mild prove little";
}

TEST(MutatedKernelFile, IsReadOrRefused) {
  const auto lies_within = [](const SpecError& error, const std::string& text) {
    EXPECT_GE(error.line, 1u);
    EXPECT_LE(error.line, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2) << error.what();
  };
  const auto read = [](const std::string& text) { read_kernel_text(text + "\n__global__ void f();\n", "mutant.cu"); };
  // Edits behind the front matter are of no interest: most fall into its text.
  for (const std::string& file : {whole_file(), std::string(builtin_kernels().back().text)})
    read_or_refuse<SpecError>(file.substr(0, file.find("#include")), 4000, read, lies_within);
}

TEST(MutatedT1Document, IsReadOrRefused) {
  for (const std::string name : {"kt_pnpoly", "dedispersion_milo"}) {
    std::ifstream file(ATTUNE_TEST_DATA "/t1/" + name + ".json");
    std::ostringstream whole;
    whole << file.rdbuf();
    // The kernel's description is of no interest: most edits would fall into it.
    const std::string text = whole.str().substr(0, whole.str().find("\"KernelSpecification\""));
    const auto read = [](const std::string& mutant) { read_t1_space(mutant, "mutant.json"); };
    read_or_refuse<UsageError>(text.substr(0, text.rfind(',')) + "}", 1500, read, [](const auto&, const auto&) {});
  }
}

}  // namespace
}  // namespace attune::tests
