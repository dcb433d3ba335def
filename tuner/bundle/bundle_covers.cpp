#include "bundle/bundle_covers.hpp"

#include <map>
#include <string>

#include "bundle/kernel_fields.hpp"
#include "bundle/record_index.hpp"
#include "bundle/versioned.hpp"
#include "core/record_fields.hpp"
#include "core/record_order.hpp"

namespace attune {
namespace {

constexpr std::uint32_t covers_version = 1;

}  // namespace

[[gnu::cold]] void add_covers(BundleWriter& bundle, std::vector<Cover> covers) {
  std::map<std::string, std::size_t> newest;  // by key
  for (std::size_t i = 0; i < covers.size(); ++i) {
    std::size_t& place = newest.emplace(key_text(covers[i].key), i).first->second;
    if (covers[place].made_ms < covers[i].made_ms) place = i;
  }
  std::map<SectionKey, std::vector<Cover>> sections;
  for (const auto& [key, place] : newest) {
    const RecordKey& of = covers[place].key;
    sections[record_index_key(of.code, of.contract)].push_back(std::move(covers[place]));
  }
  for (const auto& [key, kept] : sections) bundle.add(SectionKind::covers, key, encode_version(covers_version, kept));
}

[[gnu::cold]] std::optional<std::vector<Cover>> decode_covers(std::span<const std::byte> bytes) {
  return decode_version<std::vector<Cover>>(covers_version, bytes);
}

}  // namespace attune
