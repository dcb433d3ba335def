#include "attune/bundle.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <tuple>

#include "attune/error.hpp"
#include "base/byte_stream.hpp"
#include "base/digest.hpp"
#include "base/hexadecimal.hpp"
#include "base/regular_file.hpp"
#include "base/system_failure.hpp"

namespace attune {
namespace {

constexpr std::string_view magic = "attuneBN";
constexpr std::uint32_t bundle_version = 1;
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t head_bytes =
    8 + 4 + 4 + 8 + digest_bytes;  // magic, version, sections, bytes, digest of the table
constexpr std::size_t line_bytes = 4 + digest_bytes + 8 + 8 + digest_bytes;
constexpr std::uint32_t most_sections = 1 << 20;
constexpr std::uint64_t alignment = 8;  // of sections

bool before(const Section& a, const Section& b) { return std::tie(a.kind, a.key) < std::tie(b.kind, b.key); }

template <std::size_t N>
std::array<std::byte, N> array_of(std::span<const std::byte> bytes) {
  std::array<std::byte, N> array{};
  std::copy_n(bytes.begin(), std::min(N, bytes.size()), array.begin());
  return array;
}

std::vector<std::byte> table_of(std::span<const Section> sections) {
  ByteWriter table;
  for (const Section& section : sections) {
    table.number(static_cast<std::uint32_t>(section.kind));
    table.raw(section.key);
    table.number(section.offset);
    table.number(section.length);
    table.raw(section.digest);
  }
  return table.take();
}

Section line_of(ByteReader& reader) {
  Section section;
  section.kind = static_cast<SectionKind>(reader.number<std::uint32_t>());
  section.key = array_of<digest_bytes>(reader.raw(digest_bytes, digest_bytes));
  section.offset = reader.number<std::uint64_t>();
  section.length = reader.number<std::uint64_t>();
  section.digest = array_of<digest_bytes>(reader.raw(digest_bytes, digest_bytes));
  return section;
}

}  // namespace

SectionKey section_key(std::string_view text) { return sha256_bytes(std::as_bytes(std::span(text))); }

// Where the bytes come from.
class Bundle::Source {
 public:
  explicit Source(std::span<const std::byte> memory) : memory_(memory), size_(memory.size()) {}
  explicit Source(std::vector<std::byte> kept) : kept_(std::move(kept)), memory_(kept_), size_(kept_.size()) {}
  explicit Source(const std::filesystem::path& file) {
    struct stat status {};
    file_ = open_regular(file.c_str(), status);
    const int cause = errno;
    if (file_ < 0)
      throw Error(fmt::format("the bundle {} cannot be opened: {}", file.string(),
                              cause == EINVAL ? "it is no regular file" : system_failure(cause)));
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~Source() {
    if (file_ >= 0) close(file_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::uint64_t size() const noexcept { return size_; }

  // Returns fewer bytes if the source ends before.
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size_) return {};
    length = std::min(length, size_ - offset);
    if (file_ < 0) {
      const auto piece = memory_.subspan(offset, length);
      return {piece.begin(), piece.end()};
    }
    std::vector<std::byte> bytes(length);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }

  // Returns fewer bytes if a file has become shorter.
  std::span<const std::byte> whole() const {
    if (file_ < 0) return memory_;
    const std::lock_guard lock(mutex_);
    if (whole_.size() != size_) whole_ = read(0, size_);
    return whole_;
  }

 private:
  const std::vector<std::byte> kept_;
  std::span<const std::byte> memory_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::byte> whole_;  // of a file
};

Bundle::Bundle(std::shared_ptr<const Source> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  const auto refuse = [&](std::string_view why) { throw Error(fmt::format("{} is no bundle: {}", name_, why)); };
  const std::vector<std::byte> head = source_->read(0, head_bytes);
  ByteReader reader(head);
  const auto mark = reader.raw(magic.size(), magic.size());
  if (mark.size() != magic.size() || std::memcmp(mark.data(), magic.data(), magic.size()) != 0)
    refuse("it does not begin with attuneBN; one of an attune before its first release has to be made again");
  if (const auto version = reader.number<std::uint32_t>(); version != bundle_version)
    refuse(
        fmt::format("it has version {}, and this attune reads version {}; export it again", version, bundle_version));
  const auto count = reader.number<std::uint32_t>();
  const auto size = reader.number<std::uint64_t>();
  const auto digest = reader.raw(digest_bytes, digest_bytes);
  if (reader.failed() || size != source_->size() || count > most_sections)
    refuse(fmt::format("it has {} bytes, and its head speaks of {}; it was cut off or damaged", source_->size(), size));
  const std::vector<std::byte> table = source_->read(head_bytes, std::uint64_t{count} * line_bytes);
  const auto found = sha256_bytes(table);
  if (table.size() != count * line_bytes || !std::ranges::equal(found, digest)) refuse("its table is damaged");
  hash_ = hexadecimal(found);
  ByteReader lines(table);
  for (std::uint32_t i = 0; i < count; ++i) sections_.push_back(line_of(lines));
  const auto not_before = [](const Section& a, const Section& b) { return !before(a, b); };
  if (std::ranges::adjacent_find(sections_, not_before) != sections_.end())
    refuse("its table is not in order, or has a section twice");
}

Bundle::Bundle(const EmbeddedBundle& embedded)
    : Bundle(in_memory(std::as_bytes(std::span(embedded.bytes)), std::string(embedded.name))) {}

Bundle Bundle::owning(std::vector<std::byte> bytes, std::string name) {
  return Bundle(std::make_shared<const Source>(std::move(bytes)), std::move(name));
}

Bundle Bundle::in_memory(std::span<const std::byte> bytes, std::string name) {
  return Bundle(std::make_shared<const Source>(bytes), std::move(name));
}

Bundle Bundle::open(const std::filesystem::path& file) {
  return Bundle(std::make_shared<const Source>(file), file.string());
}

std::span<const Section> Bundle::sections(SectionKind kind) const noexcept {
  const auto found = std::ranges::equal_range(sections_, kind, {}, &Section::kind);
  return {found.begin(), found.end()};
}

const Section* Bundle::find(SectionKind kind, const SectionKey& key) const noexcept {
  const auto of_kind = sections(kind);
  const auto found = std::ranges::lower_bound(of_kind, key, {}, &Section::key);
  return found != of_kind.end() && found->key == key ? &*found : nullptr;
}

std::vector<std::byte> Bundle::read(const Section& section) const {
  std::vector<std::byte> bytes = source_->read(section.offset, section.length);
  if (bytes.size() != section.length || sha256_bytes(bytes) != section.digest)
    throw Error(fmt::format("the bundle {} is damaged: {} bytes at offset {} do not match their hash", name_,
                            section.length, section.offset));
  return bytes;
}

std::span<const std::byte> Bundle::bytes() const {
  const std::span<const std::byte> bytes = source_->whole();
  if (bytes.size() != source_->size())
    throw Error(
        fmt::format("the bundle {} cannot be read: {} of {} bytes are there", name_, bytes.size(), source_->size()));
  return bytes;
}

void BundleWriter::add(SectionKind kind, const SectionKey& key, std::vector<std::byte> bytes) {
  if (!parts_.try_emplace({kind, key}, std::move(bytes)).second)
    throw UsageError("a bundle holds each kernel, image and set of records once");
}

std::vector<std::byte> BundleWriter::finish() const {
  const auto aligned = [](std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; };
  std::vector<Section> sections;
  std::uint64_t size = head_bytes + parts_.size() * line_bytes;
  for (const auto& [place, content] : parts_) {
    size = aligned(size);
    sections.push_back({place.first, place.second, size, content.size(), sha256_bytes(content)});
    size += content.size();
  }
  const std::vector<std::byte> table = table_of(sections);
  ByteWriter head;
  head.raw(std::as_bytes(std::span(magic)));
  head.number(bundle_version);
  head.number(static_cast<std::uint32_t>(sections.size()));
  head.number(size);
  head.raw(sha256_bytes(table));
  head.raw(table);
  std::vector<std::byte> bytes = head.take();
  auto section = sections.begin();
  for (const auto& [place, content] : parts_) {
    bytes.resize((section++)->offset);
    bytes.insert(bytes.end(), content.begin(), content.end());
  }
  return bytes;
}

}  // namespace attune
