#include "draft/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/near_name.hpp"
#include "base/visible_text.hpp"
#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

constexpr std::string_view mark_begins[] = {"CHECK: ", "FILL IN: "};

void add_lines(std::string& text, std::string_view section, const std::vector<Line>& lines) {
  text += fmt::format("[{}]\n", section);
  for (const auto& [key, value, mark] : lines)
    text += fmt::format("{} = {}{}{}\n", key, value, mark.empty() ? "" : "  # ", mark);
}

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size()))
    text.replace(at, before.size(), after);
}

// Returns whether the value of a line of [arguments] has this.
bool has(const Line& line, std::string_view part) { return line.value.find(part) != std::string::npos; }

// Returns the text between the quotes that follow `key = `.
std::string value_of(const Line& line, std::string_view key) {
  const std::size_t at = line.value.find(fmt::format("{} = \"", key));
  if (at == std::string::npos) return "";
  const std::size_t begin = line.value.find('"', at) + 1;
  return line.value.substr(begin, line.value.find('"', begin) - begin);
}

// Returns the tolerance of the results, as text of a section; "" where integers are compared.
std::string check_text(const Parts& parts) {
  for (const Line& line : parts.arguments) {
    if (!has(line, "role = \"out\"") && !has(line, "role = \"inout\"")) continue;
    const std::string type = value_of(line, "type");
    const TypeInfo* const known = find_type(type);
    const bool is_of_problem = known == nullptr;
    if (!is_of_problem && known->type_class != TypeClass::floating) continue;
    const std::string epsilon = fmt::format("epsilon({})", is_of_problem ? type : fmt::format("'{}'", known->element));
    return fmt::format(
        "[check]\nabsolute = \"64 * {0}\"  # CHECK: how far a right result may be from another\n"
        "relative = \"64 * {0}\"\n",
        epsilon);
  }
  return "";
}

// Returns the bytes of all arrays, as an expression.
std::string bytes_text(const Parts& parts) {
  std::string sum;
  for (const Line& line : parts.arguments) {
    const std::string type = value_of(line, "type"), size = value_of(line, "size");
    if (size.empty()) continue;
    const std::string inside = find_type(type) != nullptr ? "'" + type + "'" : type;
    sum += fmt::format("{}{} * sizeof({})", sum.empty() ? "" : " + ", size, inside);
  }
  return sum.empty() ? "0" : sum;
}

std::string compile_text(const Parts& parts) {
  std::string text;
  if (parts.file.has_host_code) text += "host_code = \"ignore\"\n";
  if (parts.has_macros) text += "defines = \"parameters\"\n";
  return text.empty() ? "" : "[compile]\n" + text;
}

std::string remarks(const Parts& parts) {
  return fmt::format(
      "# [restrictions]  rules that its parameters obey: rules = [\"TILE % ROWS == 0\"]\n"
      "# [[reference]]  a simple kernel that computes the same, with the keys of [[launch]]. Without it, results are\n"
      "# compared with those of the first values above.\n"
      "# [metrics]  what a launch moves and computes, for rates:\n"
      "# bytes = \"{}\"\n"
      "# flops = \"...\"\n",
      bytes_text(parts));
}

std::string front_matter(const Parts& parts, const std::string& include) {
  std::string name(last_name(parts.kernel.name).substr(0, 100));
  for (char& c : name)
    if (!is_part_of_name(c)) c = '_';
  std::string text = fmt::format("[kernel]\nname = \"{}\"\nsummary = {}\n", name,
                                 quoted(fmt::format("the kernel {} of {}", parts.kernel.name, include)));
  add_lines(text, "problem", parts.problem);
  add_lines(text, "parameters", parts.parameters);
  for (const std::string& note : parts.notes) text += "# " + note + "\n";
  if (!parts.rules.empty()) text += "[restrictions]\nrules = " + quoted_list(parts.rules) + "\n";
  add_lines(text, "[launch]", parts.step);
  add_lines(text, "arguments", parts.arguments);
  const bool has_output = std::ranges::any_of(parts.arguments, [](const Line& line) { return has(line, "out\" }"); });
  if (!has_output)
    text += "# FILL IN: no argument seems to be written; attune needs one with role \"out\" or \"inout\"\n";
  text += check_text(parts) + compile_text(parts) + remarks(parts);
  replace_all(text, "*/", "* /");
  return visible_text(text);
}

std::vector<std::string> names_of(const CudaFile& file) {
  std::vector<std::string> names;
  for (const Kernel& kernel : file.kernels) names.push_back(kernel.name);
  return names;
}

const Launch* first_launch(const CudaFile& file, const Kernel& kernel) {
  const auto found = std::ranges::find(file.launches, last_name(kernel.name), &Launch::kernel);
  return found == file.launches.end() ? nullptr : &*found;
}

const Kernel& named_kernel(const CudaFile& file, const std::string& name, const std::string& shown) {
  for (const Kernel& kernel : file.kernels)
    if (kernel.name == name) return kernel;
  std::vector<std::string> known;
  for (const Kernel& kernel : file.kernels) {
    if (last_name(kernel.name) == name) return kernel;
    known.emplace_back(last_name(kernel.name));
  }
  throw UsageError(fmt::format("{} has no kernel `{}`{}", shown, name, suggestion(name, known)));
}

}  // namespace

const Kernel& chosen_kernel(const CudaFile& file, const std::optional<std::string>& name, const std::string& shown) {
  if (file.kernels.empty() && !file.hidden_by.empty())
    throw UsageError(
        fmt::format("{0} has no kernel that can be read: the macro {1} hides its `__global__`; write "
                    "`__global__` where {1} stands",
                    shown, file.hidden_by));
  if (file.kernels.empty())
    throw UsageError(fmt::format("{} has no kernel: no function with `__global__`; name the file that has it", shown));
  if (name) return named_kernel(file, *name, shown);
  if (file.kernels.size() == 1) return file.kernels.front();
  for (const Launch& launch : file.launches)
    for (const Kernel& kernel : file.kernels)
      if (last_name(kernel.name) == launch.kernel) return kernel;
  std::vector<std::string> names = names_of(file);
  constexpr std::size_t most_shown = 20;
  if (names.size() > most_shown) names.resize(most_shown), names.emplace_back("...");
  throw UsageError(fmt::format("{} has {} kernels and launches none; name one: --kernel NAME, of {}", shown,
                               file.kernels.size(), fmt::join(names, ", ")));
}

std::string drafted(const CudaFile& file, const Kernel& kernel, const std::string& include) {
  const bool is_plain = include.find_first_of("\"\n\r") == std::string::npos &&
                        include.find("*/") == std::string::npos && visible_text(include) == include;
  if (!is_plain)
    throw UsageError("an #include cannot name `" + include +
                     "`; give the file a name without quotes and control characters");
  Parts parts{.file = file, .kernel = kernel, .launch = first_launch(file, kernel)};
  draft_parameters(parts);
  draft_sizes(parts);
  draft_step(parts);
  draft_arguments(parts);
  return fmt::format("/*attune\n{}*/\n#include \"{}\"\n", front_matter(parts, include), include);
}

std::vector<Mark> marks_in(std::string_view drafted) {
  std::vector<Mark> marks;
  std::size_t line = 0;
  while (!drafted.empty()) {
    ++line;
    const std::string_view text = drafted.substr(0, drafted.find('\n'));
    drafted.remove_prefix(std::min(text.size() + 1, drafted.size()));
    for (const std::string_view begin : mark_begins) {
      const std::size_t at = text.find(fmt::format("# {}", begin));
      if (at == std::string_view::npos) continue;
      const std::size_t subject = text.find_first_not_of("# ");
      const std::size_t end = std::min(text.find(' ', subject), at);
      const bool is_alone = at == 0;
      marks.push_back(
          {line, is_alone ? "" : std::string(text.substr(subject, end - subject)), std::string(text.substr(at + 2))});
      break;
    }
  }
  return marks;
}

}  // namespace attune::draft
