// Spaces and made-up kernels on which strategies are driven in tests.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "attune/strategy.hpp"

namespace attune {

using Measure = std::function<Outcome(RowView)>;

// 264 legal configurations of 864.
inline SearchSpace small_space() {
  return SearchSpace({{"X", {1, 2, 4, 8, 16, 32, 64, 128}},
                      {"Y", {1, 2, 4, 8, 16, 32}},
                      {"UNROLL", {0, 1, 2}},
                      {"TILE", {1, 2, 4}},
                      {"PAD", {0, 1}}},
                     {"X * Y >= 32", "X * Y <= 128", "UNROLL == 0 or TILE % UNROLL == 0", "PAD == 0 or X < 64"});
}

// About 10^20 configurations of 10^24.
inline SearchSpace huge_space() {
  std::vector<Value> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"})
    parameters.push_back({name, values});
  return SearchSpace(std::move(parameters), {"A + B < 50", "C % (D + 1) == 0", "E * F == 0 or G > 90", "H < I"});
}

// Of two rules, the first is too large for the budget: it is checked one configuration at a time.
struct RelaxedSpace {
  std::vector<Value> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<Parameter> parameters = {{"A", values}, {"B", values}, {"C", values}, {"D", values}, {"E", values}};
  std::vector<Rule> rules = {{Expression("(37 * A + 91 * B * B + 53 * C * A + 31 * D * E) % 1009 < 8"), false},
                             {Expression("A < 4"), false}};
  SpaceBudget tiny = {.nodes = 30, .bytes = 1 << 16, .steps = 100};
  SearchSpace space = SearchSpace::relaxed(parameters, rules, nullptr, nullptr, tiny);
  SearchSpace whole = SearchSpace(parameters, rules);
};

// A bowl in value positions with its optimum, 1, in the middle of the parameters' values, or as near as the rules
// allow; one in seven fails. Slower by 3 % per step away, squared.
inline Outcome bowl(const SearchSpace& space, RowView row) {
  double exponent = 0;
  std::size_t hash = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double middle = static_cast<double>(space.parameters()[i].values.size() - 1) * 0.6;
    exponent += 0.03 * (row[i] - middle) * (row[i] - middle);
    hash = hash * 31 + row[i];
  }
  if (hash % 7 == 3) return {false, 0, 0.5};
  return {true, std::exp(exponent), 1};
}

inline std::set<Row> all_rows(const SearchSpace& space) {
  std::set<Row> rows;
  space.for_each([&](RowView row) {
    rows.emplace(row.begin(), row.end());
    return true;
  });
  return rows;
}

// What is proposed, in order, with `ahead` proposals out before the first is told; those out are told in random order.
inline std::vector<Row> drive(Strategy& strategy, const Measure& measure, std::size_t most, std::size_t ahead = 1) {
  std::vector<Row> proposed, out;
  std::mt19937_64 random(5);
  for (;;) {
    while (out.size() < ahead && proposed.size() < most) {
      const auto row = strategy.ask();
      if (!row) break;
      proposed.push_back(*row);
      out.push_back(*row);
    }
    if (out.empty()) return proposed;
    const auto late = static_cast<std::size_t>(uniform_below(out.size(), random));
    std::swap(out[late], out.back());
    strategy.tell(out.back(), measure(out.back()));
    out.pop_back();
  }
}

}  // namespace attune
