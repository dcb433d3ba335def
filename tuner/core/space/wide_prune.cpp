#include "core/space/wide_prune.hpp"

#include <algorithm>

namespace attune::space {
namespace {

// Fewer states are expanded before they are asked about.
constexpr std::size_t few_states = 64;

template <typename Value>
void keep(std::vector<Value>& values, const std::vector<std::uint32_t>& numbers, std::size_t left) {
  if (values.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (numbers[i] != no_state) values[numbers[i]] = values[i];
  }
  values.resize(left);
}

}  // namespace

HopelessStates::HopelessStates(const WideTerms& terms, const RuleScope& scope) : terms_(terms), scope_(scope) {
  const TermGraph& graph = terms.graph;
  for (const TermId root : terms.roots) hopes_.push_back({root, {}});
  for (TermId id = 0; id < graph.size(); ++id) {
    const Term& column = graph[id];
    if (column.op != TermOp::column) continue;
    const std::vector<Trend> with = trends(graph, id);
    for (Hope& hope : hopes_) {
      if (hope.root == no_term || with[hope.root] == Trend::none) continue;
      const bool one_way = with[hope.root] != Trend::mixed && column.kind == TermKind::whole;
      if (!one_way) hope.root = no_term;
      hope.columns.emplace_back(
          id, with[hope.root == no_term ? id : hope.root] == Trend::rising ? column.range.high : column.range.low);
    }
  }
  std::erase_if(hopes_, [](const Hope& hope) { return hope.root == no_term; });
}

std::vector<std::uint8_t> HopelessStates::hopeless(std::size_t step, const StateValues& states) const {
  std::vector<std::uint8_t> result(states.count);
  const std::vector<TermId>& frontier = terms_.frontier[step];
  for (const Hope& hope : hopes_) {
    if (terms_.known[hope.root] <= static_cast<int>(step)) continue;
    std::vector<TermId> given = frontier;
    for (const auto& [column, best] : hope.columns) {
      if (terms_.known[column] > static_cast<int>(step)) given.push_back(column);
    }
    TermProgram program(terms_.graph, scope_, std::span(&hope.root, 1), given,
                        std::min(states.count, TermProgram::block));
    for (const auto& [column, best] : hope.columns) {
      std::int64_t* const input = terms_.known[column] > static_cast<int>(step) ? program.input(column) : nullptr;
      if (input != nullptr) std::fill_n(input, std::min(states.count, TermProgram::block), best);
    }
    for (std::size_t first = 0; first < states.count; first += TermProgram::block) {
      const std::size_t now = std::min(TermProgram::block, states.count - first);
      for (std::size_t k = 0; k < frontier.size(); ++k) {
        std::int64_t* const input = program.input(frontier[k]);
        if (input != nullptr) std::copy_n(states.known[k].data() + first, now, input);
      }
      program.run(now);
      const std::int64_t* const holds = program.output(hope.root);
      for (std::size_t i = 0; i < now; ++i) result[first + i] |= holds[i] == 0 ? 1 : 0;
    }
  }
  return result;
}

void HopelessStates::drop(std::size_t step, StateValues& states, std::vector<std::uint32_t>& children) const {
  if (hopes_.empty() || states.count < few_states || step + 1 == terms_.frontier.size()) return;
  const std::vector<std::uint8_t> dropped = hopeless(step, states);
  std::vector<std::uint32_t> numbers(states.count, no_state);
  std::uint32_t left = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (dropped[i] == 0) numbers[i] = left++;
  }
  if (left == states.count) return;
  for (std::uint32_t& child : children) child = child == no_state ? no_state : numbers[child];
  for (auto& values : states.known) keep(values, numbers, left);
  for (auto& values : states.guards) keep(values, numbers, left);
  states.count = left;
}

}  // namespace attune::space
