// [[ladder]].
#include <fmt/format.h>

#include "spec/sections.hpp"

namespace attune {
namespace {

LadderStep read_step(const Document& document, const TomlNode& node) {
  const TomlSection section(document, node, "a step of [[ladder]]", {"name", "configuration", "published"});
  LadderStep step;
  step.name = document.string(section.need("name"));
  step.configuration = section.string("configuration").value_or("");
  step.published = section.string("published").value_or("");
  return step;
}

}  // namespace

std::vector<Ladder> read_ladders(const Document& document, const TomlNode& array) {
  if (array.kind != TomlNode::Kind::array)
    document.fail(array, "ladders are written [[ladder]], each under a [[ladder]] of its own");
  std::vector<Ladder> ladders;
  for (const TomlNode& element : array.children) {
    const TomlSection section(document, element, "[[ladder]]", {"name", "source", "problems", "steps", "sweep"});
    Ladder& ladder = ladders.emplace_back();
    ladder.name = document.string(section.need("name"));
    ladder.source = section.string("source").value_or("");
    ladder.problems = section.strings("problems");
    ladder.sweep = section.string("sweep").value_or("");
    if (const TomlNode* const steps = section.find("steps"))
      for (const TomlNode& step : document.array(*steps, "an array of steps, such as [{ name = \"naive\" }]"))
        ladder.steps.push_back(read_step(document, step));
  }
  return ladders;
}

}  // namespace attune
