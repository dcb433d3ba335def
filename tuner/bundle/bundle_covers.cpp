#include "bundle/bundle_covers.hpp"

#include <map>
#include <tuple>

#include "bundle/kernel_fields.hpp"
#include "bundle/record_index.hpp"
#include "bundle/versioned.hpp"
#include "core/record_fields.hpp"

namespace attune {
namespace {

constexpr std::uint32_t covers_version = 1;

auto cover_place(const Cover& cover) {
  const RecordKey& key = cover.key;
  return std::tuple(key.kernel, key.device_class, key.regime, key.objective);
}

}  // namespace

[[gnu::cold]] void add_covers(BundleWriter& bundle, std::vector<Cover> covers) {
  std::map<SectionKey, std::map<decltype(cover_place(Cover())), Cover>> sections;
  for (Cover& cover : covers) {
    Cover& place = sections[record_index_key(cover.key.code, cover.key.contract)][cover_place(cover)];
    if (place.key.code.empty() || place.made_ms < cover.made_ms) place = std::move(cover);
  }
  for (auto& [key, places] : sections) {
    std::vector<Cover> kept;
    for (auto& [place, cover] : places) kept.push_back(std::move(cover));
    bundle.add(SectionKind::covers, key, encode_version(covers_version, kept));
  }
}

[[gnu::cold]] std::optional<std::vector<Cover>> decode_covers(std::span<const std::byte> bytes) {
  return decode_version<std::vector<Cover>>(covers_version, bytes);
}

}  // namespace attune
