// [check], [metrics] and [compile].
#include <fmt/format.h>

#include "core/near_name.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

const std::vector<std::string> check_keys = {"absolute", "relative", "allow_nonfinite"};

Check check_of(const Section& section) {
  Check check;
  check.absolute = section.expression("absolute", Literal::number);
  check.relative = section.expression("relative", Literal::number);
  check.allow_nonfinite = section.boolean("allow_nonfinite");
  return check;
}

}  // namespace

void read_check(const Document& document, const TomlNode& table, KernelSpec& spec) {
  if (table.kind != TomlNode::Kind::table) document.fail_kind(table, "the table [check]");
  // A member that is a table is an argument's own check, whatever its name.
  TomlNode common = table;
  std::erase_if(common.children, [](const TomlNode& member) { return member.kind == TomlNode::Kind::table; });
  spec.check = check_of(Section(document, common, "[check]", check_keys));
  for (const auto& member : table.children) {
    if (member.kind != TomlNode::Kind::table) continue;
    const auto name = fmt::format("[check.{}]", shortened(member.key));
    spec.argument_check[member.key] = check_of(Section(document, member, name, check_keys));
  }
}

Metrics read_metrics(const Document& document, const TomlNode& table) {
  const Section section(document, table, "[metrics]", {"bytes", "flops"});
  return {section.expression("bytes", Literal::number), section.expression("flops", Literal::number)};
}

CompileOptions read_compile(const Document& document, const TomlNode& table) {
  const Section section(document, table, "[compile]", {"options", "defines", "requires"});
  return {section.strings("options"), section.boolean("defines").value_or(false),
          section.string("requires").value_or("")};
}

}  // namespace attune
