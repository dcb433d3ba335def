#include "miss_log.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "attune/error.hpp"
#include "base/regular_file.hpp"

namespace attune::cli {
namespace {

constexpr std::int64_t present_version = 1;
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

struct MissMember {
  const char* name;
  std::string Miss::*text;
};
constexpr MissMember members[] = {{"kernel", &Miss::kernel},     {"code", &Miss::code},
                                  {"contract", &Miss::contract}, {"tune_target", &Miss::tune_target},
                                  {"problem", &Miss::problem},   {"device_class", &Miss::device_class},
                                  {"regime", &Miss::regime},     {"objective", &Miss::objective}};

// Throws Error saying why the line is no miss.
Miss miss_of(const std::string& text) {
  const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
  if (line.is_discarded()) throw Error("it is damaged: no JSON");
  if (!line.is_object() || !line.contains("miss")) throw Error("it is no miss");
  if (line["miss"] != present_version)
    throw Error(fmt::format("it is of version {}, and this attune reads {}", line["miss"].dump(), present_version));
  Miss miss;
  for (const auto& [name, member] : members) {
    const auto found = line.find(name);
    if (found == line.end() || !found->is_string()) throw Error(fmt::format("it is damaged: `{}` is no text", name));
    miss.*member = found->get<std::string>();
  }
  return miss;
}

}  // namespace

MissLog read_miss_log(const std::filesystem::path& file) {
  FileText read = read_regular_file(file, most_bytes);
  if (!read.why.empty()) throw Error(fmt::format("{}: {}", file.string(), read.why));
  MissLog log;
  std::unordered_set<std::string> seen;
  std::istringstream in(std::move(read.text));
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.empty() || !seen.insert(text).second) continue;
    try {
      log.misses.push_back(miss_of(text));
      log.misses.back().line = number;
    } catch (const Error& error) {
      log.notes.push_back(fmt::format("{}:{}: left out: {}", file.string(), number, error.what()));
    }
  }
  return log;
}

}  // namespace attune::cli
