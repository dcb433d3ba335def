// [[launch]], [[verify]], [[reference]] and [[prepare]].
#include <fmt/format.h>

#include <algorithm>

#include "spec/sections.hpp"

namespace attune {
namespace {

using Kind = TomlNode::Kind;

const std::vector<std::string> step_keys = {"entry",  "grid",  "block",   "shared",      "arguments", "when",
                                            "memset", "value", "cluster", "cooperative", "overlap"};
const std::vector<std::string> memset_keys = {"memset", "value", "when"};

Step memset_step(const Document& document, const TomlSection& section) {
  for (const auto& member : section.table().children) {
    if (std::find(memset_keys.begin(), memset_keys.end(), member.key) != memset_keys.end()) continue;
    document.fail(member.key_at,
                  fmt::format("`{}` does not go with `memset`: a step either launches an entry or sets an argument "
                              "(memset, value, when)",
                              member.key));
  }
  Step step;
  step.kind = StepKind::memset;
  step.memset_argument = document.string(section.need("memset"), "the name of an argument in quotes");
  if (const auto* value = section.find("value")) {
    if (value->kind != Kind::integer) document.fail_kind(*value, "a byte, 0 to 255");
    if (value->integer() < 0 || value->integer() > 255) {
      document.fail(*value, fmt::format("{} is no byte: `value` is 0 to 255", value->integer()));
    }
    step.memset_value = static_cast<int>(value->integer());
  }
  return step;
}

Step launch_step(const Document& document, const TomlSection& section, const std::string& name) {
  if (const auto* value = section.find("value")) {
    document.fail(value->key_at, "`value` goes with `memset` only");
  }
  const auto* entry = section.find("entry");
  if (entry == nullptr) document.fail(section.table(), fmt::format("{} needs `entry` or `memset`", name));
  Step step;
  step.entry = document.string(*entry);
  step.entry_line = entry->at.line;
  section.need("grid");
  section.need("block");
  section.need("arguments");
  step.grid = section.expressions("grid", Literal::integer);
  step.block = section.expressions("block", Literal::integer);
  step.shared = section.expression("shared", Literal::integer);
  step.arguments = section.strings("arguments");
  step.cluster = section.expressions("cluster", Literal::integer);
  if (const auto* cluster = section.find("cluster"); cluster != nullptr && step.cluster.empty())
    document.fail(*cluster, "a cluster has 1 to 3 dimensions, found none");
  step.overlap = section.expression("overlap", Literal::boolean);
  step.cooperative = section.expression("cooperative", Literal::boolean);
  return step;
}

}  // namespace

std::vector<Step> read_steps(const Document& document, const TomlNode& array, const std::string& name) {
  if (array.kind != Kind::array) {
    document.fail(array, fmt::format("steps are written {0}, each under a {0} of its own", name));
  }
  std::vector<Step> steps;
  for (const auto& element : array.children) {
    const TomlSection section(document, element, name, step_keys);
    Step step =
        section.find("memset") != nullptr ? memset_step(document, section) : launch_step(document, section, name);
    step.when = section.expression("when", Literal::boolean);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace attune
