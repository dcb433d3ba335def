#include "device/host/static_shared.hpp"

#include <elf.h>

#include <cstring>
#include <set>
#include <stdexcept>

#include "attune/error.hpp"

namespace attune {
namespace {

// A relocatable object, read with every offset checked.
class Object {
 public:
  explicit Object(std::span<const std::byte> bytes) : bytes_(bytes) {
    header_ = at<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64)
      throw Error("the host compiler's object is no ELF64 file");
    for (std::size_t i = 0; i < header_.e_shnum; ++i)
      sections_.push_back(at<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_SYMTAB) read_symbols(section);
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const std::vector<Elf64_Sym>& symbols() const { return symbols_; }
  const std::string& name(std::size_t symbol) const { return names_[symbol]; }

  // Returns the symbols that each section's code refers to.
  std::map<std::size_t, std::set<std::size_t>> references() const {
    std::map<std::size_t, std::set<std::size_t>> found;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA) continue;
      for (std::uint64_t offset = 0; offset + sizeof(Elf64_Rela) <= section.sh_size; offset += sizeof(Elf64_Rela))
        found[section.sh_info].insert(ELF64_R_SYM(at<Elf64_Rela>(section.sh_offset + offset).r_info));
    }
    return found;
  }

 private:
  template <typename T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
      throw Error("the host compiler's object is cut short");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  void read_symbols(const Elf64_Shdr& table) {
    const Elf64_Shdr& strings = sections_.at(table.sh_link);
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size; offset += sizeof(Elf64_Sym)) {
      symbols_.push_back(at<Elf64_Sym>(table.sh_offset + offset));
      std::string name;
      for (std::uint64_t place = strings.sh_offset + symbols_.back().st_name; at<char>(place) != '\0'; ++place)
        name += at<char>(place);
      names_.push_back(std::move(name));
    }
  }

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::vector<std::string> names_;
};

std::set<std::size_t> reachable(const Object& object, const std::map<std::size_t, std::set<std::size_t>>& references,
                                std::size_t section) {
  std::set<std::size_t> symbols, visited;
  std::vector<std::size_t> open{section};
  while (!open.empty()) {
    const std::size_t current = open.back();
    open.pop_back();
    const auto found = references.find(current);
    if (!visited.insert(current).second || found == references.end()) continue;
    for (const std::size_t symbol : found->second) {
      symbols.insert(symbol);
      const Elf64_Sym& target = object.symbols().at(symbol);
      const unsigned type = ELF64_ST_TYPE(target.st_info);
      const bool code = type == STT_FUNC || type == STT_SECTION || type == STT_NOTYPE;
      if (code && target.st_shndx != SHN_UNDEF && target.st_shndx < object.sections().size())
        open.push_back(target.st_shndx);
    }
  }
  return symbols;
}

}  // namespace

std::map<std::string, std::uint64_t> static_shared_bytes(std::span<const std::byte> bytes,
                                                         const std::vector<std::string>& functions,
                                                         const std::string& ignored) try {
  const Object object(bytes);
  const auto references = object.references();
  std::map<std::string, std::uint64_t> result;
  for (const std::string& function : functions) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < object.symbols().size(); ++i) {
      if (object.name(i) != function || object.symbols()[i].st_shndx == SHN_UNDEF) continue;
      for (const std::size_t used : reachable(object, references, object.symbols()[i].st_shndx)) {
        const bool variable = ELF64_ST_TYPE(object.symbols()[used].st_info) == STT_TLS;
        if (variable && object.name(used).find(ignored) == std::string::npos) total += object.symbols()[used].st_size;
      }
    }
    result[function] = total;
  }
  return result;
} catch (const std::out_of_range&) {
  throw Error("the host compiler's object is damaged: a section or symbol that it names does not exist");
}

}  // namespace attune
