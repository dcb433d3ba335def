// The sizes of the problem: integers that the kernel takes.
#include <fmt/format.h>

#include <algorithm>

#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// What a size may be while tuning, by the number of sizes that are multiplied: 2^24 elements, and few on the host.
struct Defaults {
  std::int64_t device, host;
};
constexpr Defaults defaults_by_count[] = {{1 << 24, 4096}, {1 << 24, 4096}, {4096, 64}, {512, 32}, {64, 8}};

bool is_integer(const Parts& parts, const FunctionParameter& parameter) {
  const TypeInfo* const type = find_type(parts.type(parameter.type));
  const bool is_number =
      type != nullptr && type->components == 1 &&
      (type->type_class == TypeClass::signed_integer || type->type_class == TypeClass::unsigned_integer);
  return parameter.pointers == 0 && is_number && !parameter.name.empty();
}

std::string size_text(const Parts& parts, std::optional<std::int64_t> known, std::size_t count, std::string& mark) {
  const bool is_flat = !parts.uses("threadIdx", 1) && !parts.uses("blockIdx", 1);
  const std::size_t factors = count == 1 && !is_flat ? 2 : std::min(count, std::size(defaults_by_count) - 1);
  const auto [device, host] = defaults_by_count[factors];
  const std::int64_t size = known.value_or(device);
  if (!known) mark = "CHECK: a size at which speed matters";
  if (size <= host) return fmt::format("{{ size = {} }}", size);
  return fmt::format("{{ size = {}, host = {} }}", size, host);
}

// Returns what the first launch passes for a parameter, or "".
std::string passed(const Parts& parts, std::size_t index) {
  const bool is_given = parts.launch != nullptr && index < parts.launch->arguments.size();
  return is_given ? parts.launch->arguments[index] : "";
}

// Where no parameter is a size, constants of the file may be: `#define N 1024`. One that only the launch names may
// vary. Else the problem has a size that nothing of the kernel tells.
void draft_fixed_sizes(Parts& parts) {
  constexpr std::int64_t least = 2;
  for (const Constant& constant : parts.file.constants) {
    const std::optional<std::int64_t> value = parts.value(constant.value);
    const std::string plain = plain_name(constant.name);
    const bool is_size = dimension_of(plain) || plain.find("size") != std::string::npos || plain.starts_with("num_");
    if (!value || *value < least || !is_size || is_tunable(constant.name)) continue;
    if (parts.kernel.mentions(constant.name)) {
      parts.sizes.push_back(std::to_string(*value));
    } else if (parts.launch_mentions(constant.name)) {
      const std::string name = parts.new_name(constant.name);
      parts.problem.push_back({name, fmt::format("{{ size = {} }}", *value), ""});
      parts.sizes.push_back(name);
      parts.names[constant.name] = name;
    }
  }
  if (!parts.sizes.empty()) return;
  const std::string name = parts.new_name("n");
  parts.problem.push_back(
      {name, "{ size = 1048576, host = 4096 }", "CHECK: no parameter of the kernel says how many elements there are"});
  parts.sizes.push_back(name);
}

}  // namespace

void draft_sizes(Parts& parts) {
  const auto is_size = [&](const FunctionParameter& parameter) {
    return is_integer(parts, parameter) && !is_mere_number(parameter.name) && is_allowed_name(parameter.name);
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(parts.kernel.parameters, is_size));
  std::vector<Line> lines;
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < parts.kernel.parameters.size(); ++i) {
    const FunctionParameter& parameter = parts.kernel.parameters[i];
    if (!is_size(parameter)) continue;
    std::optional<std::int64_t> known;
    if (const std::string code = passed(parts, i); !code.empty()) {
      known = parts.value(code);
      if (known && *known < 1) known.reset();
      const bool is_name = std::ranges::all_of(code, is_part_of_name) && !(code[0] >= '0' && code[0] <= '9');
      if (is_name) names.emplace(code, parameter.name);
    }
    Line line{parameter.name, "", ""};
    line.value = size_text(parts, known, count, line.mark);
    lines.push_back(std::move(line));
    parts.sizes.push_back(parameter.name);
  }
  for (Line& line : lines) {
    names.emplace(line.key, line.key);
    parts.problem.push_back(std::move(line));
  }
  for (const auto& [code, name] : names) parts.names.emplace(code, name);
  if (parts.sizes.empty()) draft_fixed_sizes(parts);
}

}  // namespace attune::draft
