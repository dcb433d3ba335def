#include "bundle/bundle_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "attune/error.hpp"
#include "bundle/bundle_covers.hpp"
#include "bundle/record_rows.hpp"
#include "core/record_hash.hpp"

namespace attune {
namespace {

// The problems that are asked for: the least and the greatest ordinal of each value.
struct ProblemWindow {
  std::vector<std::int64_t> low, high;
  bool holds(std::span<const std::int64_t> ordinals) const {
    for (std::size_t i = 0; i < ordinals.size(); ++i)
      if (ordinals[i] < low[i] || ordinals[i] > high[i]) return false;
    return true;
  }
  bool meets(const RecordPage& page) const {
    for (std::size_t i = 0; i < low.size(); ++i)
      if (page.high[i] < low[i] || page.low[i] > high[i]) return false;
    return true;
  }
};

// Returns nothing if no record can have these values.
std::optional<ProblemWindow> window_of(const RecordIndex& index, const Problem& problem, bool is_near) {
  ProblemWindow window;
  for (const std::string& name : index.problem) {
    const Value* const value = problem.find(name);
    const auto ordinal = value != nullptr ? ordinal_of(index, *value) : std::nullopt;
    if (!ordinal) return std::nullopt;
    const bool is_wide = is_near && value->is_integer() && *ordinal > 0;
    window.low.push_back(is_wide ? *ordinal / 2 : *ordinal);
    window.high.push_back(is_wide && *ordinal < std::int64_t{1} << 62 ? *ordinal * 2 : *ordinal);
  }
  return window;
}

// Tells which problems of an index a filter wants.
class WantedProblems {
 public:
  WantedProblems(const RecordIndex& index, const RecordFilter& filter)
      : are_all_(filter.problems.empty() && filter.near == nullptr) {
    const auto add = [&](const Problem& problem, bool is_near) {
      if (auto window = window_of(index, problem, is_near)) windows_.push_back(*std::move(window));
    };
    for (const Problem& problem : filter.problems) add(problem, false);
    if (filter.near != nullptr) add(*filter.near, true);
  }
  bool meet(const RecordPage& page) const {
    return are_all_ || std::ranges::any_of(windows_, [&](const ProblemWindow& window) { return window.meets(page); });
  }
  bool hold(std::span<const std::int64_t> ordinals) const {
    return are_all_ ||
           std::ranges::any_of(windows_, [&](const ProblemWindow& window) { return window.holds(ordinals); });
  }

 private:
  bool are_all_;
  std::vector<ProblemWindow> windows_;
};

bool is_wanted_group(const RecordFilter& filter, const RecordGroup& group) {
  return filter.admits(group.kernel, group.objective, group.regime, group.device_class) &&
         filter.compute_capability.value_or(group.compute_capability) == group.compute_capability;
}

[[noreturn, gnu::cold]] void throw_of_other_version(const std::string& bundle) {
  throw Error(fmt::format("the bundle {} has records of another version of attune; export it again", bundle));
}

}  // namespace

class BundleWisdom::Reading : public RecordReading {
 public:
  explicit Reading(const BundleWisdom& wisdom) : wisdom_(wisdom) {}

  // Rows get no hash, because each section has a digest.
  std::vector<StoredRecord> rows(const RecordFilter& filter) override {
    std::vector<StoredRecord> found;
    for_each_page(filter, [&](const Page& page) {
      for (Record& record : page.read([&](const auto&ordinals, auto&) { return page.problems.hold(ordinals); }))
        if (found.size() < filter.most) found.push_back({std::move(record), {}});
      return found.size() < filter.most;
    });
    return found;
  }

  std::vector<Cover> covers(const RecordFilter& filter, int& damaged) override {
    std::vector<Cover> found;
    for (const Section& section : sections(SectionKind::covers, filter)) {
      auto covers = decode_covers(wisdom_.bundle_.read(section));
      if (!covers) throw_of_other_version(wisdom_.name());
      for (Cover& cover : *covers) {
        const RecordKey& key = cover.key;
        if (!filter.admits(key.kernel, key.objective, key.regime, key.device_class)) continue;
        if (is_sound(cover, {}))
          found.push_back(std::move(cover));
        else
          ++damaged;
      }
    }
    return found;
  }

  std::vector<Problem> problems(const RecordFilter& filter) override {
    std::vector<Problem> found;
    for_each_page(filter, [&](const Page& page) {
      page.read([&](const auto& ordinals, auto& problem) {
        if (page.problems.hold(ordinals)) found.emplace_back(std::move(problem));
        return false;
      });
      return true;
    });
    return found;
  }

 private:
  std::span<const Section> sections(SectionKind kind, const RecordFilter& filter) const {
    if (filter.code.empty()) return wisdom_.bundle_.sections(kind);
    const Section* const one =
        wisdom_.bundle_.find(kind, record_index_key(std::string(filter.code), std::string(filter.contract)));
    return {one, one == nullptr ? std::size_t{0} : 1};
  }

  struct Page {
    const RecordIndex& index;
    const RecordGroup& group;
    const WantedProblems& problems;
    std::vector<std::byte> bytes;
    std::vector<Record> read(const WantedRow& wanted) const { return read_rows(bytes, index, group, wanted); }
  };

  // Calls `take` for each page that may have what the filter wants, until it returns false.
  void for_each_page(const RecordFilter& filter, const std::function<bool(const Page&)>& take) const {
    for (const Section& section : sections(SectionKind::records, filter)) {
      const auto index = wisdom_.index_of(section);
      const WantedProblems problems(*index, filter);
      for (const RecordGroup& group : index->groups) {
        if (!is_wanted_group(filter, group)) continue;
        for (const RecordPage& page : group.pages)
          if (problems.meet(page) && !take({*index, group, problems, bytes_of(page)})) return;
      }
    }
  }

  std::vector<std::byte> bytes_of(const RecordPage& page) const {
    const Section* const section = wisdom_.bundle_.find(SectionKind::page, page.key);
    if (section == nullptr) throw Error(fmt::format("the bundle {} lacks a page of records", wisdom_.name()));
    return wisdom_.bundle_.read(*section);
  }

  const BundleWisdom& wisdom_;
};

std::unique_ptr<RecordReading> BundleWisdom::read() const { return std::make_unique<Reading>(*this); }

std::shared_ptr<const RecordIndex> BundleWisdom::index_of(const Section& section) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const RecordIndex>& place = indexes_[section.key];
  if (place == nullptr) {
    auto index = decode_record_index(bundle_.read(section));
    if (!index) throw_of_other_version(name());
    place = std::make_shared<const RecordIndex>(*std::move(index));
  }
  return place;
}

}  // namespace attune
