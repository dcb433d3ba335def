// [check], [metrics] and [compile].
#include <fmt/format.h>

#include "base/near_name.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

const std::vector<std::string> check_keys = {"absolute", "relative", "differing", "allow_nonfinite"};

Check check_of(const TomlSection& section) {
  Check check;
  check.absolute = section.expression("absolute", Literal::number);
  check.relative = section.expression("relative", Literal::number);
  check.differing = section.expression("differing", Literal::integer);
  check.allow_nonfinite = section.boolean("allow_nonfinite");
  return check;
}

// true, false, "parameters", "before", "parameters before".
void read_defines(const Document& document, const TomlNode& node, CompileOptions& compile) {
  if (node.kind == TomlNode::Kind::boolean) {
    compile.defines = node.boolean() ? Defines::all : Defines::none;
    return;
  }
  const std::string_view text = node.kind == TomlNode::Kind::string ? std::string_view(node.string()) : "";
  if (text != "parameters" && text != "before" && text != "parameters before")
    document.fail_kind(node, "true, false, \"parameters\", \"before\" or \"parameters before\"");
  compile.defines = text.starts_with("parameters") ? Defines::parameters : Defines::all;
  compile.defines_before = text.ends_with("before");
}

// "sm_90a", or "sm_90a if EXPRESSION".
void read_requires(const Document& document, const TomlNode& node, CompileOptions& compile) {
  constexpr std::string_view mark = " if ";
  const std::string& text = document.string(node);
  const std::size_t condition = text.find(mark);
  compile.requires_architecture = text.substr(0, condition);
  if (text.empty()) document.fail(node, "`requires` names an architecture, such as \"sm_90\"; leave it out for none");
  if (condition == std::string::npos) return;
  const std::size_t shift = condition + mark.size();
  try {
    compile.requires_where = document.values().expanded(Expression(std::string_view(text).substr(shift)));
  } catch (const ExpressionError& error) {
    document.fail_in_string(node, shift + error.offset, error.what());
  }
}

}  // namespace

void read_check(const Document& document, const TomlNode& table, KernelSpec& spec) {
  if (table.kind != TomlNode::Kind::table) document.fail_kind(table, "the table [check]");
  // A member that is a table is the check of one argument, whatever its name.
  TomlNode common = table;
  std::erase_if(common.children, [](const TomlNode& member) { return member.kind == TomlNode::Kind::table; });
  spec.check = check_of(TomlSection(document, common, "[check]", check_keys));
  for (const auto& member : table.children) {
    if (member.kind != TomlNode::Kind::table) continue;
    const auto name = fmt::format("[check.{}]", shortened(member.key));
    spec.argument_check[member.key] = check_of(TomlSection(document, member, name, check_keys));
  }
}

Metrics read_metrics(const Document& document, const TomlNode& table) {
  const TomlSection section(document, table, "[metrics]", {"bytes", "flops", "items", "unit"});
  return {section.expression("bytes", Literal::number), section.expression("flops", Literal::number),
          section.expression("items", Literal::number), section.string("unit").value_or("")};
}

CompileOptions read_compile(const Document& document, const TomlNode& table) {
  const TomlSection section(document, table, "[compile]", {"options", "defines", "requires", "host_code"});
  CompileOptions compile;
  compile.options = section.strings("options");
  if (const auto* node = section.find("defines")) read_defines(document, *node, compile);
  if (const auto* node = section.find("host_code")) {
    compile.ignores_host_code = document.string(*node) == "ignore";
    if (!compile.ignores_host_code) document.fail(*node, "`host_code` is \"ignore\"; leave it out to compile all code");
  }
  if (const auto* node = section.find("requires")) read_requires(document, *node, compile);
  return compile;
}

}  // namespace attune
