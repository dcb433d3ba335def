// The launch of the kernel: entry, grid, block, shared memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "draft/code_tokens.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view letters[] = {"X", "Y", "Z"};
constexpr std::size_t most_names = 4;  // of which each stands for the next: `dim3 b = threads`

// Returns the dimensions of a grid or a block, as written.
Texts dimensions(const Parts& parts, std::string text) {
  for (std::size_t i = 0; i < most_names; ++i) {
    const auto local = parts.launch->locals.find(text);
    if (local == parts.launch->locals.end() || parts.names.contains(text)) break;
    if (local->second.size() != 1) return local->second;
    text = local->second[0];
  }
  const CodeTokens tokens(text);
  const Part code = tokens.code();
  if (code.size() < 3 || code[0].text != "dim3" || closing(code, 1) != code.size() - 1) return {text};
  Texts result;
  for (const Part part : split_at_commas(code.subspan(2, code.size() - 3), true)) result.push_back(text_of(part));
  return result;
}

// Drops dimensions of 1 at the end.
void shorten(Texts& texts) {
  if (texts.size() > 3) texts.resize(3);
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
}

std::string entry(const Parts& parts, std::string& mark) {
  std::string arguments;
  for (std::size_t i = 0; i < parts.kernel.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = parts.kernel.template_parameters[i];
    const auto known = parts.names.find(parameter.name);
    const bool is_given = parts.launch != nullptr && i < parts.launch->template_arguments.size();
    std::string text = is_given ? parts.launch->template_arguments[i] : parameter.default_value;
    if (known != parts.names.end() && !parameter.name.empty()) text = known->second;
    if (text.empty()) {
      mark = "FILL IN: what stands for `" + parameter.name + "`, in place of 0";
      text = "0";
    }
    arguments += (arguments.empty() ? "" : ", ") + text;
  }
  const bool is_template = !parts.kernel.template_parameters.empty();
  return parts.kernel.name + (is_template ? "<" + arguments + ">" : "");
}

// Returns the most threads that the kernel's __launch_bounds__ allow.
std::int64_t bound_of(const Parts& parts) {
  if (parts.kernel.launch_bounds.empty()) return most_threads;
  return std::clamp<std::int64_t>(parts.value(parts.kernel.launch_bounds[0]).value_or(most_threads), 1, most_threads);
}

// Adds a parameter for a dimension of the block. Returns its name.
std::string add_block(Parts& parts, std::int64_t value, const std::string& wanted) {
  const std::string name = parts.new_name(wanted);
  std::string values;
  for (const std::int64_t one : values_around(value, bound_of(parts)))
    if (one > 1 || value == 1) values += (values.empty() ? "[" : ", ") + std::to_string(one);
  parts.parameters.push_back({name, values + "]", "CHECK: the kernel must be right with each of these blocks"});
  return name;
}

// Returns the parameter for a tile or block that has this value first: the block of the launch is as large because of
// it. "" if there is none.
std::string parameter_of(const Parts& parts, const std::string& number) {
  for (const auto& [code, name] : parts.names) {
    const auto line = std::ranges::find(parts.parameters, name, &Line::key);
    if (line == parts.parameters.end() || !is_tunable(name)) continue;
    if (line->value.starts_with("[" + number + ",") || line->value == "[" + number + "]") return name;
  }
  return "";
}

// Returns the dimensions of a block that no launch of the file tells.
Texts guessed_block(const Parts& parts) {
  const bool is_flat = !parts.uses("threadIdx", 1);
  if (is_flat && !parts.kernel.launch_bounds.empty())
    if (const auto bound = parts.expression(parts.kernel.launch_bounds[0])) return {*bound};
  for (const auto& [code, name] : parts.names) {
    const bool is_parameter = std::ranges::count(parts.parameters, name, &Line::key) > 0;
    const std::string plain = plain_name(name);
    const bool fits = plain.find("block") != std::string::npos || plain.find("thread") != std::string::npos ||
                      plain.find("tile") != std::string::npos;
    if (is_parameter && fits) return is_flat ? Texts{name} : Texts{name, name};
  }
  const std::string side = bound_of(parts) < 16 * 16 ? "8" : "16";
  return is_flat ? Texts{"256"} : Texts{side, side};
}

// Returns the texts in attune's words; the first that attune cannot say is set, and nothing returned.
std::optional<Texts> expressions(const Parts& parts, const Texts& texts, std::string& unknown) {
  Texts result;
  for (const std::string& text : texts) {
    std::optional<std::string> expression = parts.expression(text);
    if (!expression) {
      unknown = text;
      return std::nullopt;
    }
    result.push_back(*std::move(expression));
  }
  shorten(result);
  return result;
}

std::string mark_of(const std::string& unknown, const std::string& what) {
  return unknown.empty() ? "CHECK: the file has no launch that tells the " + what
                         : "CHECK: guessed; the file launches with `" + unknown + "`";
}

// Returns the numbers that the block had, for each dimension that is now a parameter; else "".
Texts draft_block(Parts& parts) {
  std::string unknown, mark;
  std::optional<Texts> block;
  if (parts.launch != nullptr) block = expressions(parts, dimensions(parts, parts.launch->block), unknown);
  if (!block) mark = mark_of(unknown, "block");
  parts.block = block ? *block : guessed_block(parts);
  Texts numbers(3);
  for (std::size_t d = 0; d < parts.block.size(); ++d) {
    const std::optional<std::int64_t> value = constant_value(parts.block[d]);
    if (!value || *value < 2) continue;
    const std::string number = std::to_string(*value), same = parameter_of(parts, number);
    if (same.empty() && !parts.kernel.mentions("blockDim")) continue;
    numbers[d] = number;
    parts.block[d] = same;
    if (!same.empty() && mark.empty()) mark = "CHECK: " + number + " in the launch is taken to be " + same;
    if (same.empty())
      parts.block[d] =
          add_block(parts, *value, parts.block.size() == 1 ? "BLOCK" : fmt::format("BLOCK_{}", letters[d]));
  }
  if (!parts.kernel.launch_bounds.empty() && parts.block.size() > 1 && !numbers[0].empty() && !numbers[1].empty())
    parts.rules.push_back(fmt::format("{} <= {}", fmt::join(parts.block, " * "), bound_of(parts)));
  parts.step.push_back({"block", quoted_list(parts.block), mark});
  return numbers;
}

// Returns the expression with a name where it had this number.
std::string with_name(const std::string& expression, const std::string& number, const std::string& name) {
  std::string result, word;
  for (const char c : expression + " ") {
    if (is_part_of_name(c)) {
      word += c;
      continue;
    }
    result += (!number.empty() && word == number ? name : word) + c;
    word.clear();
  }
  result.pop_back();
  return result;
}

std::string size_across(const Parts& parts, int dimension) {
  for (const std::string& size : parts.sizes)
    if (dimension_of(size) == dimension) return size;
  return parts.sizes[std::min<std::size_t>(static_cast<std::size_t>(dimension), parts.sizes.size() - 1)];
}

Texts guessed_grid(const Parts& parts) {
  Texts grid;
  for (int d = 0; d < 3; ++d) {
    const auto index = static_cast<std::size_t>(d);
    const std::string block = index < parts.block.size() ? parts.block[index] : "1";
    const bool is_used = parts.uses("blockIdx", d);
    grid.push_back(!is_used       ? "1"
                   : block == "1" ? size_across(parts, d)
                                  : fmt::format("ceil_div({}, {})", size_across(parts, d), block));
  }
  shorten(grid);
  return grid;
}

void draft_grid(Parts& parts, const Texts& numbers) {
  std::string unknown, mark;
  std::optional<Texts> grid;
  if (parts.launch != nullptr) grid = expressions(parts, dimensions(parts, parts.launch->grid), unknown);
  if (!grid) mark = mark_of(unknown, "grid");
  if (!grid) grid = guessed_grid(parts);
  for (std::size_t d = 0; d < grid->size() && d < parts.block.size(); ++d)
    (*grid)[d] = with_name((*grid)[d], numbers[d], parts.block[d]);
  const bool is_fixed = std::ranges::all_of(*grid, [](const auto& text) { return constant_value(text).has_value(); });
  if (mark.empty() && is_fixed) mark = "CHECK: it depends on nothing";
  parts.step.insert(parts.step.begin() + 1, {"grid", quoted_list(*grid), mark});
}

void draft_shared(Parts& parts, const std::string& number) {
  const bool is_asked = std::ranges::count(parts.kernel.body, "extern") > 0;
  const std::string code = parts.launch != nullptr ? parts.launch->shared : "";
  if (code == "0" || (code.empty() && !is_asked)) return;
  const std::optional<std::string> shared = code.empty() ? std::nullopt : parts.expression(code);
  if (shared)
    parts.step.push_back({"shared", quoted(with_name(*shared, number, parts.block[0])), ""});
  else
    parts.step.push_back({"shared", quoted(parts.block[0] + " * 8"),
                          "FILL IN: the bytes of dynamic shared memory" +
                              (code.empty() ? "" : "; the file launches with `" + code + "`")});
}

}  // namespace

void draft_step(Parts& parts) {
  std::string mark;
  const std::string text = entry(parts, mark);
  parts.step.push_back({"entry", quoted(text), mark});
  const Texts numbers = draft_block(parts);
  draft_grid(parts, numbers);
  draft_shared(parts, numbers[0]);
}

}  // namespace attune::draft
