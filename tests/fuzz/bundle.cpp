// Bundles. A change of any byte fails a digest, so that the input's digests are mended first: what is fuzzed is all
// that stands behind them.
#include "attune/bundle.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "base/digest.hpp"
#include "base/hexadecimal.hpp"
#include "bundle/bundle_images.hpp"
#include "bundle/bundle_wisdom.hpp"
#include "bundle/kernel_pack.hpp"
#include "core/record_order.hpp"
#include "fuzz/fuzzed.hpp"

namespace attune::fuzz {

// Places of docs/formats/bundle.md, in bytes.
constexpr std::size_t head = 56, line = 84, digest = 32, count_at = 12, size_at = 16, offset_at = 36, length_at = 44;

static std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, width);  // little-endian, as this machine
  return number;
}

static void put_digest(std::vector<std::byte>& bytes, std::size_t at, std::span<const std::byte> of) {
  std::ranges::copy(sha256_bytes(of), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// Sets the size, the digests of the sections and that of the table to what they should be.
static std::vector<std::byte> mended(std::span<const std::byte> damaged) {
  std::vector<std::byte> bytes(damaged.begin(), damaged.end());
  if (bytes.size() < head) return bytes;
  const std::uint64_t size = bytes.size(), count = number_at(bytes, count_at, 4);
  std::memcpy(bytes.data() + size_at, &size, sizeof size);
  if (count > (size - head) / line) return bytes;
  for (std::size_t at = head; at < head + count * line; at += line) {
    const std::uint64_t offset = number_at(bytes, at + offset_at, 8), length = number_at(bytes, at + length_at, 8);
    if (offset >= head + count * line && offset <= size && length <= size - offset)
      put_digest(bytes, at + line - digest, std::span(bytes).subspan(offset, length));
  }
  put_digest(bytes, head - digest, std::span(bytes).subspan(head, count * line));
  return bytes;
}

// Reads records as an application looks them up: all, and those near the first.
static void look_up(const Bundle& bundle) {
  const BundleWisdom wisdom(bundle);
  const auto reading = wisdom.read();
  const std::vector<Problem> problems = reading->problems({});
  const std::vector<StoredRecord> rows = reading->rows({});
  require(rows.size() == problems.size(), "each row has its problem");
  for (const StoredRecord& row : rows) static_cast<void>(strength_of(row.record));
  if (problems.empty()) return;
  reading->rows({.near = problems.data()});
  reading->rows({.problems = std::span(problems).first(1)});
}

static void read_sections(const Bundle& bundle) {
  for (const Section& section : bundle.sections(SectionKind::kernel))
    read_or_refuse<Error>([&] { decode_pack(bundle.read(section)); });
  for (const Section& section : bundle.sections(SectionKind::image))
    read_or_refuse<Error>([&] { find_image(bundle, hexadecimal(section.key)); });
}

}  // namespace attune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const auto bytes = fuzz::bytes_of(data, size);
  fuzz::read_or_refuse<Error>([&] {
    const Bundle bundle = Bundle::owning(fuzz::mended(bytes), "fuzzed");
    fuzz::read_sections(bundle);
    fuzz::look_up(bundle);
  });
  return 0;
}
