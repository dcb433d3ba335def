#include "cover/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace attune {
namespace {

using Problems = std::span<const Problem* const>;
using Number = double;

Number number(const Problem& problem, const std::string& name) {
  return static_cast<Number>(problem.at(name).integer());
}

// A bound between two neighbours with few digits, so that people read it: a power of two if one is between.
std::int64_t bound_between(Number below, Number above) {
  const Number middle = below > 0 ? std::sqrt(below) * std::sqrt(above) : (below + above) / 2;
  const Number power = middle >= 1 ? std::exp2(std::round(std::log2(middle))) : middle;
  const Number bound = power >= below && power < above ? power : std::floor(middle);
  return static_cast<std::int64_t>(std::clamp(bound, below, above - 1));
}

// Adds a question for each two neighbouring values of a measure.
void add_bounds(Problems problems, const std::function<Number(const Problem&)>& measure,
                const std::function<CoverSplit(Number below, Number above)>& split, std::vector<CoverSplit>& found) {
  std::set<Number> values;
  for (const Problem* const problem : problems) values.insert(measure(*problem));
  if (values.empty()) return;
  for (auto below = values.begin(), above = std::next(below); above != values.end(); ++below, ++above)
    found.push_back(split(*below, *above));
}

void add_sizes(Problems problems, const std::string& name, std::vector<CoverSplit>& found) {
  add_bounds(
      problems, [&](const Problem& problem) { return number(problem, name); },
      [&](Number below, Number above) { return CoverSplit{.a = name, .bound = bound_between(below, above)}; }, found);
}

void add_products(Problems problems, const std::string& a, const std::string& b, std::vector<CoverSplit>& found) {
  constexpr Number largest = 0x1p62;
  for (const Problem* const problem : problems)
    if (number(*problem, a) * number(*problem, b) >= largest) return;
  add_bounds(
      problems, [&](const Problem& problem) { return number(problem, a) * number(problem, b); },
      [&](Number below, Number above) { return CoverSplit{.a = a, .b = b, .bound = bound_between(below, above)}; },
      found);
}

// a <= r * c, where r is a power of two if one is between, else a fraction.
void add_shapes(Problems problems, const std::string& a, const std::string& c, std::vector<CoverSplit>& found) {
  for (const Problem* const problem : problems)
    if (number(*problem, a) < 1 || number(*problem, c) < 1) return;
  const auto split = [&](Number below, Number above) {
    const Number middle = std::sqrt(below * above), power = std::exp2(std::round(std::log2(middle)));
    const bool is_round = power >= below && power < above;
    const Number ratio = is_round ? power : middle, parts = is_round ? 1 : 64;
    CoverSplit made{.a = a, .c = c};
    (ratio >= 1 ? made.factor : made.bound) = std::llround(parts);
    (ratio >= 1 ? made.bound : made.factor) = std::llround(parts * std::max(ratio, 1 / ratio));
    return made;
  };
  add_bounds(
      problems, [&](const Problem& problem) { return number(problem, a) / number(problem, c); }, split, found);
}

// Accesses of several elements and whole tiles.
void add_multiples(const std::string& a, const std::string& b, std::vector<CoverSplit>& found) {
  for (const std::int64_t bound : {4, 16, 64})
    found.push_back({.kind = CoverSplit::Kind::multiple, .a = a, .b = b, .bound = bound});
}

void add_values(Problems problems, const std::string& name, std::vector<CoverSplit>& found) {
  std::vector<Value> values;
  for (const Problem* const problem : problems)
    if (std::ranges::find(values, problem->at(name)) == values.end()) values.push_back(problem->at(name));
  for (const Value& value : values) found.push_back({.kind = CoverSplit::Kind::equal, .a = name, .value = value});
}

bool tells_apart(Problems problems, const CoverSplit& split) {
  const bool first = split.holds(*problems.front());
  return std::ranges::any_of(problems, [&](const Problem* problem) { return split.holds(*problem) != first; });
}

}  // namespace

bool CoverSplit::holds(const Problem& problem) const {
  const Value& first = problem.at(a);
  if (kind == Kind::equal) return first == value;
  if (kind == Kind::multiple)
    return first.integer() % bound == 0 && (b.empty() || problem.at(b).integer() % bound == 0);
  const auto exact = [&](const std::string& name) {
    return name.empty() ? __int128{1} : static_cast<__int128>(problem.at(name).integer());
  };
  return factor * exact(a) * exact(b) <= bound * exact(c);
}

std::string quoted_name(const std::string& name) {
  const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
  return quote + name + quote;
}

std::string CoverSplit::text() const {
  if (kind == Kind::equal)
    return fmt::format("{} == {}", a, value.is_name() ? quoted_name(value.name()) : value.text());
  if (kind == Kind::multiple)
    return b.empty() ? fmt::format("{} % {} == 0", a, bound)
                     : fmt::format("{0} % {2} == 0 && {1} % {2} == 0", a, b, bound);
  std::string left = factor == 1 ? a : fmt::format("{} * {}", factor, a);
  if (!b.empty()) left += " * " + b;
  if (c.empty()) return fmt::format("{} <= {}", left, bound);
  return bound == 1 ? fmt::format("{} <= {}", left, c) : fmt::format("{} <= {} * {}", left, bound, c);
}

std::vector<CoverSplit> splits_of(Problems problems, SplitFamily family) {
  std::vector<CoverSplit> found;
  if (problems.size() < 2) return found;
  std::vector<std::string> sizes;
  for (const Binding& binding : *problems.front()) {
    if (binding.value.is_integer())
      sizes.push_back(binding.name);
    else
      add_values(problems, binding.name, found);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    add_sizes(problems, sizes[i], found);
    if (family == SplitFamily::multiples) add_multiples(sizes[i], "", found);
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      if (family == SplitFamily::multiples) add_multiples(sizes[i], sizes[j], found);
      if (family >= SplitFamily::products) add_products(problems, sizes[i], sizes[j], found);
      if (family == SplitFamily::shapes) add_shapes(problems, sizes[i], sizes[j], found);
    }
  }
  std::erase_if(found, [&](const CoverSplit& split) { return !tells_apart(problems, split); });
  return found;
}

}  // namespace attune
