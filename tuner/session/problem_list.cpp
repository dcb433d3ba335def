#include "session/problem_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "attune/error.hpp"
#include "expression/assignments.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

// The values that one name takes.
struct NamedValues {
  std::string name;
  std::vector<Value> values;
};

std::int64_t integer_of(const std::string& text, const std::string& item) {
  if (text.empty()) throw UsageError(fmt::format("`{}`: a range has two bounds, as in n=2**16..2**28 times 4", item));
  const Value value = parse_constant(text, item);
  if (value.is_integer()) return value.integer();
  throw UsageError(fmt::format("`{}`: expected integers, found `{}`", item, text));
}

// Returns the values from `first` to `last`. `step` makes the next value, or nothing where it does not grow.
template <typename Step>
std::vector<Value> values_between(std::int64_t first, std::int64_t last, const std::string& item, const Step& step) {
  if (first > last) throw UsageError(fmt::format("`{}`: the range ends before it begins", item));
  std::vector<Value> values;
  for (std::int64_t value = first; value <= last;) {
    values.emplace_back(value);
    if (values.size() > most_problems)
      throw UsageError(fmt::format("`{}`: a range has {} values at most", item, most_problems));
    std::int64_t next = 0;
    if (step(value, &next)) break;  // beyond 64 bits, and so beyond `last`
    if (next <= value)
      throw UsageError(fmt::format("`{}`: `times` takes 2 or more of a size from 1 on, `plus` takes 1 or more", item));
    value = next;
  }
  return values;
}

// Reads the range of `words` at `at`: "n=1..8", "times", "2". Moves `at` behind it.
NamedValues range_at(const std::vector<std::string>& words, std::size_t& at, std::size_t dots) {
  const std::string& bounds = words[at];
  const std::size_t sign = bounds.find('=');
  const std::string how = at + 1 < words.size() ? words[at + 1] : "";
  if ((how != "times" && how != "plus") || at + 2 >= words.size())
    throw UsageError(
        fmt::format("`{}`: a range needs its step: `{} times 2` or `{} plus 1024`", bounds, bounds, bounds));
  const std::string item = fmt::format("{} {} {}", bounds, how, words[at + 2]);
  const std::int64_t first = integer_of(bounds.substr(sign + 1, dots - sign - 1), item);
  const std::int64_t last = integer_of(bounds.substr(dots + 2), item);
  const std::int64_t by = integer_of(words[at + 2], item);
  at += 3;
  const auto next = [&](std::int64_t value, std::int64_t* result) {
    return how == "times" ? __builtin_mul_overflow(value, by, result) : __builtin_add_overflow(value, by, result);
  };
  return {bounds.substr(0, sign), values_between(first, last, item, next)};
}

std::vector<NamedValues> names_in(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<NamedValues> names;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t sign = words[at].find('='), dots = words[at].find("..");
    if (sign != std::string::npos && dots != std::string::npos && sign < dots) {
      names.push_back(range_at(words, at, dots));
    } else {
      const Bindings one = parse_bindings(words[at++]);
      names.push_back({one.begin()->name, {one.begin()->value}});
    }
  }
  return names;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string without_comment(const std::string& line) { return line.substr(0, line.find('#')); }

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r") == std::string::npos; }

}  // namespace

std::vector<Problem> problems_in(const KernelSpec& spec, std::string_view text, std::string_view device_kind) {
  std::vector<Bindings> combinations(1);
  std::set<std::string> seen;
  for (const auto& [name, values] : names_in(text)) {
    if (!seen.insert(name).second) throw UsageError(fmt::format("`{}` is given twice in `{}`", name, text));
    if (combinations.size() * values.size() > most_problems)
      throw UsageError(fmt::format("`{}` is more than {} problems", text, most_problems));
    std::vector<Bindings> longer;
    for (const Bindings& before : combinations)
      for (const Value& value : values) longer.emplace_back(before).set(name, value);
    combinations = std::move(longer);
  }
  std::vector<Problem> problems;
  for (const Bindings& given : combinations) problems.push_back(make_problem(spec, given, device_kind));
  return problems;
}

std::vector<Problem> list_problems(const KernelSpec& spec, const std::string& text_or_file,
                                   std::string_view device_kind) {
  std::vector<Problem> list;
  std::set<std::string> seen;
  const auto add = [&](std::string_view text) {
    for (Problem& problem : problems_in(spec, text, device_kind))
      if (seen.insert(problem.text()).second) list.push_back(std::move(problem));
    if (list.size() > most_problems)
      throw UsageError(fmt::format("--problems {} is more than {} problems", text_or_file, most_problems));
  };
  std::error_code unknown;
  const bool is_file = std::filesystem::exists(text_or_file, unknown);
  if (!is_file && text_or_file.find('=') != std::string::npos) {
    add(text_or_file);
    return list;
  }
  std::ifstream file(text_or_file);
  if (!file || std::filesystem::is_directory(text_or_file, unknown))
    throw UsageError(
        fmt::format("--problems {}: there is no such file, and a range has a `=`, as in n=2**16..2**28 "
                    "times 4",
                    text_or_file));
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) try {
      if (number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
      if (const std::string text = without_comment(line); !is_blank(text)) add(text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", text_or_file, number, error.what()));
    }
  if (list.empty()) throw UsageError(fmt::format("{}: the file has no problem; write one on each line", text_or_file));
  return list;
}

}  // namespace attune
