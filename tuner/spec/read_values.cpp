// [values]: named expressions.
#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"
#include "spec/limits.hpp"
#include "spec/names.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

void refuse_later(const Document& document, const TomlNode& table, const TomlNode& member) {
  if (member.kind != TomlNode::Kind::string) return;
  const auto at = static_cast<std::size_t>(&member - table.children.data());
  const Expression written = document.expression(member, Literal::number_or_boolean);
  for (std::size_t later = at; later < table.children.size(); ++later) {
    const std::string& name = table.children[later].key;
    const auto& names = written.names();
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    document.fail(member, fmt::format("`{}` in `{}` is {}: a value may use those above it", name,
                                      shortened(written.text()), later == at ? "the value itself" : "a value below"));
  }
}

std::string what_it_is(const KernelSpec& spec, const std::string& name) {
  if (spec.find_problem(name) != nullptr) return "a problem name";
  if (spec.find_parameter(name) != nullptr) return "a parameter";
  return spec.find_argument(name) != nullptr ? "an argument" : "";
}

void refuse_in_entries(const Document& document, const std::vector<Step>& steps, const std::string& list) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& entry = steps[i].entry;
    const auto open = std::min(entry.find('<'), entry.size());
    with_names_replaced(
        std::string_view(entry).substr(open),
        [&](std::string_view name) {
          if (document.values().find(name) != nullptr)
            document.fail(Fault(fmt::format("{}[{}].entry", list, i),
                                fmt::format("`{}` in `{}` is a value: inside <...> stand names of the problem and of "
                                            "parameters; write its expression there, or make it a parameter",
                                            name, shortened(entry))));
          return std::string(name);
        },
        entry.size() + 1);
  }
}

}  // namespace

void read_values(Document& document, const TomlNode& table) {
  if (table.kind != TomlNode::Kind::table) document.fail_kind(table, "the table [values]");
  if (table.children.size() > max_entries)
    document.fail(table, fmt::format("{} entries; the most is {}", table.children.size(), max_entries));
  NamedValues values;
  for (const TomlNode& member : table.children) {
    refuse_later(document, table, member);
    values.add(member.key, document.expression(member, Literal::number_or_boolean));
    document.set_values(values);
  }
}

void refuse_misused_values(const Document& document, const KernelSpec& spec) {
  const TomlNode* const table = document.root().find("values");
  if (table == nullptr) return;
  const Allowed allowed{.parameters = true, .device = true, .subject = "a value"};
  for (const TomlNode& member : table->children) {
    const std::string place = "values." + member.key;
    try {
      require_new_name(member.key, "value", place);
      if (const std::string other = what_it_is(spec, member.key); !other.empty())
        throw key_fault(place, fmt::format("`{}` is {} already: each name has one meaning", member.key, other));
      require_known_names(spec, document.expression(member, Literal::number_or_boolean), allowed, place);
    } catch (const Fault& fault) {
      document.fail(fault);
    }
  }
  refuse_in_entries(document, spec.prepare, "prepare");
  refuse_in_entries(document, spec.launch, "launch");
  refuse_in_entries(document, spec.verify, "verify");
  refuse_in_entries(document, spec.reference, "reference");
}

}  // namespace attune
