// Reads the searches of other programs, which are lines of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "attune/error.hpp"
#include "recordings/compressed_text.hpp"
#include "recordings/recording_text.hpp"
#include "searches.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_depth = 8;  // a line has 2
constexpr const char* expected_path = R"(expected {"file": "...", "strategy": "...", "repeat": 0, "rows": [...]})";

std::string shown(const Json& value) { return cut_short(value.dump(-1, ' ', false, Json::error_handler_t::replace)); }

Json parse(std::string_view line) {
  try {
    return Json::parse(line, [](int depth, Json::parse_event_t, Json&) {
      if (depth > most_depth) throw UsageError(fmt::format("{}, not nested {} deep", expected_path, depth));
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw UsageError(fmt::format("{}; this is no JSON at byte {}", expected_path, error.byte));
  } catch (const Json::exception&) {
    throw UsageError(fmt::format("{}; a number is too large", expected_path));
  }
}

const Json& member(const Json& object, const char* name, Json::value_t type, std::string_view expected) {
  const auto found = object.find(name);
  if (found == object.end()) throw UsageError(fmt::format("{}; `{}` is missing", expected_path, name));
  if (found->type() != type) throw UsageError(fmt::format("`{}` is {}: expected {}", name, shown(*found), expected));
  return *found;
}

struct Trace {
  std::string file, strategy;
  Json rows;
};

Trace read_line(std::string_view line) {
  const Json object = parse(line);
  if (!object.is_object()) throw UsageError(expected_path);
  return {member(object, "file", Json::value_t::string, "the name of a recording"),
          member(object, "strategy", Json::value_t::string, "a name"),
          member(object, "rows", Json::value_t::array, "positions of rows")};
}

// What a file's name stands for: a space, and, for a copy, the positions in the kept file.
struct TracePlace {
  std::size_t space = 0;
  std::size_t rows = 0;
  const DuplicateFile* copy = nullptr;
};

class TracePlaces {
 public:
  explicit TracePlaces(const Spaces& spaces) {
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const std::size_t rows = spaces[i]->recording.trials.size();
      add(spaces[i]->name, {i, rows, nullptr});
      for (const DuplicateFile& copy : spaces[i]->copies) add(copy.name, {i, rows, &copy});
    }
  }
  const TracePlace* find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
  }

 private:
  void add(const std::string& name, const TracePlace& place) {
    if (!places_.emplace(name, place).second)
      throw UsageError(fmt::format("two files are called {}; rename one, or leave it out: --traces names files", name));
  }
  std::map<std::string, TracePlace> places_;
};

std::vector<std::size_t> trials_of(const Json& rows, const TracePlace& place) {
  std::vector<std::size_t> trials;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    if (!row.is_number_unsigned() || row.get<std::uint64_t>() >= place.rows) {
      throw UsageError(
          fmt::format("rows[{}] is {}: expected a whole number from 0 to {}", i, shown(row), place.rows - 1));
    }
    const auto position = row.get<std::size_t>();
    trials.push_back(place.copy == nullptr ? position : place.copy->trials[position]);
  }
  return trials;
}

// Collects searches by the strategy's name in the file. Names are shown on one line.
class ByStrategy {
 public:
  explicit ByStrategy(std::size_t spaces) : spaces_(spaces) {}
  void add(const std::string& strategy, std::size_t space, Visits visits) {
    const auto [found, is_new] = numbers_.try_emplace(strategy, all_.size());
    if (is_new) all_.push_back({cut_short(on_one_line(strategy)), std::vector<std::vector<Visits>>(spaces_)});
    all_[found->second].by_space[space].push_back(std::move(visits));
  }
  std::vector<Searches> take() { return std::move(all_); }

 private:
  std::size_t spaces_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Searches> all_;
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

std::vector<Searches> read_traces(const std::string& file, const Spaces& spaces) {
  const TracePlaces places(spaces);
  const std::string text = read_text(file);
  ByStrategy searches(spaces.size());
  std::string_view left = text;
  for (std::size_t number = 1; !left.empty(); ++number) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (is_blank(line)) continue;
    try {
      const Trace trace = read_line(line);
      const TracePlace* const place = places.find(trace.file);
      if (place == nullptr) continue;
      searches.add(trace.strategy, place->space, follow(spaces[place->space]->recorded, trials_of(trace.rows, *place)));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  std::vector<Searches> all = searches.take();
  if (all.empty())
    throw UsageError(file + ": holds no search of the files given; its lines name a file without .json.xz");
  return all;
}

}  // namespace attune::cli
