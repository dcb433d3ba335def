#include "space/stages/table.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "expression/arithmetic.hpp"
#include "space/stages/row_set.hpp"
#include "space/stages/term_builder.hpp"
#include "space/stages/term_program.hpp"

namespace attune::space {
namespace {

// Returns the stride of each variable in the table: how far apart its neighbouring values lie.
std::vector<std::size_t> strides_of(const std::vector<std::size_t>& widths) {
  std::vector<std::size_t> strides(widths.size());
  std::size_t stride = 1;
  for (std::size_t i = widths.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= widths[i];
  }
  return strides;
}

// Writes the values that a column has in the combinations first, first + 1, ...
void spread(const std::vector<std::int64_t>& column, std::size_t stride, std::size_t first, std::size_t count,
            std::int64_t* out) {
  if (stride == 1) {
    for (std::size_t i = 0, from = first % column.size(); i < count; from = 0) {
      const std::size_t run = std::min(column.size() - from, count - i);
      std::copy_n(column.data() + from, run, out + i);
      i += run;
    }
    return;
  }
  std::size_t value = first / stride % column.size(), left = stride - first % stride;
  for (std::size_t i = 0; i < count;) {
    const std::size_t run = std::min(left, count - i);
    std::fill_n(out + i, run, column[value]);
    i += run;
    left = stride;
    if (++value == column.size()) value = 0;
  }
}

// A leaf of the program: a column and the stride of its variable.
struct Leaf {
  TermId term;
  std::size_t stride;
};

std::vector<Leaf> leaves_of(const TermGraph& graph, const Table& table) {
  const auto strides = strides_of(table.widths);
  std::vector<Leaf> leaves;
  for (TermId id = 0; id < graph.size(); ++id) {
    if (graph[id].op != TermOp::column) continue;
    const auto at = std::lower_bound(table.variables.begin(), table.variables.end(), graph[id].variable);
    leaves.push_back({id, strides[static_cast<std::size_t>(at - table.variables.begin())]});
  }
  return leaves;
}

// Up to this many combinations the expression evaluator is faster than making terms.
constexpr std::size_t few_combinations = 16;

void evaluate_each(const Clause& clause, const RuleScope& scope, Table& table) {
  const ParsedExpression& parsed = parsed_of((*scope.rules)[clause.rule].expression);
  const RuleNames& names = scope.names[clause.rule];
  const auto strides = strides_of(table.widths);
  std::vector<const Value*> values;
  for (const auto& name : names) values.push_back(name.constant);
  for (std::size_t i = 0; i < table.allowed.size(); ++i) {
    for (std::size_t name = 0; name < names.size(); ++name) {
      const auto at = std::lower_bound(table.variables.begin(), table.variables.end(), names[name].variable);
      if (at == table.variables.end() || *at != names[name].variable) continue;
      const auto k = static_cast<std::size_t>(at - table.variables.begin());
      values[name] = &scope.variables[static_cast<std::size_t>(*at)].value(i / strides[k] % table.widths[k]);
    }
    const Operand cell = arithmetic::truth(evaluate_node(parsed, clause.node, values, scope.device));
    table.allowed[i] = !cell.is_undefined() && (cell.integer != 0) != clause.negated ? 1 : 0;
  }
}

}  // namespace

bool Table::all() const { return std::find(allowed.begin(), allowed.end(), std::uint8_t{0}) == allowed.end(); }

std::size_t combinations(const RuleScope& scope, const std::vector<int>& variables) {
  std::size_t product = 1;
  for (const int variable : variables) {
    const bool overflows =
        __builtin_mul_overflow(product, scope.variables[static_cast<std::size_t>(variable)].width(), &product);
    if (overflows) return std::numeric_limits<std::size_t>::max();
  }
  return product;
}

Table tabulate(const Clause& clause, const RuleScope& scope, NameNumbers& numbers) {
  Table table{clause.variables, {}, {}};
  for (const int variable : clause.variables)
    table.widths.push_back(scope.variables[static_cast<std::size_t>(variable)].width());
  const std::size_t count = combinations(scope, clause.variables);
  if (count <= few_combinations) {
    table.allowed.resize(count);
    evaluate_each(clause, scope, table);
    return table;
  }
  TermGraph graph;
  const TermId root = TermBuilder(graph, numbers, scope).truth(clause.rule, clause.node, clause.negated);
  if (graph.is_constant(root)) {
    table.allowed.assign(count, graph[root].constant != 0 ? 1 : 0);
    return table;
  }
  if (graph[root].op == TermOp::column && clause.variables.size() == 1) {
    table.allowed.assign(graph.column(root).begin(), graph.column(root).end());
    return table;
  }
  const auto leaves = leaves_of(graph, table);
  std::vector<TermId> given;
  for (const auto& leaf : leaves) given.push_back(leaf.term);
  TermProgram program(graph, scope, std::span(&root, 1), given, std::min(count, TermProgram::block));
  table.allowed.resize(count);
  for (std::size_t first = 0; first < count; first += TermProgram::block) {
    const std::size_t now = std::min(TermProgram::block, count - first);
    for (const auto& [term, stride] : leaves) {
      if (std::int64_t* const input = program.input(term)) spread(graph.column(term), stride, first, now, input);
    }
    program.run(now);
    const std::int64_t* const holds = program.output(root);
    for (std::size_t i = 0; i < now; ++i) table.allowed[first + i] = static_cast<std::uint8_t>(holds[i]);
  }
  return table;
}

void intersect(Table& table, const Table& part) {
  const auto part_strides = strides_of(part.widths);
  std::vector<std::size_t> steps(table.variables.size()), digits(table.variables.size());
  for (std::size_t i = 0; i < part.variables.size(); ++i) {
    const auto at = std::lower_bound(table.variables.begin(), table.variables.end(), part.variables[i]);
    steps[static_cast<std::size_t>(at - table.variables.begin())] = part_strides[i];
  }
  std::size_t from = 0;
  const std::size_t last = table.widths.size() - 1, width = table.widths[last], step = steps[last];
  for (std::size_t first = 0; first < table.allowed.size(); first += width) {
    for (std::size_t i = 0; i < width; ++i) table.allowed[first + i] &= part.allowed[from + i * step];
    for (std::size_t k = last; k-- > 0;) {  // the next combination of all but the last variable
      from += steps[k];
      if (++digits[k] < table.widths[k]) break;
      from -= steps[k] * table.widths[k];
      digits[k] = 0;
    }
  }
}

std::vector<bool> supported(const Table& table, std::size_t at) {
  const std::size_t stride = strides_of(table.widths)[at], width = table.widths[at];
  std::vector<bool> seen(width);
  std::size_t unseen = width;
  for (std::size_t first = 0; first < table.allowed.size() && unseen > 0; first += stride * width) {
    for (std::size_t value = 0; value < width; ++value) {
      if (seen[value] || std::memchr(table.allowed.data() + first + value * stride, 1, stride) == nullptr) continue;
      seen[value] = true;
      --unseen;
    }
  }
  return seen;
}

void restrict_values(Table& table, std::size_t at, const std::vector<bool>& kept) {
  const std::size_t stride = strides_of(table.widths)[at], width = table.widths[at];
  std::size_t to = 0;
  for (std::size_t first = 0; first < table.allowed.size(); first += stride) {
    if (!kept[first / stride % width]) continue;
    std::copy_n(table.allowed.begin() + static_cast<std::ptrdiff_t>(first), stride,
                table.allowed.begin() + static_cast<std::ptrdiff_t>(to));
    to += stride;
  }
  table.allowed.resize(to);
  table.widths[at] = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
}

namespace {

// Returns the table with its variables in the order of their levels.
std::vector<std::uint8_t> in_order(const Table& table, const std::vector<std::size_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return table.allowed;
  const auto strides = strides_of(table.widths);
  std::vector<std::uint8_t> result(table.allowed.size());
  std::vector<std::size_t> digits(order.size());
  std::size_t from = 0;
  const std::size_t last = order.size() - 1, width = table.widths[order[last]], step = strides[order[last]];
  for (std::size_t first = 0; first < result.size(); first += width) {
    for (std::size_t i = 0; i < width; ++i) result[first + i] = table.allowed[from + i * step];
    for (std::size_t k = last; k-- > 0;) {
      from += strides[order[k]];
      if (++digits[k] < table.widths[order[k]]) break;
      from -= strides[order[k]] * table.widths[order[k]];
      digits[k] = 0;
    }
  }
  return result;
}

}  // namespace

Automaton automaton_of(const Table& table, const std::vector<std::uint32_t>& level_of) {
  std::vector<std::size_t> order(table.variables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto level = [&](std::size_t i) { return level_of[static_cast<std::size_t>(table.variables[i])]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return level(a) < level(b); });
  Automaton automaton;
  for (const std::size_t i : order) {
    automaton.levels.push_back(level(i));
    automaton.widths.push_back(static_cast<std::uint32_t>(table.widths[i]));
  }
  automaton.next.resize(order.size() - 1);
  std::vector<std::uint32_t> states = last_states(in_order(table, order), automaton.widths.back(), automaton);
  for (std::size_t step = order.size() - 1; step-- > 0;) {
    const std::size_t width = automaton.widths[step];
    RowSet rows(width);
    std::vector<std::uint32_t> before(states.size() / width);
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = state_of_row(states.data() + i * width, width, rows);
    automaton.next[step] = rows.take();
    states = std::move(before);
  }
  automaton.start = states.front();
  return automaton;
}

}  // namespace attune::space
