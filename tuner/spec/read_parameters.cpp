// [parameters]: lists of values, and ranges.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "spec/sections.hpp"

namespace attune {
namespace {

using Kind = TomlNode::Kind;

constexpr std::string_view parameter_forms =
    "a list of values, such as [128, 256], or a range, such as { from = 32, to = 1024, step = 32 }";

// validate() refuses longer lists too.
constexpr std::size_t most_in_range = 65'535;

Value parameter_value(const Document& document, const TomlNode& node) {
  if (node.kind == Kind::integer) return Value(node.integer());
  if (node.kind == Kind::boolean) return Value(node.boolean());
  if (node.kind == Kind::real) return Value(node.real());
  return Value(document.string(node, "a value: an integer, a boolean, a number or a name in quotes"));
}

std::int64_t integer_of(const Document& document, const TomlNode& node) {
  if (node.kind != Kind::integer) document.fail_kind(node, "an integer");
  return node.integer();
}

// Returns the integers from `from` up to `to`, each made by `next` from the one before. Stops after one too many.
template <typename Next>
std::vector<std::int64_t> integers(std::int64_t from, std::int64_t to, const Next& next) {
  std::vector<std::int64_t> found{from};
  while (found.size() <= most_in_range) {
    std::int64_t after = 0;
    if (next(found.back(), after) || after > to) break;
    found.push_back(after);
  }
  return found;
}

// { from = 32, to = 1024, step = 32, default = 128 }: the default comes first, then the others, upwards.
std::vector<Value> range(const Document& document, const TomlNode& node, const std::string& name) {
  const TomlSection section(document, node, fmt::format("[parameters] {}", name),
                            {"from", "to", "step", "times", "default"});
  const TomlNode *step = section.find("step"), *times = section.find("times"), *first = section.find("default");
  const std::int64_t from = integer_of(document, section.need("from")), to = integer_of(document, section.need("to"));
  if ((step == nullptr) == (times == nullptr))
    document.fail(node, fmt::format("`{}` needs either `step`, which is added, or `times`, which multiplies", name));
  const std::int64_t by = integer_of(document, step != nullptr ? *step : *times);
  if (to < from)
    document.fail(section.need("to"), fmt::format("the range ends at {}, before it begins at {}", to, from));
  if (step != nullptr && by < 1) document.fail(*step, "`step` is at least 1");
  if (times != nullptr && (by < 2 || from < 1))
    document.fail(*times, "a range with `times` begins at 1 or more, and `times` is at least 2");
  std::vector<std::int64_t> found = integers(from, to, [&](std::int64_t value, std::int64_t& next) {
    return step != nullptr ? __builtin_add_overflow(value, by, &next) : __builtin_mul_overflow(value, by, &next);
  });
  if (found.size() > most_in_range)
    document.fail(node, fmt::format("the range has more than {} values", most_in_range));
  if (found.back() != to)
    document.fail(section.need("to"), fmt::format("the range does not end at {}: from {} {} {} it comes to {} last", to,
                                                  from, step != nullptr ? "by steps of" : "times", by, found.back()));
  if (first != nullptr) {
    const auto chosen = std::find(found.begin(), found.end(), integer_of(document, *first));
    if (chosen == found.end())
      document.fail(*first, fmt::format("the default {} is not in the range", first->integer()));
    std::rotate(found.begin(), chosen, chosen + 1);
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<Parameter> read_parameters(const Document& document, const TomlNode& table) {
  if (table.kind != Kind::table) document.fail_kind(table, "the table [parameters]");
  std::vector<Parameter> parameters;
  for (const auto& member : table.children) {
    Parameter parameter{member.key, {}};
    if (member.kind == Kind::table) {
      parameter.values = range(document, member, member.key);
    } else {
      for (const auto& element : document.array(member, parameter_forms))
        parameter.values.push_back(parameter_value(document, element));
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace attune
