#include "miss_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "attune/error.hpp"
#include "base/system_failure.hpp"

namespace attune::cli {
namespace {

constexpr std::int64_t present_version = 1;
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

struct Member {
  const char* name;
  std::string Miss::*text;
};
constexpr Member members[] = {{"kernel", &Miss::kernel},     {"code", &Miss::code},
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
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: {}", file.string(), system_failure(errno)));
  MissLog log;
  std::unordered_set<std::string> seen;
  std::uintmax_t bytes = 0;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    bytes += text.size() + 1;
    if (bytes > most_bytes) throw Error(fmt::format("{}: it has more than {} bytes", file.string(), most_bytes));
    if (text.empty() || !seen.insert(text).second) continue;
    try {
      log.misses.push_back(miss_of(text));
      log.misses.back().line = number;
    } catch (const Error& error) {
      log.notes.push_back(fmt::format("{}:{}: left out: {}", file.string(), number, error.what()));
    }
  }
  if (in.bad()) throw Error(fmt::format("{}: it cannot be read", file.string()));
  return log;
}

}  // namespace attune::cli
