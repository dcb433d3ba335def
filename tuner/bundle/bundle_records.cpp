#include "bundle/bundle_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "base/digest.hpp"
#include "bundle/record_rows.hpp"

namespace attune {
namespace {

// A record and its place in its group. Sizes of one octave are neighbours, so that a page has few octaves.
struct PlacedRecord {
  const Record* record = nullptr;
  std::vector<std::int64_t> ordinals, place;
};

std::int64_t octave_of(std::int64_t value) { return value < 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(value)); }

PlacedRecord placed(RecordIndex& index, const Record& record) {
  PlacedRecord made{&record, ordinals_to_write(index, record.key.problem), {}};
  for (const std::int64_t ordinal : made.ordinals) made.place.push_back(octave_of(ordinal));
  made.place.insert(made.place.end(), made.ordinals.begin(), made.ordinals.end());
  return made;
}

auto group_key(const Record& record) {
  const RecordKey& key = record.key;
  return std::tie(key.kernel, key.objective, key.regime, key.device_class, record.compute_capability);
}

// Returns a text by which records of one code and contract, and of one group, are neighbours.
std::string place_of(const Record& record) {
  const RecordKey& key = record.key;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", key.code, key.contract, key.kernel, key.objective,
                     key.regime, key.device_class, record.compute_capability, key.problem.text(), record.uuid);
}

class GroupWriter {
 public:
  GroupWriter(BundleWriter& bundle, const RecordKey& first) : bundle_(bundle) {
    index_.code = first.code;
    index_.contract = first.contract;
    for (const Binding& binding : first.problem) index_.problem.push_back(binding.name);
  }

  // `records`: of one group.
  void add_group(std::span<const Record* const> records) {
    std::multimap<std::vector<std::int64_t>, PlacedRecord> sorted;  // takes less code than a sort
    for (const Record* const record : records) {
      PlacedRecord row = placed(index_, *record);
      std::vector<std::int64_t> place = std::move(row.place);
      sorted.emplace(std::move(place), std::move(row));
    }
    std::vector<PlacedRecord> rows;
    for (auto& [place, row] : sorted) rows.push_back(std::move(row));
    const Record& first = *records.front();
    RecordGroup& group = index_.groups.emplace_back(RecordGroup{
        first.key.kernel, first.key.objective, first.key.regime, first.key.device_class, first.compute_capability, {}});
    for (std::size_t begin = 0; begin < rows.size(); begin += most_rows_of_page)
      group.pages.push_back(page(std::span(rows).subspan(begin, std::min(most_rows_of_page, rows.size() - begin))));
  }

  void finish() { bundle_.add(SectionKind::records, record_index_key(index_.code, index_.contract), encode(index_)); }

 private:
  RecordPage page(std::span<const PlacedRecord> rows) {
    RecordPage page{{}, rows.front().ordinals, rows.front().ordinals};
    ByteWriter bytes;
    for (const PlacedRecord& row : rows) {
      write_row(bytes, index_, *row.record);
      for (std::size_t i = 0; i < row.ordinals.size(); ++i) {
        page.low[i] = std::min(page.low[i], row.ordinals[i]);
        page.high[i] = std::max(page.high[i], row.ordinals[i]);
      }
    }
    std::vector<std::byte> content = bytes.take();
    page.key = sha256_bytes(content);
    if (!bundle_.holds(SectionKind::page, page.key)) bundle_.add(SectionKind::page, page.key, std::move(content));
    return page;
  }

  BundleWriter& bundle_;
  RecordIndex index_;
};

}  // namespace

void add_records(BundleWriter& bundle, std::span<const Record> records) {
  // By the text of problems, then by uuid, so that the tables of an index do not depend on the order of `records`.
  std::multimap<std::string, const Record*> places;  // takes less code than a sort
  for (const Record& record : records) places.emplace(place_of(record), &record);
  std::vector<const Record*> sorted;
  for (const auto& [place, record] : places) sorted.push_back(record);
  const auto is_other_text = [](const Record* a, const Record* b) {
    return a->key.code != b->key.code || a->key.contract != b->key.contract;
  };
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(), [&](const Record* one) { return is_other_text(*begin, one); });
    GroupWriter writing(bundle, (*begin)->key);
    for (auto group = begin; group != end;) {
      const auto next =
          std::find_if(group, end, [&](const Record* one) { return group_key(**group) != group_key(*one); });
      writing.add_group({group, next});
      group = next;
    }
    writing.finish();
    begin = end;
  }
}

}  // namespace attune
