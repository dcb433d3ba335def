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

// Adds the values of the section, each after those that it uses.
class ValuesInOrder {
 public:
  ValuesInOrder(Document& document, const std::vector<TomlNode>& members)
      : document_(document), members_(members), states_(members.size(), VisitState::unseen) {}

  // Adds a value, and before it those that it uses. Throws SpecError for values that use each other in a circle.
  void add(std::size_t value) {
    if (states_[value] == VisitState::added) return;
    if (states_[value] == VisitState::open) fail_circle(value);
    states_[value] = VisitState::open;
    path_.push_back(value);
    const TomlNode& member = members_[value];
    const Expression written = document_.written(member, Literal::number_or_boolean);
    for (const std::string& name : written.names())
      if (const auto used = std::ranges::find(members_, name, &TomlNode::key); used != members_.end())
        add(static_cast<std::size_t>(used - members_.begin()));
    values_.add(member.key, document_.expression(member, Literal::number_or_boolean));
    document_.set_values(values_);
    path_.pop_back();
    states_[value] = VisitState::added;
  }

 private:
  enum class VisitState { unseen, open, added };

  [[noreturn]] void fail_circle(std::size_t value) const {
    std::string uses;
    for (auto at = std::ranges::find(path_, value); at != path_.end(); ++at) {
      const std::size_t used = at + 1 == path_.end() ? value : *(at + 1);
      uses += fmt::format("{}`{}` uses `{}`", uses.empty() ? "" : ", ", members_[*at].key, members_[used].key);
    }
    document_.fail(members_[value], uses + ": a circle gives no value; write one of these without the next name");
  }

  Document& document_;
  const std::vector<TomlNode>& members_;
  std::vector<VisitState> states_;
  std::vector<std::size_t> path_;  // the values that are open, each of which uses the next
  NamedValues values_;
};

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
  ValuesInOrder values(document, table.children);
  for (std::size_t i = 0; i < table.children.size(); ++i) values.add(i);
}

void refuse_misused_values(const Document& document, const KernelSpec& spec) {
  const TomlNode* const table = document.root().find("values");
  if (table == nullptr) return;
  const AllowedNames allowed{.parameters = true, .device = true, .subject = "a value"};
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
