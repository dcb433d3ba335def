#include "space/stages/wide_prune.hpp"

#include <algorithm>

namespace attune::space {

std::vector<Hope> find_hopes(const WideTerms& terms) {
  const TermGraph& graph = terms.graph;
  std::vector<Hope> hopes;
  for (const TermId root : terms.roots) hopes.push_back({root, {}});
  for (TermId id = 0; id < graph.size(); ++id) {
    const Term& column = graph[id];
    if (column.op != TermOp::column) continue;
    const std::vector<Monotony> with = trends(graph, id);
    for (Hope& hope : hopes) {
      if (hope.root == no_term || with[hope.root] == Monotony::none) continue;
      const bool one_way = with[hope.root] != Monotony::mixed && column.kind == TermKind::whole;
      if (!one_way) hope.root = no_term;
      hope.columns.emplace_back(
          id, with[hope.root == no_term ? id : hope.root] == Monotony::rising ? column.range.high : column.range.low);
    }
  }
  std::erase_if(hopes, [](const Hope& hope) { return hope.root == no_term; });
  return hopes;
}

HopesOfStep::HopesOfStep(const std::vector<Hope>& hopes, const WideTerms& terms, const RuleScope& scope,
                         std::size_t step, std::size_t capacity)
    : frontier_(terms.frontier[step]) {
  const auto is_open = [&](TermId id) { return terms.known[id] > static_cast<int>(step); };
  for (const Hope& hope : hopes) {
    if (!is_open(hope.root)) continue;
    std::vector<TermId> given = frontier_;
    for (const auto& [column, best] : hope.columns) {
      if (is_open(column)) given.push_back(column);
    }
    Open open{hope.root, TermProgram(terms.graph, scope, std::span(&hope.root, 1), given, capacity)};
    for (const auto& [column, best] : hope.columns) {
      std::int64_t* const input = is_open(column) ? open.program.input(column) : nullptr;
      if (input != nullptr) std::fill_n(input, capacity, best);
    }
    open_.push_back(std::move(open));
  }
}

void HopesOfStep::settle(const TermProgram& ran, std::size_t count, std::int64_t* alive) {
  for (Open& open : open_) {
    for (const TermId id : frontier_) {
      std::int64_t* const input = open.program.input(id);
      if (input != nullptr) std::copy_n(ran.output(id), count, input);
    }
    open.program.run(count);
    const std::int64_t* const holds = open.program.output(open.root);
    for (std::size_t i = 0; i < count; ++i) alive[i] = holds[i] == 0 ? 0 : alive[i];
  }
}

}  // namespace attune::space
