// attune space: the default view, --count, and common parts of all views.
#include "space_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/counted.hpp"
#include "command.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_values_shown = 64;
constexpr SpaceSize saturated = ~SpaceSize{0};

bool occurs(const SearchSpace& space, std::size_t parameter, std::size_t value) {
  return std::ranges::binary_search(space.values_left(parameter), value);
}

// Returns "1, 2, (3)": parentheses mark values that occur in no legal configuration.
std::string values_text(const SearchSpace& space, std::size_t parameter) {
  const std::vector<Value>& values = space.parameters()[parameter].values;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most_values_shown); ++i) {
    text += text.empty() ? "" : ", ";
    text += space.empty() || occurs(space, parameter, i) ? values[i].text() : "(" + values[i].text() + ")";
  }
  if (values.size() > most_values_shown) text += fmt::format(", ... ({} more)", values.size() - most_values_shown);
  return text;
}

void show_parameters(const SearchSpace& space) {
  bool any_never = false;
  std::size_t width = 16;
  for (const Parameter& parameter : space.parameters()) width = std::max(width, parameter.name.size() + 2);
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    any_never |= !space.empty() && space.values_left(i).size() < space.parameters()[i].values.size();
    put_text("  {:<{}}{}\n", space.parameters()[i].name, width, in_lines(values_text(space, i), width + 2));
  }
  if (any_never) put_text("  (in parentheses: in no legal configuration)\n");
}

void show_effects(const SearchSpace& space) {
  if (space.rules().empty()) {
    put_text("no rules\n");
    return;
  }
  put_text("rules, and what each alone removes\n");
  for (const RuleEffect& effect : space.effects()) {
    if (effect.implied && effect.removed_alone <= 0) continue;
    constexpr std::size_t column = 13;
    put_text("  {}{:>8}  {}\n", effect.exact ? " " : "~", share_text(effect.removed_alone),
             in_lines(effect.rule + (effect.implied ? " (a limit of the device)" : ""), column));
  }
}

Json parameters_json(const SearchSpace& space) {
  Json list = Json::array();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    Json item, values = Json::array(), never = Json::array();
    for (std::size_t value = 0; value < parameter.values.size(); ++value) {
      values.push_back(to_json(parameter.values[value]));
      if (!space.empty() && !occurs(space, i, value)) never.push_back(to_json(parameter.values[value]));
    }
    item["name"] = parameter.name;
    item["values"] = std::move(values);
    item["never"] = std::move(never);
    list.push_back(std::move(item));
  }
  return list;
}

Json effects_json(const SearchSpace& space) {
  Json list = Json::array();
  for (const RuleEffect& effect : space.effects()) {
    list.push_back({{"rule", effect.rule},
                    {"implied", effect.implied},
                    {"removed_alone", effect.removed_alone},
                    {"exact", effect.exact}});
  }
  return list;
}

}  // namespace

std::string AskedSpace::title() const {
  return device.empty() ? name : fmt::format("{} for {} on {}", name, problem, device);
}

void warn_of_bounds(const SearchSpace& space) {
  if (!space.exact()) {
    std::string rules;
    for (const std::size_t rule : space.left_out()) {
      rules += fmt::format("{}`{}`", rules.empty() ? "" : ", ", space.rules()[rule].expression.text());
    }
    put_error(rules +
              " cannot be counted within the budget; sizes are upper bounds, configurations are checked one by one");
  }
  if (space.size_saturated()) put_error("the size is beyond 2^128; what is shown is 2^128 - 1");
}

void print_json(const Json& line) {
  std::cout << line.dump(-1, ' ', true, Json::error_handler_t::replace) << '\n';
  if (!std::cout) throw Error("cannot write the output: its reader has ended, or the disk is full");
}

Json space_json(const AskedSpace& asked, const char* type) {
  const SearchSpace& space = asked.space;
  Json line;
  line["type"] = type;
  line["name"] = asked.name;
  if (!asked.device.empty()) {
    line["problem"] = asked.problem;
    line["device"] = asked.device;
  }
  line["legal"] = to_text(space.size());  // texts: counts may exceed 2^53
  line["cartesian"] = to_text(space.cartesian_size());
  line["exact"] = space.exact();
  line["saturated"] = space.size_saturated();
  line["uncounted"] = Json::array();
  for (const std::size_t rule : space.left_out()) line["uncounted"].push_back(space.rules()[rule].expression.text());
  return line;
}

std::string size_text(const SearchSpace& space) {
  const char* const bound = !space.exact() ? "at most " : space.size_saturated() ? "at least " : "";
  return bound + count_text(space.size());
}

std::string legal_line(const SearchSpace& space) {
  std::string text =
      fmt::format("{} legal {} of {}{} {}", size_text(space), plural(space.size() == 1, "configuration"),
                  space.cartesian_size() == saturated ? "at least " : "", count_text(space.cartesian_size()),
                  plural(space.cartesian_size() == 1, "combination"));
  if (space.cartesian_size() == saturated || space.empty()) return text;
  const double share = static_cast<double>(space.size()) / static_cast<double>(space.cartesian_size());
  return text + fmt::format(" ({:.3g} %)", 100 * share);
}

std::string share_text(double fraction) {
  if (fraction > 0 && fraction < 0.00005) return "< 0.01 %";
  if (fraction < 1 && fraction > 0.99995) return "> 99.99 %";
  return fmt::format("{:.2f} %", 100 * fraction);
}

std::string joined_values(const std::vector<Value>& values) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most_values_shown); ++i) {
    text += (text.empty() ? "" : ", ") + values[i].text();
  }
  if (values.size() > most_values_shown) text += fmt::format(", ... ({} more)", values.size() - most_values_shown);
  return text;
}

int show_space(const AskedSpace& asked, bool json) {
  const SpaceFigures figures = asked.space.figures();
  if (json) {
    Json line = space_json(asked, "space");
    line["components"] = figures.components;
    line["nodes"] = figures.nodes;
    line["bytes"] = figures.bytes;
    line["parameters"] = parameters_json(asked.space);
    line["rules"] = effects_json(asked.space);
    print_json(line);
    return exit_done;
  }
  put_text("{}\n  {}\n  {} of parameters, {} nodes, {:.1f} KB\n", in_lines(asked.title(), 2), legal_line(asked.space),
           counted(figures.components, "independent group"), figures.nodes, static_cast<double>(figures.bytes) / 1024);
  show_parameters(asked.space);
  show_effects(asked.space);
  return exit_done;
}

int show_count(const AskedSpace& asked, bool json) {
  if (json)
    print_json(space_json(asked, "count"));
  else
    put_text("{}\n", to_text(asked.space.size()));
  return exit_done;
}

}  // namespace attune::cli
