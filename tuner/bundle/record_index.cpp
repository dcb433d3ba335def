#include "bundle/record_index.hpp"

#include <algorithm>

#include "bundle/value_fields.hpp"
#include "bundle/versioned.hpp"

namespace attune {

void fields(auto& a, Is<RecordPage> auto& x) { a(x.key, x.low, x.high); }

void fields(auto& a, Is<RecordGroup> auto& x) {
  a(x.kernel, x.objective, x.regime, x.device_class, x.compute_capability, x.pages);
}

void fields(auto& a, Is<RecordIndex> auto& x) {
  a(x.code, x.contract, x.problem, x.configurations, x.values, x.texts, x.groups);
}

namespace {

constexpr std::uint32_t index_version = 1;

bool is_consistent(const RecordIndex& index) {
  for (const RecordGroup& group : index.groups)
    for (const RecordPage& page : group.pages)
      if (page.low.size() != index.problem.size() || page.high.size() != index.problem.size()) return false;
  return true;
}

}  // namespace

SectionKey record_index_key(const std::string& code, const std::string& contract) {
  return section_key(code + " " + contract);
}

std::optional<std::int64_t> ordinal_of(const RecordIndex& index, const Value& value) {
  if (value.is_integer()) return value.integer();
  const auto place = std::ranges::find(index.values, value);
  if (place == index.values.end()) return std::nullopt;
  return place - index.values.begin();
}

std::vector<std::byte> encode(const RecordIndex& index) { return encode_version(index_version, index); }

std::optional<RecordIndex> decode_record_index(std::span<const std::byte> bytes) {
  auto index = decode_version<RecordIndex>(index_version, bytes);
  return index && is_consistent(*index) ? std::move(index) : std::nullopt;
}

}  // namespace attune
