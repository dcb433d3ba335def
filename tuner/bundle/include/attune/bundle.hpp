// Bundle: kernels, wisdom and images in one immutable file or object: what an application carries, what one rank sends
// to the others, what a container is built with. Format: docs/formats/bundle.md. Cheap to copy. Any thread may use one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune {

enum class SectionKind : std::uint32_t {
  kernel = 1,
  records = 2,
  image = 3,
  page = 4,  // rows of records
  covers = 5
};

using SectionKey = std::array<std::byte, 32>;  // a SHA-256: docs/formats/bundle.md says of what, for each kind
using SectionDigest = std::array<std::byte, 32>;

// An entry in the table of a bundle.
struct Section {
  SectionKind kind = SectionKind::kernel;
  SectionKey key{};
  std::uint64_t offset = 0;  // bytes, from the start of the bundle
  std::uint64_t length = 0;  // bytes
  SectionDigest digest{};    // SHA-256 of its bytes
};

// Returns the SHA-256 of the text.
SectionKey section_key(std::string_view text);

// A bundle among the constants of a program. CMake's attune_embed(target saxpy.cu) makes "attune_embedded/saxpy.hpp",
// which defines `inline constexpr attune::EmbeddedBundle attune_embedded::saxpy`.
struct EmbeddedBundle {
  std::string_view name;   // "saxpy.cu", for messages
  std::string_view bytes;  // of static storage
};

class Bundle {
 public:
  // Views the bytes of the constant.
  Bundle(const EmbeddedBundle& embedded);
  // Views `bytes`, which must outlive it and its copies. Throws Error when they are not a bundle: another magic or
  // version, cut off, a damaged table. `name` appears in messages.
  static Bundle in_memory(std::span<const std::byte> bytes, std::string name);
  // Takes ownership of the bytes. Throws as in_memory() does.
  static Bundle owning(std::vector<std::byte> bytes, std::string name);
  // Opens a file and reads its table; sections are read on demand. Throws Error if it cannot be read or is not a
  // bundle.
  static Bundle open(const std::filesystem::path& file);

  // Returns the sections of a kind, in the order of their keys.
  std::span<const Section> sections(SectionKind kind) const noexcept;
  // Returns the section, or null. It lives as long as this object.
  const Section* find(SectionKind kind, const SectionKey& key) const noexcept;
  // Returns the bytes of a section. Throws Error naming the bundle when they are damaged or cannot be read.
  std::vector<std::byte> read(const Section& section) const;

  // Returns all bytes, to send them or to write them to a file. They live as long as the bundle or a copy of it; the
  // bytes of in_memory() belong to the caller. The first call reads a file as a whole, and throws Error when it cannot
  // be read.
  std::span<const std::byte> bytes() const;

  const std::string& name() const noexcept { return name_; }
  // Returns the SHA-256 of the table, 64 hexadecimal digits: equal bundles have equal hashes.
  const std::string& hash() const noexcept { return hash_; }

 private:
  class Source;
  Bundle(std::shared_ptr<const Source> source, std::string name);
  std::shared_ptr<const Source> source_;
  std::string name_, hash_;
  std::vector<Section> sections_;  // by kind and key
};

// Makes the bytes of a bundle. The order in which sections are added does not matter. One thread.
class BundleWriter {
 public:
  // Throws UsageError for a second section of the same kind and key.
  void add(SectionKind kind, const SectionKey& key, std::vector<std::byte> bytes);
  bool holds(SectionKind kind, const SectionKey& key) const { return parts_.contains({kind, key}); }
  // Returns the bytes of the bundle.
  std::vector<std::byte> finish() const;

 private:
  std::map<std::pair<SectionKind, SectionKey>, std::vector<std::byte>> parts_;  // in the order of the table
};

}  // namespace attune
