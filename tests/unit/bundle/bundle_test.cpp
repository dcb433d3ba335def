#include "attune/bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "attune/error.hpp"
#include "base/digest.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::Property;
using testing::Throws;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> sample(bool reversed = false) {
  std::vector<std::tuple<SectionKind, const char*, const char*>> parts{{SectionKind::kernel, "reduce", "the kernel"},
                                                                       {SectionKind::kernel, "scan", ""},
                                                                       {SectionKind::image, "a", "code"}};
  if (reversed) std::reverse(parts.begin(), parts.end());
  BundleWriter writer;
  for (const auto& [kind, key, text] : parts) writer.add(kind, section_key(key), bytes_of(text));
  return writer.finish();
}

void expect_sample(const Bundle& bundle) {
  EXPECT_EQ(bundle.sections(SectionKind::kernel).size(), 2u);
  EXPECT_EQ(bundle.sections(SectionKind::records).size(), 0u);
  const Section* const kernel = bundle.find(SectionKind::kernel, section_key("reduce"));
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(bundle.read(*kernel), bytes_of("the kernel"));
  EXPECT_EQ(bundle.find(SectionKind::kernel, section_key("a")), nullptr) << "of another kind";
  EXPECT_EQ(bundle.read(*bundle.find(SectionKind::image, section_key("a"))), bytes_of("code"));
}

TEST(Bundle, IsReadFromMemoryAndFromAFile) {
  const std::vector<std::byte> bytes = sample();
  expect_sample(Bundle::in_memory(bytes, "sample"));
  expect_sample(Bundle::owning(bytes, "sample"));
  const std::string file = testing::TempDir() + "attune-bundle-" + std::to_string(getpid());
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  const Bundle opened = Bundle::open(file);
  std::filesystem::remove(file);  // it stays open
  expect_sample(opened);
  EXPECT_EQ(opened.hash(), Bundle::in_memory(bytes, "sample").hash());
  EXPECT_EQ(opened.hash().size(), 64u);
}

TEST(Bundle, DoesNotDependOnTheOrderOfItsParts) { EXPECT_EQ(sample(), sample(true)); }

TEST(Bundle, HoldsEachPartOnce) {
  BundleWriter writer;
  writer.add(SectionKind::kernel, section_key("reduce"), {});
  writer.add(SectionKind::image, section_key("reduce"), {});
  EXPECT_THROW(writer.add(SectionKind::kernel, section_key("reduce"), {}), UsageError);
}

// Whatever byte is changed or missing: an error, or a section that is refused when it is read.
TEST(Bundle, FindsEveryDamage) {
  const std::vector<std::byte> whole = sample();
  const auto is_sound = [](const std::vector<std::byte>& bytes) {
    try {
      const Bundle bundle = Bundle::in_memory(bytes, "damaged");
      for (const SectionKind kind : {SectionKind::kernel, SectionKind::image})
        for (const Section& section : bundle.sections(kind)) static_cast<void>(bundle.read(section));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  ASSERT_TRUE(is_sound(whole));
  int unnoticed = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> changed = whole;
    changed[i] ^= std::byte{0x40};
    unnoticed += is_sound(changed) ? 1 : 0;
    EXPECT_FALSE(is_sound({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i)})) << i;
  }
  EXPECT_LT(unnoticed, 16) << "padding between sections alone";
}

TEST(Bundle, WithASectionTwiceIsRefused) {
  constexpr std::size_t head = 56, line = 84, digest = 32;  // bytes: docs/formats/bundle.md
  std::vector<std::byte> bytes = sample();
  std::copy_n(bytes.begin() + head, line, bytes.begin() + head + line);
  const auto of_table = sha256_bytes(std::span(bytes).subspan(head, 3 * line));
  std::copy_n(of_table.begin(), digest, bytes.begin() + head - digest);
  EXPECT_THAT(
      [&] { Bundle::in_memory(bytes, "doubled"); },
      Throws<Error>(Property(&Error::what, HasSubstr("doubled is no bundle: its table is not in order, or has a "
                                                     "section twice"))));
}

TEST(Bundle, SaysWhatItIsNot) {
  const auto throws = [](const char* text) { return Throws<Error>(Property(&Error::what, HasSubstr(text))); };
  EXPECT_THAT([] { Bundle::in_memory({}, "empty"); }, throws("empty is no bundle: it does not begin with attuneBN"));
  std::vector<std::byte> later = sample();
  later[8] = std::byte{9};
  EXPECT_THAT([&] { Bundle::in_memory(later, "later"); }, throws("it has version 9"));
  EXPECT_THAT([] { Bundle::open("/no/such/bundle"); }, throws("/no/such/bundle cannot be opened: No such file"));
  EXPECT_THAT([] { Bundle::open("/dev/null"); }, throws("no regular file"));
}

}  // namespace
}  // namespace attune
