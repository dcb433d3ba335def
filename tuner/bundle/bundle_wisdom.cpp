#include "bundle/bundle_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "attune/error.hpp"
#include "bundle/record_rows.hpp"
#include "kernel/nearness.hpp"
#include "kernel/plain_bindings.hpp"

namespace attune {
namespace {

// The problems that are asked for: for each value the least and the greatest ordinal.
struct Window {
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

// Returns nothing where no record can have these values.
std::optional<Window> window_of(const RecordIndex& index, const MatchRequest& request, bool is_near) {
  Window window;
  for (const std::string& name : index.problem) {
    const Value* const value = request.problem.find(name);
    const auto ordinal = value != nullptr ? ordinal_of(index, *value) : std::nullopt;
    if (!ordinal) return std::nullopt;
    const ProblemParameter* const parameter = request.spec.find_problem(name);
    const bool is_size = parameter != nullptr && parameter->kind == ProblemKind::size && value->is_integer();
    const bool is_wide = is_near && is_size && *ordinal > 0;
    window.low.push_back(is_wide ? *ordinal / 2 : *ordinal);
    window.high.push_back(is_wide && *ordinal < std::int64_t{1} << 62 ? *ordinal * 2 : *ordinal);
  }
  return window;
}

std::vector<Record> records_of_page(const Bundle& bundle, const RecordIndex& index, const RecordGroup& group,
                                    const RecordPage& page,
                                    const std::function<bool(std::span<const std::int64_t>)>& wanted) {
  const Section* const section = bundle.find(SectionKind::page, page.key);
  if (section == nullptr) throw Error(fmt::format("the bundle {} lacks a page of records", bundle.name()));
  return read_rows(bundle.read(*section), index, group, wanted);
}

// One look-up in one index.
class LookUp {
 public:
  LookUp(const Bundle& bundle, const RecordIndex& index, const MatchRequest& request)
      : bundle_(bundle), index_(index), request_(request) {}

  Candidates run(Reach reach) {
    const std::optional<Window> exact = window_of(index_, request_, false);
    if (exact) add(*exact, [&](const RecordGroup& group) { return is_own_device(group); });
    const bool is_known =
        std::ranges::any_of(found_.records, [&](const Record& record) { return record.key.regime == request_.regime; });
    if (is_known && reach == Reach::this_problem) return std::move(found_);
    found_.are_all = true;
    if (const auto near = window_of(index_, request_, true)) add_near(*near);
    if (exact)
      add(*exact, [&](const RecordGroup& group) {
        return !is_own_device(group) && group.regime == request_.regime &&
               group.compute_capability == request_.device.compute_capability;
      });
    return std::move(found_);
  }

 private:
  bool is_own_device(const RecordGroup& group) const { return group.device_class == device_class_; }

  template <typename Wanted>
  std::vector<Record> rows(const Window& window, const Wanted& wanted) const {
    std::vector<Record> found;
    for (const RecordGroup& group : index_.groups) {
      if (group.objective != request_.objective || !wanted(group)) continue;
      for (const RecordPage& page : group.pages) {
        if (!window.meets(page)) continue;
        for (Record& record : records_of_page(bundle_, index_, group, page,
                                              [&](const auto& ordinals) { return window.holds(ordinals); }))
          found.push_back(std::move(record));
      }
    }
    return found;
  }

  template <typename Wanted>
  void add(const Window& window, const Wanted& wanted) {
    for (Record& record : rows(window, wanted)) take(std::move(record));
  }

  void add_near(const Window& window) {
    std::vector<Record> all =
        rows(window, [&](const RecordGroup& group) { return is_own_device(group) && group.regime == request_.regime; });
    std::vector<std::tuple<double, double, std::size_t>> near;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (same_problem(request_.problem, all[i].key.problem)) continue;
      const ProblemDistance apart = problem_distance(request_.spec, request_.problem, all[i].key.problem);
      if (apart.differing > 0 || !apart.within_factor_2) continue;
      near.emplace_back(apart.squared_octaves, -apart.log2_size, i);
    }
    const auto end = near.begin() + std::min<std::ptrdiff_t>(std::ssize(near), most_near_records);
    std::ranges::partial_sort(near, end);
    near.erase(end, near.end());
    for (const auto& [octaves, size, i] : near) take(std::move(all[i]));
  }

  // A row of another kernel text's values stays out: it has no configuration of this kernel.
  void take(Record record) {
    auto problem = problem_of_text(request_.spec, record.key.problem.text());
    auto configuration = configuration_of_text(request_.spec, record.configuration.text());
    if (problem) record.key.problem = *std::move(problem);
    if (configuration) record.configuration = *std::move(configuration);
    (problem && configuration ? found_.records : found_.near_misses).push_back(std::move(record));
  }

  const Bundle& bundle_;
  const RecordIndex& index_;
  const MatchRequest& request_;
  const std::string device_class_ = request_.device.class_key();
  Candidates found_;
};

// Returns whole pages: at least `most` records, where there are as many.
std::vector<Record> all_records(const Bundle& bundle, const RecordIndex& index, const RecordGroup& group,
                                std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<Record> found;
  for (const RecordPage& page : group.pages) {
    if (found.size() >= most) break;
    for (Record& record : records_of_page(bundle, index, group, page, [](const auto&) { return true; }))
      found.push_back(std::move(record));
  }
  return found;
}

}  // namespace

std::shared_ptr<const RecordIndex> BundleWisdom::index_of(const Section& section) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const RecordIndex>& place = indexes_[section.key];
  if (place == nullptr) {
    auto index = decode_record_index(bundle_.read(section));
    if (!index)
      throw Error(fmt::format("the bundle {} has records of another version of attune; export it again", name()));
    place = std::make_shared<const RecordIndex>(*std::move(index));
  }
  return place;
}

std::shared_ptr<const RecordIndex> BundleWisdom::index_of(const Fingerprints& fingerprints) const {
  const Section* const section =
      bundle_.find(SectionKind::records, record_index_key(fingerprints.code, fingerprints.contract));
  return section != nullptr ? index_of(*section) : nullptr;
}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] Candidates BundleWisdom::candidates(const MatchRequest& request, Reach reach) const {
  Candidates found;
  if (const auto index = index_of(request.spec.fingerprints)) found = LookUp(bundle_, *index, request).run(reach);
  if (found.records.empty()) add_near_misses(request.spec, found.near_misses);
  found.are_all = found.are_all || found.records.empty();
  return found;
}

void BundleWisdom::add_near_misses(const KernelSpec& spec, std::vector<Record>& found) const {
  for (const Section& section : bundle_.sections(SectionKind::records)) {
    const auto index = index_of(section);
    for (const RecordGroup& group : index->groups) {
      if (group.kernel != spec.name) continue;
      for (Record& record : all_records(bundle_, *index, group, most_near_misses - found.size())) {
        if (found.size() == most_near_misses) return;
        if (auto problem = problem_of_text(spec, record.key.problem.text())) record.key.problem = *std::move(problem);
        found.push_back(std::move(record));
      }
    }
  }
}

std::vector<Record> BundleWisdom::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Record> found;
  const auto index = index_of(spec.fingerprints);
  if (index == nullptr) return found;
  for (const RecordGroup& group : index->groups)
    if (kind_of(group.device_class) == device_kind)
      for (Record& record : all_records(bundle_, *index, group)) found.push_back(std::move(record));
  return found;
}

}  // namespace attune
