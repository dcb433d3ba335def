#include "draft/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "base/visible_text.hpp"
#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

constexpr std::size_t most_lines = 256;  // of a section

void add_lines(std::string& text, std::string_view section, const std::vector<Line>& lines) {
  text += fmt::format("[{}]\n", section);
  for (const auto& [key, value, mark] : lines)
    text += fmt::format("{} = {}{}{}\n", key, value, mark.empty() ? "" : "  # ", mark);
}

// Returns the tolerance of the results, as text of a section; "" where integers are compared.
std::string check_text(const DraftParts& parts) {
  for (const std::string& type : parts.outputs) {
    const TypeInfo* const known = find_type(type);  // else a type of the problem
    if (known != nullptr && known->type_class != TypeClass::floating) continue;
    return fmt::format(
        "[check]\nabsolute = \"64 * epsilon({0})\"  # CHECK: how far a right result may be from another\n"
        "relative = \"64 * epsilon({0})\"\n",
        known == nullptr ? type : fmt::format("'{}'", known->element));
  }
  return "";
}

constexpr std::string_view remarks =
    "# options = [\"-Ifolder\"]  the folders of its headers\n"
    "# [parameters]  another `#define NAME 4` of the file may be one; a constant of C++ has to become a #define "
    "first.\n"
    "# [restrictions]  rules that its parameters obey: rules = [\"TILE % ROWS == 0\"]\n"
    "# [[reference]]  a simple kernel that computes the same, with the keys of [[launch]]. Without it, results are\n"
    "# compared with those of the first values above.\n"
    "# [metrics]  what a launch moves and computes, for rates: bytes = \"2 * n * sizeof('float')\", flops = \"n\"\n";

std::string front_matter(const DraftParts& parts, const std::string& include) {
  std::string name(last_name(parts.kernel.name).substr(0, 100));
  for (char& c : name)
    if (!is_word(c)) c = '_';
  std::string text = fmt::format("[kernel]\nname = \"{}\"\nsummary = {}\n", name,
                                 quoted(fmt::format("the kernel {} of {}", parts.kernel.name, include)));
  add_lines(text, "problem", parts.problem);
  add_lines(text, "parameters", parts.parameters);
  if (parts.parameters.empty())
    text += "# FILL IN: no parameter was found; a number that the kernel uses can become `#define BLOCK 256`\n";
  add_lines(text, "[launch]", parts.step);
  add_lines(text, "arguments", parts.arguments);
  if (parts.outputs.empty())
    text += "# FILL IN: no argument seems to be written; attune needs one with role \"out\" or \"inout\"\n";
  text += check_text(parts) + "[compile]\n";
  if (parts.file.has_host_code) text += "host_code = \"ignore\"\n";
  if (parts.has_macros) text += "defines = \"parameters\"\n";
  text += remarks;
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.insert(at + 1, " ");
  return visible_text(text);
}

const KernelFunction* find_kernel(const CudaFile& file, std::string_view name) {
  auto found = std::ranges::find(file.kernels, name, &KernelFunction::name);
  if (found == file.kernels.end())
    found = std::ranges::find(file.kernels, name, [](const KernelFunction& kernel) { return last_name(kernel.name); });
  return found == file.kernels.end() ? nullptr : &*found;
}

}  // namespace

const KernelFunction& chosen_kernel(const CudaFile& file, const std::optional<std::string>& name,
                                    const std::string& shown) {
  if (file.kernels.empty())
    throw UsageError(fmt::format("{} has no kernel{}", shown,
                                 file.hidden_by.empty()
                                     ? ": no function with `__global__`; name the file that has it"
                                     : fmt::format(" that can be read: the macro {0} hides its `__global__`; write "
                                                   "`__global__` where {0} stands",
                                                   file.hidden_by)));
  Texts names;
  for (const KernelFunction& kernel : file.kernels) names.emplace_back(name ? last_name(kernel.name) : kernel.name);
  if (name) {
    if (const KernelFunction* const kernel = find_kernel(file, *name)) return *kernel;
    throw UsageError(fmt::format("{} has no kernel `{}`{}", shown, *name, suggestion(*name, names)));
  }
  if (file.kernels.size() == 1) return file.kernels.front();
  for (const Launch& launch : file.launches)
    if (const KernelFunction* const kernel = find_kernel(file, launch.kernel)) return *kernel;
  if (names.size() > 20) names.resize(20), names.emplace_back("...");
  throw UsageError(fmt::format("{} has {} kernels and launches none; name one: --kernel NAME, of {}", shown,
                               file.kernels.size(), fmt::join(names, ", ")));
}

std::string drafted(const CudaFile& file, const KernelFunction& kernel, const std::string& include) {
  const bool is_plain = include.find_first_of("\"\n\r") == std::string::npos &&
                        include.find("*/") == std::string::npos && visible_text(include) == include;
  if (!is_plain)
    throw UsageError("an #include cannot name `" + include +
                     "`; give the file a name without quotes and control characters");
  const auto launch = std::ranges::find(file.launches, last_name(kernel.name), &Launch::kernel);
  DraftParts parts{
      .file = file, .kernel = with_helpers(file, kernel), .launch = launch == file.launches.end() ? nullptr : &*launch};
  draft_parameters(parts);
  draft_sizes(parts);
  draft_step(parts);
  draft_arguments(parts);
  for (const std::vector<Line>* lines : {&parts.problem, &parts.parameters, &parts.arguments})
    if (lines->size() > most_lines)
      throw UsageError(fmt::format("{} has {} arguments or parameters; attune has room for {}: pass a structure",
                                   kernel.name, lines->size(), most_lines));
  return fmt::format("/*attune\n{}*/\n#include \"{}\"\n", front_matter(parts, include), include);
}

std::vector<Mark> marks_in(std::string_view drafted) {
  std::vector<Mark> marks;
  for (std::size_t line = 1; !drafted.empty(); ++line) {
    const std::string_view text = drafted.substr(0, drafted.find('\n'));
    drafted.remove_prefix(std::min(text.size() + 1, drafted.size()));
    const std::size_t at = std::min(text.find("# CHECK: "), text.find("# FILL IN: "));
    if (at == std::string_view::npos) continue;
    const std::string key(text.substr(0, std::min(text.find(' '), at)));
    marks.push_back({line, key + (at == 0 ? "" : ": ") + std::string(text.substr(at + 2))});
  }
  return marks;
}

}  // namespace attune::draft
