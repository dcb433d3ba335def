#include "draft/names.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/identifier.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "spec/names.hpp"

namespace attune::draft {
namespace {

constexpr std::string_view tunable_parts[] = {"block", "tile",  "thread", "unroll", "items",  "per_t", "vec",
                                              "chunk", "stage", "coarse", "strip",  "stride", "pad",   "group"};
constexpr std::string_view tunable_names[] = {"bm", "bn",  "bk",    "tm",     "tn", "tk", "wm", "wn", "bs",
                                              "ts", "tpb", "warps", "nwarps", "bx", "by", "bz", "tx", "ty"};
std::string small(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string type_name(std::string_view spelling) {
  constexpr std::string_view plain[] = {"unsigned", "signed", "long", "short", "int", "char"};
  if (spelling.size() > 60) return "";  // longer than any
  std::set<std::string> words;
  std::istringstream text{std::string(spelling)};
  for (std::string word; text >> word;)
    if (word != "const" && word != "volatile") words.insert(word);
  if (words.empty()) return "";
  if (std::ranges::all_of(words, [&](const auto& word) { return std::ranges::find(plain, word) != std::end(plain); }))
    return (words.contains("unsigned") ? "uint" : "int") + std::string(words.contains("char")    ? "8"
                                                                       : words.contains("short") ? "16"
                                                                       : words.contains("long")  ? "64"
                                                                                                 : "32");
  if (words.size() > 1) return "";
  std::string_view name = *words.begin();
  if (name == "uint") name = "unsigned";
  if (name.starts_with("std::")) name.remove_prefix(5);
  const std::string_view own = own_type_name(name);
  return find_type(own) != nullptr ? std::string(own) : "";
}

bool is_tunable(std::string_view name) {
  const std::string text = small(name);
  const auto is_part = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (std::ranges::find(tunable_names, text) != std::end(tunable_names)) return true;
  return std::ranges::any_of(tunable_parts, is_part) && !is_part("max_") && !is_part("num_blocks");
}

bool is_ceil_div(std::string_view name) {
  const std::string text = small(name);
  return text == "cdiv" || (text.find("div") != std::string::npos &&
                            (text.find("ceil") != std::string::npos || text.find("up") != std::string::npos));
}

bool is_allowed_name(std::string_view name) {
  try {
    require_new_name(name, "parameter", "");
    return true;
  } catch (const Fault&) {
    return false;
  }
}

std::string values_around(std::int64_t value, std::int64_t most) {
  std::string list = "[" + std::to_string(value);
  for (const std::int64_t other : {value / 2, value <= most / 2 ? value * 2 : 0, value / 4})
    if (other >= 1 && other <= most) list += ", " + std::to_string(other);
  return list + "]";
}

}  // namespace attune::draft
