// The launch of the kernel: entry, grid, block, shared memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "base/identifier.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

void add_entry(DraftParts& parts) {
  std::string arguments, mark;
  for (const std::string& text : parts.template_arguments) {
    if (text.empty()) mark = "FILL IN: a template argument in place of 0";
    arguments += (arguments.empty() ? "<" : ", ") + (text.empty() ? "0" : text);
  }
  parts.step.push_back({"entry", quoted(parts.kernel.name + (arguments.empty() ? "" : arguments + ">")), mark});
}

// Returns the dimensions in attune's words, without those of 1 at the end. Where the launch has none that attune can
// say, they are the guess, and the mark says so.
Texts dimensions(const DraftParts& parts, const Texts& codes, const Texts& guess, std::string& mark) {
  Texts result;
  for (const std::string& code : codes) result.push_back(parts.expression(code).value_or(""));
  if (codes.empty())
    mark = "CHECK: guessed; the file does not launch the kernel";
  else if (std::ranges::count(result, "") > 0)
    mark = fmt::format("FILL IN: the file launches with `{}`", fmt::join(codes, ", "));
  if (!mark.empty()) result = guess;
  result.resize(std::min<std::size_t>(result.size(), 3));
  while (result.size() > 1 && result.back() == "1") result.pop_back();
  return result;
}

// Returns the most threads that the kernel's __launch_bounds__ allow.
std::int64_t bound_of(const DraftParts& parts) {
  return std::clamp<std::int64_t>(parts.value(parts.kernel.launch_bound).value_or(most_threads), 1, most_threads);
}

// Returns the first parameter of the file that is chosen for speed and begins with this; "" if there is none.
std::string parameter_of(const DraftParts& parts, const std::string& number) {
  for (const Line& line : parts.parameters)
    if (is_tunable(line.key) && is_digit(line.value[1]) && line.value.starts_with("[" + number) &&
        !line.mark.starts_with("CHECK"))
      return line.key;
  return "";
}

Texts guessed_block(const DraftParts& parts) {
  constexpr std::int64_t flat = 256, side = 16;
  const bool is_flat = !parts.uses("threadIdx", 1);
  std::string text = parts.kernel.mentions("blockDim") ? "" : parameter_of(parts, "");
  if (text.empty()) text = std::to_string(is_flat ? std::min(flat, bound_of(parts)) : side);
  return is_flat ? Texts{text} : Texts{text, text};
}

// Returns the size of the problem that the launch names for a dimension, else that of the dimension.
std::string size_along(const DraftParts& parts, const Texts& codes, std::size_t dimension) {
  for (const std::string& name : parts.names_in(dimension < codes.size() ? codes[dimension] : ""))
    if (const auto known = parts.names.find(name); known != parts.names.end())
      if (std::ranges::count(parts.sizes, known->second) > 0) return known->second;
  return parts.sizes[std::min(dimension, parts.sizes.size() - 1)];
}

Texts guessed_grid(const DraftParts& parts, const Texts& codes, const Texts& block) {
  Texts grid;
  for (std::size_t d = 0; d < 3 && d < std::max(parts.sizes.size(), block.size()); ++d) {
    const std::string size = size_along(parts, codes, d);
    const std::string across = d < block.size() ? fmt::format("ceil_div({}, {})", size, block[d]) : size;
    grid.push_back(parts.uses("blockIdx", static_cast<int>(d)) ? across : "1");
  }
  return grid;
}

std::string add_block(DraftParts& parts, std::int64_t value, const char* wanted) {
  const std::string name = parts.new_name(wanted);
  parts.parameters.push_back(
      {name, values_around(value, bound_of(parts)),
       fmt::format("CHECK: the kernel must be right with each; it allows {} threads in a block", bound_of(parts))});
  return name;
}

// Makes a parameter of each number of the block if the kernel may have another: in grid and shared memory too.
void name_numbers(DraftParts& parts, Texts& block, std::string& mark, Texts& grid, std::string& shared) {
  constexpr const char* wanted[] = {"BLOCK_X", "BLOCK_Y", "BLOCK_Z"};
  for (std::size_t d = 0; d < block.size(); ++d) {
    const std::int64_t value = constant_value(block[d]).value_or(1);
    if (value < 2) continue;
    std::string name = parameter_of(parts, std::to_string(value) + ",");
    if (!name.empty() && mark.empty()) mark = fmt::format("CHECK: {} in the launch is taken to be {}", value, name);
    if (name.empty() && !parts.kernel.mentions("blockDim")) continue;
    if (name.empty()) name = add_block(parts, value, block.size() == 1 ? "BLOCK" : wanted[d]);
    const std::regex number(fmt::format("\\b{}\\b", value));
    block[d] = name;
    if (d < grid.size()) grid[d] = std::regex_replace(grid[d], number, name);
    if (d == 0) shared = std::regex_replace(shared, number, name);
  }
}

}  // namespace

void draft_step(DraftParts& parts) {
  const Launch none, &launch = parts.launch != nullptr ? *parts.launch : none;
  add_entry(parts);
  std::string block_mark, grid_mark;
  // The host chooses the block: `int block_size` of a function that launches.
  const bool is_chosen =
      launch.block.size() == 1 && is_identifier(launch.block[0]) && parts.kernel.mentions("blockDim");
  if (is_chosen && !parts.expression(launch.block[0])) parts.names[launch.block[0]] = add_block(parts, 256, "BLOCK");
  Texts block = dimensions(parts, launch.block, guessed_block(parts), block_mark);
  Texts grid = dimensions(parts, launch.grid, guessed_grid(parts, launch.grid, block), grid_mark);
  const bool is_fixed = std::ranges::all_of(grid, [](const auto& text) { return constant_value(text).has_value(); });
  if (grid_mark.empty() && is_fixed) grid_mark = "CHECK: it depends on nothing";
  const bool has_shared = launch.shared.empty() ? parts.kernel.mentions("extern") : launch.shared != "0";
  std::string shared = parts.expression(launch.shared).value_or("");
  name_numbers(parts, block, block_mark, grid, shared);
  parts.step.push_back({"grid", quoted_list(grid), grid_mark});
  parts.step.push_back({"block", quoted_list(block), block_mark});
  if (has_shared)
    parts.step.push_back(
        {"shared", quoted(shared.empty() ? "1024" : shared),
         !shared.empty() ? "" : fmt::format("FILL IN: the bytes; the file launches with `{}`", launch.shared)});
}

}  // namespace attune::draft
