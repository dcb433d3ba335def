// Searches that other programs made: lines of JSON.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/error.hpp"
#include "searches.hpp"

namespace attune::cli {
namespace {

struct Trace {
  std::string file, strategy;
  std::vector<std::size_t> rows;
};

Trace read_line(const std::string& line) {
  const auto object = nlohmann::json::parse(line);
  return {object.at("file"), object.at("strategy"), object.at("rows")};
}

Searches& searches_of(std::vector<Searches>& all, const std::string& strategy, std::size_t spaces) {
  for (Searches& known : all) {
    if (known.strategy == strategy) return known;
  }
  all.push_back({strategy, std::vector<std::vector<Visits>>(spaces)});
  return all.back();
}

}  // namespace

std::vector<Searches> read_traces(const std::string& file, const Spaces& spaces) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(file + ": cannot be read; --traces takes a file of lines as in docs/score.md");
  std::vector<Searches> all;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}: ", file, number);
    try {
      const Trace trace = read_line(line);
      for (std::size_t i = 0; i < spaces.size(); ++i) {
        if (spaces[i]->name != trace.file) continue;
        searches_of(all, trace.strategy, spaces.size()).by_space[i].push_back(follow(spaces[i]->recorded, trace.rows));
      }
    } catch (const nlohmann::json::exception& error) {
      throw UsageError(where + R"(expected {"file": "...", "strategy": "...", "repeat": 0, "rows": [...]}: )" +
                       error.what());
    } catch (const UsageError& error) {
      throw UsageError(where + error.what());
    }
  }
  if (all.empty())
    throw UsageError(file + ": holds no search of the files given; its lines name a file without .json.xz");
  return all;
}

}  // namespace attune::cli
