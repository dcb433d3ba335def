#include "exports/cover_code.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "exports/cpp_text.hpp"
#include "expression/node.hpp"

namespace attune {
namespace {

using TreeNode = Expression::Node;

// Returns the part of a tree below a node as an expression.
Expression part_of(const Expression& tree, const TreeNode& node) {
  return Expression(std::string_view(tree.text()).substr(node.begin, node.end - node.begin));
}

std::uint32_t root_of(const Expression& tree) { return static_cast<std::uint32_t>(parsed_of(tree).nodes.size() - 1); }

bool has_constant_answers(const Expression& tree, std::uint32_t place) {
  const TreeNode& node = parsed_of(tree).nodes[place];
  if (node.operation == NodeKind::conditional)
    return has_constant_answers(tree, node.operands[1]) && has_constant_answers(tree, node.operands[2]);
  const auto result = part_of(tree, node).evaluate(Scope{});
  return std::holds_alternative<Value>(result) && std::get<Value>(result).is_integer();
}

// Writes the tree of a cover: an if for each question, with what follows from yes in it, and from no behind it.
class TreeWriter {
 public:
  TreeWriter(const TableCover& cover, ExpressionCode& expressions)
      : cover_(cover), tree_(cover.cover.tree), expressions_(expressions) {}

  std::string run() { return branch(root_of(tree_), 1); }

 private:
  std::string branch(std::uint32_t place, std::size_t depth) {
    const TreeNode& node = parsed_of(tree_).nodes[place];
    const std::string indent(2 * depth, ' ');
    if (node.operation != NodeKind::conditional) return fmt::format("{}return {};\n", indent, answer(node));
    const Expression question = part_of(tree_, parsed_of(tree_).nodes[node.operands[0]]);
    const std::string name = fmt::format("q{}", place), call = expressions_.call(question);
    return fmt::format(
               "{0}const Value {1} = truth({2});  // {3}\n{0}if (is_undefined({1})) return cover_silent;\n"
               "{0}if ({1}.integer != 0) {{\n",
               indent, name, call, cpp_comment(question.text())) +
           branch(node.operands[1], depth + 1) + indent + "}\n" + branch(node.operands[2], depth);
  }

  std::string answer(const TreeNode& node) const {
    const std::int64_t answer = part_of(tree_, node).integer({}, "tree");
    if (answer == cover_default) return "cover_default";
    const bool is_place = answer >= 0 && answer < static_cast<std::int64_t>(cover_.positions.size());
    const auto position = is_place ? cover_.positions[static_cast<std::size_t>(answer)] : std::nullopt;
    return position ? std::to_string(*position) : "cover_silent";
  }

  const TableCover& cover_;
  const Expression tree_;
  ExpressionCode& expressions_;
};

std::string row_of(const Cover& cover) {
  const std::string why = fmt::format(
      "by a cover, made of {} on {}: {:.1f} % slower than the best is expected, {:.1f} % at worst",
      counted(cover.problems, "measured problem"), cover.device_name, 100 * cover.mean_loss, 100 * cover.worst_loss);
  return fmt::format("    {{{}, {}}},  // {}\n", cpp_string(cover.key.device_class), cpp_string(why),
                     cpp_comment(cover.measured));
}

}  // namespace

bool is_exportable(const Cover& cover) {
  try {
    const Expression tree(cover.tree), measured(cover.measured);
    return has_constant_answers(tree, root_of(tree));
  } catch (const ExpressionError&) {
    return false;
  }
}

std::string covers_code(const ExportTables& tables, ExpressionCode& expressions) {
  constexpr const char* parameters =
      "[[maybe_unused]] const Problem& p, [[maybe_unused]] const Configuration& c,\n"
      "                      [[maybe_unused]] const Device& d";
  std::string rows, functions, answers, measured;
  for (std::size_t i = 0; i < tables.covers.size(); ++i) {
    const TableCover& cover = tables.covers[i];
    rows += row_of(cover.cover);
    functions +=
        fmt::format("constexpr int cover_{}({}) {{\n{}}}\n\n", i, parameters, TreeWriter(cover, expressions).run());
    answers += fmt::format("  if (cover == {0}) return cover_{0}(p, {{}}, d);\n", i);
    measured += fmt::format(
        "  if (cover == {}) {{\n    [[maybe_unused]] const Configuration c{{}};\n    return holds({});\n  }}\n", i,
        expressions.call(Expression(cover.cover.measured)));
  }
  if (rows.empty()) rows = "    {\"\", \"\"},  // not counted\n";
  constexpr const char* one =
      "[[maybe_unused]] int cover, [[maybe_unused]] const Problem& p, [[maybe_unused]] const Device& d";
  return fmt::format("inline constexpr int cover_count = {};\ninline constexpr Cover covers[] = {{\n{}}};\n\n",
                     tables.covers.size(), rows) +
         functions +
         fmt::format(
             "// Returns the position of a configuration, cover_default or cover_silent.\n"
             "constexpr int cover_answer({0}) {{\n{1}  return cover_silent;\n}}\n\n"
             "// Whether the sizes of the problem lie between those that were measured.\n"
             "constexpr bool is_measured({0}) {{\n{2}  return false;\n}}\n\n",
             one, answers, measured);
}

}  // namespace attune
