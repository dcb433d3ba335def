#include "kernel/look_up.hpp"

#include <algorithm>
#include <iterator>

#include "attune/error.hpp"
#include "core/record_hash.hpp"
#include "core/record_order.hpp"
#include "kernel/nearness.hpp"

namespace attune {
namespace {

// Returns the sound records, and counts the others: a table may be foreign, hostile or damaged.
std::vector<Record> sound_of(std::vector<StoredRecord>&& rows, FoundRecords& found) {
  std::vector<Record> sound;
  for (StoredRecord& row : rows) {
    if (row.damage.empty() && is_sound(row.record, row.hash)) {
      sound.push_back(std::move(row.record));
    } else {
      ++found.damaged;
      if (found.damage.empty()) found.damage = std::move(row.damage);
    }
  }
  return strongest_of_each_key(std::move(sound));
}

RecordFilter of_text(const KernelSpec& spec) {
  return {.code = spec.fingerprints.code, .contract = spec.fingerprints.contract};
}

class LookUp {
 public:
  LookUp(RecordReading& reading, const MatchRequest& request) : reading_(reading), request_(request) {}

  FoundRecords run(Reach reach) {
    if (reach == Reach::other_problems) {
      found_.are_all = true;
      add_nearest({}, nullptr);
      return std::move(found_);
    }
    add(for_this_problem_here());
    const bool is_known =
        std::ranges::any_of(found_.records, [&](const Record& record) { return record.key.regime == request_.regime; });
    if (is_known && reach == Reach::this_problem) return std::move(found_);
    found_.are_all = true;
    add_nearest(request_.regime, &request_.problem);
    add(for_this_problem_on_siblings());
    add_covers();
    if (found_.records.empty() && found_.covers.empty()) add_near_misses();
    return std::move(found_);
  }

 private:
  RecordFilter of_family() const {
    RecordFilter filter = of_text(request_.spec);
    filter.objective = request_.objective;
    return filter;
  }

  RecordFilter for_this_problem_here() const {
    RecordFilter filter = of_family();
    filter.device_class = device_class_;
    filter.problems = {&request_.problem, 1};
    return filter;
  }

  RecordFilter for_this_problem_on_siblings() const {
    RecordFilter filter = of_family();
    filter.other_device_class = device_class_;
    filter.regime = request_.regime;
    filter.compute_capability = request_.device.compute_capability;
    filter.problems = {&request_.problem, 1};
    return filter;
  }

  void add(const RecordFilter& filter) {
    std::ranges::move(sound_of(reading_.rows(filter), found_), std::back_inserter(found_.records));
  }

  // Adds the records of the nearest problems. `regime`: "" for any. `near`: null if the problems need not be near.
  // Reads only the problems first, because there may be many.
  void add_nearest(std::string_view regime, const Problem* near) {
    RecordFilter filter = of_family();
    filter.device_class = device_class_;
    filter.regime = regime;
    filter.near = near;
    struct Apart {
      ProblemDistance apart;
      Problem problem;
    };
    std::vector<Apart> found;
    for (Problem& problem : reading_.problems(filter)) {
      if (same_problem(request_.problem, problem)) continue;
      const ProblemDistance apart = problem_distance(request_.spec, request_.problem, problem);
      if (near == nullptr || apart.is_near()) found.push_back({apart, std::move(problem)});
    }
    const auto is_nearer = [](const Apart& a, const Apart& b) {
      if (a.apart.differing != b.apart.differing) return a.apart.differing < b.apart.differing;
      if (a.apart.squared_octaves != b.apart.squared_octaves) return a.apart.squared_octaves < b.apart.squared_octaves;
      return a.apart.log2_size > b.apart.log2_size;
    };
    std::vector<Problem> nearest;
    for (; !found.empty() && nearest.size() < most_near_problems; found.pop_back()) {
      std::iter_swap(std::ranges::min_element(found, is_nearer), found.end() - 1);
      if (std::ranges::find(nearest, found.back().problem) == nearest.end())
        nearest.push_back(std::move(found.back().problem));
    }
    if (nearest.empty()) return;
    filter.near = nullptr;
    filter.problems = nearest;
    add(filter);
  }

  void add_covers() {
    RecordFilter filter = of_family();
    filter.device_class = device_class_;
    filter.regime = request_.regime;
    filter.most = most_near_misses;
    found_.covers = reading_.covers(filter, found_.damaged_covers);
    found_.damaged += found_.damaged_covers;
  }

  // Near misses only explain, so that a table that cannot give them serves all the same.
  void add_near_misses() {
    try {
      for (StoredRecord& row : reading_.rows({.kernel = request_.spec.name, .most = most_near_misses}))
        if (row.damage.empty()) found_.near_misses.push_back(std::move(row.record));
    } catch (const Error&) {
    }
  }

  RecordReading& reading_;
  const MatchRequest& request_;
  const std::string device_class_ = request_.device.class_key();
  FoundRecords found_;
};

}  // namespace

// Cold functions are compiled for size, so that libattune.so stays small.
[[gnu::cold]] FoundRecords look_up(const RecordTable& table, const MatchRequest& request, Reach reach) {
  const std::unique_ptr<RecordReading> reading = table.read();
  if (reading == nullptr) return {.are_all = true};
  return LookUp(*reading, request).run(reach);
}

[[gnu::cold]] std::vector<Record> look_up_all(const RecordTable& table, const KernelSpec& spec,
                                              std::string_view device_kind) {
  const std::unique_ptr<RecordReading> reading = table.read();
  if (reading == nullptr) return {};
  FoundRecords all;
  std::vector<Record> found = sound_of(reading->rows(of_text(spec)), all);
  std::erase_if(found, [&](const Record& record) { return kind_of(record.key.device_class) != device_kind; });
  return found;
}

[[gnu::cold]] std::vector<Cover> look_up_covers(const RecordTable& table, const KernelSpec& spec,
                                                std::string_view device_kind) {
  const std::unique_ptr<RecordReading> reading = table.read();
  if (reading == nullptr) return {};
  int damaged = 0;
  std::vector<Cover> found = reading->covers(of_text(spec), damaged);
  std::erase_if(found, [&](const Cover& cover) { return kind_of(cover.key.device_class) != device_kind; });
  return found;
}

}  // namespace attune
