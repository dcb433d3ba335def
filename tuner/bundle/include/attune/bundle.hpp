// Bundle: kernels, wisdom and images in one immutable file or object: what an application carries, what one rank sends
// to the others, what a container is built with. Format: docs/formats/bundle.md. Cheap to copy. Any thread.
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

enum class SectionKind : std::uint32_t { kernel = 1, records = 2, image = 3, page = 4 };  // page: of records

using SectionKey = std::array<std::byte, 32>;  // SHA-256 of what the section is of
using SectionDigest = std::array<std::byte, 32>;

// A line of the table of a bundle.
struct Section {
  SectionKind kind = SectionKind::kernel;
  SectionKey key{};
  std::uint64_t offset = 0;  // bytes, from the start of the bundle
  std::uint64_t length = 0;  // bytes
  SectionDigest digest{};    // SHA-256 of its bytes
};

SectionKey section_key(std::string_view text);

// A bundle among the constants of a program. CMake's attune_embed(target saxpy.cu) makes "attune_embedded/saxpy.hpp",
// which defines `inline constexpr attune::EmbeddedBundle attune_embedded::saxpy`.
struct EmbeddedBundle {
  std::string_view name;   // "saxpy.cu", for messages
  std::string_view bytes;  // of static storage
};

class Bundle {
 public:
  // Views the constant.
  Bundle(const EmbeddedBundle& embedded);
  // Views `bytes`, which must outlive it and its copies. Throws Error when they are no bundle: another magic or
  // version, cut off, a damaged table. `name` stands in messages.
  static Bundle in_memory(std::span<const std::byte> bytes, std::string name);
  // Keeps the bytes. Throws as in_memory() does.
  static Bundle owning(std::vector<std::byte> bytes, std::string name);
  // Opens a file and reads its table; sections are read when they are asked for. Throws Error.
  static Bundle open(const std::filesystem::path& file);

  // Returns the sections of a kind, in the order of their keys.
  std::span<const Section> sections(SectionKind kind) const noexcept;
  const Section* find(SectionKind kind, const SectionKey& key) const noexcept;
  // Returns the bytes of a section. Throws Error naming the bundle when they are damaged or cannot be read.
  std::vector<std::byte> read(const Section& section) const;

  // Returns all bytes: to send, or to write to a file. They live as long as the bundle or a copy of it; those of
  // in_memory() are the caller's. A file is read whole at the first call. Throws Error when it cannot be read.
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

// Makes the bytes of a bundle. The order in which sections are added does not matter.
class BundleWriter {
 public:
  // Throws UsageError for a second section of the same kind and key.
  void add(SectionKind kind, const SectionKey& key, std::vector<std::byte> bytes);
  bool holds(SectionKind kind, const SectionKey& key) const { return parts_.contains({kind, key}); }
  std::vector<std::byte> finish() const;

 private:
  std::map<std::pair<SectionKind, SectionKey>, std::vector<std::byte>> parts_;  // in the order of the table
};

}  // namespace attune
