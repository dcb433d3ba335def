// Hostile text: whatever stands in a file, it is read or refused, and nothing else happens.
#include <gtest/gtest.h>

#include <random>

#include "spec/kernel_file.hpp"
#include "unit/spec/broken_file.hpp"

namespace attune::tests {
namespace {

constexpr int mutations = 4000;

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (auto edits = 1 + below(4); edits > 0; --edits) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

  void edit(std::string& text) {
    static const std::string pieces[] = {
        "\"",        "'",      "*/",      "/*", "[", "]",    "[[",   "{",        "}", "\n",
        "\\",        "=",      ".",       ",",  "#", "\0",   "\xFF", "\xE2\x82", "-", "9223372036854775808",
        "1e999",     "\"\"\"", "device.", "(",  ")", " if ", "nan",  "<",        ">", "\r",
        "1979-05-27"};
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

  std::mt19937_64 random_;
};

void read_or_refuse(const std::string& file) {
  // Edits behind the front matter are of no interest: most fall into its text.
  const auto front_matter = file.substr(0, file.find("#include"));
  int read = 0, refused = 0;
  for (int i = 0; i < mutations; ++i) {
    const auto text = Mutator(static_cast<std::uint64_t>(i)).mutate(front_matter) + "\n__global__ void f();\n";
    try {
      read_kernel_text(text, "mutant.cu");
      ++read;
    } catch (const SpecError& error) {
      ++refused;
      EXPECT_GE(error.line, 1u);
      EXPECT_LE(error.line, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1) << error.what();
      EXPECT_LT(std::string_view(error.what()).size(), 4096u) << error.what();
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << " threw something else: " << error.what();
    }
  }
  EXPECT_GT(read, mutations / 100) << "mutations so violent prove little";
  EXPECT_GT(refused, mutations / 4) << "mutations so mild prove little";
}

TEST(MutatedKernelFile, IsReadOrRefused) { read_or_refuse(whole_file()); }

TEST(MutatedKernelFile, OfAKernelInUseIsReadOrRefused) { read_or_refuse(std::string(builtin_kernels().back().text)); }

}  // namespace
}  // namespace attune::tests
