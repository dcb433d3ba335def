#include "strategies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/strategy.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "search/strategy_text.hpp"
#include "session/effort.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t option_column = 20;  // where the text of an option begins

// Returns "measure, patient" for the strategy of these efforts.
std::string efforts_of(const std::string& strategy) {
  std::string names;
  for (const EffortPlan& plan : effort_plans()) {
    if (plan.search && plan.strategy == strategy) names += (names.empty() ? "" : ", ") + std::string(plan.name);
  }
  return names.empty() ? "" : " (effort " + names + ")";
}

}  // namespace

std::string strategies_text() {
  std::string text = "usage: attune tune KERNEL|FILE.cu --strategy NAME[:option=value,...]\n";
  std::string example;
  for (const StrategyEntry& entry : strategies()) {
    text += fmt::format("\n{}{}\n  {}\n", entry.name, efforts_of(entry.name), in_lines(entry.summary, 2));
    for (const StrategyOption& option : entry.options) {
      text += fmt::format("    {:<16}{}\n", option.name,
                          in_lines(fmt::format("{}; {}; default {}", option.summary, bounds_text(option),
                                               value_text(option, option.by_default)),
                                   option_column));
      if (example.empty())
        example = fmt::format("{}:{}={}", entry.name, option.name, value_text(option, option.by_default));
    }
  }
  if (!example.empty()) text += fmt::format("\nexample\n  attune tune transpose --strategy {}\n", example);
  return text;
}

int run_strategies(const Arguments& arguments) {
  Options options("attune strategies", "  attune strategies\n");
  if (options.parse(arguments)) return exit_done;
  put_text("{}", strategies_text());
  return exit_done;
}

}  // namespace attune::cli
