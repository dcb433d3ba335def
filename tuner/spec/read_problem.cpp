// [kernel], [problem] and [restrictions].
#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

using Kind = TomlNode::Kind;

constexpr std::string_view problem_forms =
    "\"size\", \"integer\", a list of type names, or a table such as { size = 8192, host = 1024 } or { choice = [...] "
    "}";
const std::vector<std::string> kind_names = {"size", "integer"};
// Device kinds that a default may be for: DeviceInfo::kind.
const std::vector<std::string> device_kinds = {"cuda", "host", "replay"};

// { choice = ["Op::sum", "Op::min"] }
ProblemParameter choice_table(const Document& document, const TomlNode& node) {
  const TomlSection section(document, node, fmt::format("[problem] {}", node.key), {"choice"});
  ProblemParameter entry;
  entry.kind = ProblemKind::choice;
  for (const auto& element :
       document.array(section.need("choice"), "a list of names, such as [\"Op::sum\", \"Op::min\"]"))
    entry.choices.push_back(document.string(element, "a name in quotes"));
  return entry;
}

// { size = 8192, host = 1024 }
ProblemParameter problem_table(const Document& document, const TomlNode& node) {
  if (node.find("choice") != nullptr) return choice_table(document, node);
  std::vector<std::string> known = kind_names;
  known.emplace_back("choice");
  known.insert(known.end(), device_kinds.begin(), device_kinds.end());
  const TomlSection section(document, node, fmt::format("[problem] {}", node.key), known);
  ProblemParameter entry;
  int kinds = 0;
  for (const auto& member : node.children) {
    if (member.kind != Kind::integer) document.fail_kind(member, "an integer, the default");
    if (member.key == "size" || member.key == "integer") {
      ++kinds;
      entry.kind = member.key == "size" ? ProblemKind::size : ProblemKind::integer;
      entry.default_value = member.integer();
    } else {
      entry.device_default[member.key] = member.integer();
    }
  }
  if (kinds != 1) {
    document.fail(node,
                  fmt::format("`{}` needs either `size` or `integer`, with the default: {{ size = 8192 }}; or `choice`",
                              node.key));
  }
  return entry;
}

ProblemParameter problem_entry(const Document& document, const TomlNode& node) {
  ProblemParameter entry;
  if (node.kind == Kind::table) {
    entry = problem_table(document, node);
  } else if (node.kind == Kind::array) {
    entry.kind = ProblemKind::type;
    for (const auto& element : node.children) entry.types.push_back(document.string(element, "a type name in quotes"));
  } else {
    const auto& word = document.string(node, problem_forms);
    if (word != "size" && word != "integer") {
      document.fail(
          node, fmt::format("expected {}, found `{}`{}", problem_forms, shortened(word), suggestion(word, kind_names)));
    }
    entry.kind = word == "size" ? ProblemKind::size : ProblemKind::integer;
  }
  entry.name = node.key;
  return entry;
}

bool read_empty(const Document& document, const TomlSection& section) {
  constexpr std::string_view only = "\"nothing\": a plan for a problem with a size of 0 then launches nothing";
  const TomlNode* const node = section.find("empty");
  if (node == nullptr) return false;
  const std::string& word = document.string(*node, only);
  if (word != "nothing") document.fail(*node, fmt::format("expected {}, found `{}`", only, shortened(word)));
  return true;
}

}  // namespace

void read_kernel(const Document& document, const TomlNode& table, KernelSpec& spec) {
  const TomlSection section(document, table, "[kernel]", {"name", "summary", "deterministic", "empty", "include"});
  spec.name = document.string(section.need("name"));
  spec.summary = section.string("summary").value_or("");
  spec.deterministic = section.expression("deterministic", Literal::boolean);
  spec.may_be_empty = read_empty(document, section);
}

std::vector<ProblemParameter> read_problem(const Document& document, const TomlNode& table) {
  if (table.kind != Kind::table) document.fail_kind(table, "the table [problem]");
  std::vector<ProblemParameter> problem;
  for (const auto& member : table.children) problem.push_back(problem_entry(document, member));
  return problem;
}

std::vector<Expression> read_restrictions(const Document& document, const TomlNode& table) {
  const TomlSection section(document, table, "[restrictions]", {"rules"});
  section.need("rules");
  return section.expressions("rules", Literal::none);
}

}  // namespace attune
