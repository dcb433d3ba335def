// attune space --why: a whole configuration, or some of its values.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/counted.hpp"
#include "base/near_name.hpp"
#include "command.hpp"
#include "configuration_text.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "space_views.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

const Parameter& parameter_named(const AskedSpace& asked, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : asked.space.parameters()) {
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw UsageError(fmt::format("--why: {} has no parameter `{}`{}", asked.name, name, suggestion(name, names)));
}

double number_of(const Value& value) { return value.is_real() ? value.real() : static_cast<double>(value.integer()); }

// Returns whether both are equal, or one number (1 for 1.0), or one truth value (True for true).
bool means(const Value& wished, const Value& listed) {
  const auto is_number = [](const Value& value) { return value.is_integer() || value.is_real(); };
  if (is_number(wished) && is_number(listed) && wished.kind() != listed.kind())
    return number_of(wished) == number_of(listed);
  if (wished.is_name() && listed.is_boolean()) return wished.name() == (listed.boolean() ? "True" : "False");
  return wished == listed;
}

// Returns the wished values as listed, in the order of the parameters.
Bindings read_wish(const AskedSpace& asked, const std::string& text) {
  const Bindings given = parse_bindings(text);
  if (given.empty()) throw UsageError("--why takes values of parameters: --why \"A=1 B=2\"");
  for (const Binding& item : given) {
    const Parameter& parameter = parameter_named(asked, item.name);
    if (std::ranges::none_of(parameter.values, [&](const Value& listed) { return means(item.value, listed); }))
      throw UsageError(fmt::format("--why: `{}={}`: the parameter lists {}", item.name, item.value.text(),
                                   joined_values(parameter.values)));
  }
  Bindings wish;
  for (const Parameter& parameter : asked.space.parameters()) {
    const Value* const wished = given.find(parameter.name);
    if (wished == nullptr) continue;
    wish.set(parameter.name,
             *std::ranges::find_if(parameter.values, [&](const Value& listed) { return means(*wished, listed); }));
  }
  return wish;
}

// Returns the space with the wished values alone.
SearchSpace narrowed(const SearchSpace& space, const Bindings& wish) {
  std::vector<Parameter> parameters = space.parameters();
  for (Parameter& parameter : parameters) {
    if (const Value* const wished = wish.find(parameter.name)) parameter.values = {*wished};
  }
  return SearchSpace::relaxed(std::move(parameters), space.rules(), &space.problem(), space.device());
}

struct SpaceAnswer {
  Bindings wish;
  bool whole = false;                    // the wish names every parameter
  SpaceSize matching = 0;                // legal configurations with these values
  bool exact = true;                     // or an upper bound
  std::optional<Configuration> example;  // a legal one among them
  std::vector<std::string> broken;       // of a whole wish that is not legal: the rules, with the values put in
  std::vector<std::string> together;     // of a part: rules that together forbid it
  std::optional<Configuration> nearest;  // legal; set where there is no example
};

SpaceAnswer answer(const SearchSpace& space, Bindings wish) {
  SpaceAnswer found;
  found.whole = wish.size() == space.parameters().size();
  const SearchSpace with_wish = narrowed(space, wish);
  found.matching = with_wish.size();
  found.exact = with_wish.exact();
  found.example = with_wish.nearest(wish);
  if (!found.example) found.nearest = space.nearest(wish);
  if (found.whole) {
    found.broken = space.broken_rules(wish);
  } else if (const auto core = empty_core(with_wish)) {
    for (const std::size_t rule : core->rules) found.together.push_back(space.rules()[rule].expression.text());
  }
  found.wish = std::move(wish);
  return found;
}

std::string index_text(const SearchSpace& space, const Configuration& configuration) {
  const auto index = space.index_of(configuration);
  return index ? to_text(*index) : "?";
}

void show_nearest(const SearchSpace& space, const SpaceAnswer& found) {
  if (!found.nearest) {
    put_text("  {}\n", space.empty() ? "no configuration is legal at all; see --audit"
                                     : "no legal configuration was found near it");
    return;
  }
  put_text("  the nearest legal configuration, index {}, differs in\n", index_text(space, *found.nearest));
  for (const Binding& wished : found.wish) {
    const Value& value = found.nearest->at(wished.name);
    if (value != wished.value) put_text("    {}: {} instead of {}\n", wished.name, value.text(), wished.value.text());
  }
  put_text("{}", indented_line(whole_text(*found.nearest)));
}

void show_text(const AskedSpace& asked, const SpaceAnswer& found) {
  put_text("{}\n", in_lines(found.wish.text(), 2));
  if (found.whole && found.example) {
    put_text("  is legal: index {} of {}\n", index_text(asked.space, *found.example), size_text(asked.space));
    return;
  }
  if (found.example) {
    put_text("  {}{} {} with {}, for instance index {}\n  {}\n", found.exact ? "" : "at most ",
             count_text(found.matching), plural(found.matching == 1, "legal configuration"),
             found.wish.size() == 1 ? "this value" : "these values", index_text(asked.space, *found.example),
             in_lines(whole_text(*found.example), 2));
    return;
  }
  if (found.whole)
    put_text("  is not legal: it breaks\n");
  else if (found.matching == 0)
    put_text("  no legal configuration has {}; {}\n", found.wish.size() == 1 ? "this value" : "these values",
             found.together.size() == 1 ? "this rule forbids it" : "these rules together forbid it");
  else
    put_text("  no legal configuration with {} was found\n", found.wish.size() == 1 ? "this value" : "these values");
  for (const std::string& rule : found.whole ? found.broken : found.together) put_text("    {}\n", in_lines(rule, 6));
  show_nearest(asked.space, found);
}

Json place_json(const SearchSpace& space, const std::optional<Configuration>& configuration) {
  if (!configuration) return nullptr;
  Json item;
  item["index"] = index_text(space, *configuration);
  item["configuration"] = to_json(*configuration);
  return item;
}

Json answer_json(const AskedSpace& asked, const SpaceAnswer& found) {
  Json line = space_json(asked, "why");
  line["values"] = to_json(found.wish);
  line["whole"] = found.whole;
  line["matching"] = to_text(found.matching);
  line["matching_exact"] = found.exact;
  line["example"] = place_json(asked.space, found.example);
  line["broken"] = found.broken;
  line["together"] = found.together;
  line["nearest"] = place_json(asked.space, found.nearest);
  return line;
}

}  // namespace

int show_why(const AskedSpace& asked, const std::string& wished, bool json) {
  const SpaceAnswer found = answer(asked.space, read_wish(asked, wished));
  if (json)
    print_json(answer_json(asked, found));
  else
    show_text(asked, found);
  return exit_done;
}

}  // namespace attune::cli
