#include "draft/names.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/identifier.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "spec/names.hpp"

namespace attune::draft {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view across[] = {"n",     "w",  "width",    "cols",   "columns",
                                       "ncols", "nx", "num_cols", "size_x", "dimx"};
constexpr std::string_view down[] = {"m", "h", "height", "rows", "nrows", "ny", "num_rows", "size_y", "dimy"};
constexpr std::string_view deep[] = {"d", "depth", "nz", "slices", "planes", "size_z", "dimz", "batch", "batches"};
constexpr std::string_view mere_numbers[] = {"seed",  "offset", "start", "begin", "first", "shift", "flag",  "mode",
                                             "phase", "iter",   "step",  "lane",  "pass",  "value", "alpha", "beta",
                                             "scale", "factor", "index", "axis",  "op",    "key",   "bit"};
constexpr std::string_view tunable_parts[] = {"block", "tile",  "thread", "unroll", "items",  "per_t", "vec",
                                              "chunk", "stage", "coarse", "strip",  "stride", "pad",   "group"};
constexpr std::string_view tunable_names[] = {
    "bm",     "bn",        "bk", "tm", "tn", "tk", "wm", "wn", "bs", "ts", "tpb", "warps", "warps_per_block",
    "nwarps", "num_warps", "bx", "by", "bz", "tx", "ty"};
constexpr std::string_view ceil_divs[] = {"ceildiv", "cdiv",       "divup",      "idivup",     "divceil",
                                          "updiv",   "ceildivide", "divroundup", "rounddivup", "ceilingdivide"};
constexpr std::string_view address_marks_before[] = {"d_", "dev_", "device_", "g_", "gpu_"};
constexpr std::string_view address_marks_behind[] = {"_d", "_dev", "_device", "_gpu"};

bool is_among(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

std::string small(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Splits at blanks.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::string type_name(std::string_view spelling) {
  if (spelling.size() > 60) return "";  // longer than any
  std::vector<std::string> words = words_of(spelling);
  std::erase_if(words, [](const std::string& word) { return word == "const" || word == "volatile"; });
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const auto longs = std::ranges::count(words, "long");
  const std::string sign = has("unsigned") ? "uint" : "int";
  const bool is_plain = std::ranges::all_of(words, [](const std::string& word) {
    return is_among(std::array<std::string_view, 6>{"unsigned", "signed", "long", "short", "int", "char"}, word);
  });
  if (words.empty()) return "";
  if (is_plain && has("char")) return sign + "8";
  if (is_plain && has("short")) return sign + "16";
  if (is_plain) return sign + (longs > 0 ? "64" : "32");
  if (words.size() > 1) return "";
  std::string_view name = words[0];
  if (name == "uint") name = "unsigned";
  if (name.starts_with("std::")) name.remove_prefix(5);
  const std::string_view own = own_type_name(name);
  return find_type(own) != nullptr ? std::string(own) : "";
}

bool is_part_of_name(char c) { return is_word(c); }

std::string plain_name(std::string_view name) {
  std::string plain = small(name);
  for (const std::string_view mark : address_marks_before)
    if (plain.starts_with(mark) && plain.size() > mark.size()) return plain.substr(mark.size());
  for (const std::string_view mark : address_marks_behind)
    if (plain.ends_with(mark) && plain.size() > mark.size()) return plain.substr(0, plain.size() - mark.size());
  return plain;
}

std::optional<int> dimension_of(std::string_view size) {
  const std::string name = small(size);
  if (is_among(across, name)) return 0;
  if (is_among(down, name)) return 1;
  if (is_among(deep, name)) return 2;
  return std::nullopt;
}

bool is_mere_number(std::string_view name) {
  const std::string text = small(name);
  return std::ranges::any_of(mere_numbers, [&](std::string_view part) {
    return text == part || text.ends_with("_" + std::string(part)) || text.starts_with(std::string(part) + "_");
  });
}

bool is_tunable(std::string_view name) {
  const std::string text = small(name);
  if (is_among(tunable_names, text)) return true;
  if (text.starts_with("max_") || text.starts_with("num_blocks") || text == "warp_size") return false;
  return std::ranges::any_of(tunable_parts,
                             [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

std::int64_t usual_value(std::string_view name) {
  constexpr std::int64_t threads = 256, across_warp = 32, side = 16, few = 4;
  const std::string text = small(name);
  const bool is_part = text.find("per") != std::string::npos || !is_tunable(name);
  const bool is_block = text.find("block") != std::string::npos || text.find("thread") != std::string::npos;
  if (text == "bk" || is_part) return few;
  if (text.ends_with("x") && is_block) return across_warp;
  if (text.ends_with("y") || text.ends_with("z")) return few;
  if (is_block || text == "tpb" || text == "bs") return threads;
  return text.find("tile") != std::string::npos || text[0] == 'b' ? side : few;
}

bool is_ceil_div(std::string_view name) {
  std::string text = small(name);
  std::erase(text, '_');
  return is_among(ceil_divs, text);
}

bool is_allowed_name(std::string_view name) {
  try {
    require_new_name(name, "parameter", "");
    return true;
  } catch (const Fault&) {
    return false;
  }
}

std::vector<std::int64_t> values_around(std::int64_t value, std::int64_t most) {
  if (value == 0 || value == 1) return {value, 1 - value};
  std::vector<std::int64_t> values{value};
  constexpr std::int64_t widest = 1024;
  std::int64_t near = 1;
  while (near < value && near < widest) near *= 2;
  for (const std::int64_t other : {near / 2, near * 2, near / 4, near, near * 4})
    if (other >= 1 && other <= std::min(most, widest) && std::ranges::find(values, other) == values.end() &&
        values.size() < 4)
      values.push_back(other);
  return values;
}

}  // namespace attune::draft
