#include "spec/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "core/type_table.hpp"
#include "expression/words.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

constexpr std::string_view expression_words[] = {"device", "true", "false", "in", "and", "or", "not"};

constexpr std::string_view words_of_both[] = {"true", "false", "and", "or", "not"};

// Keywords of C++20 and CUDA that would break an entry, a -D option or the kernel itself.
constexpr std::string_view cpp_keywords[] = {"alignas",
                                             "alignof",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char16_t",
                                             "char32_t",
                                             "char8_t",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "return",
                                             "short",
                                             "signed",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq",
                                             "threadIdx",
                                             "blockIdx",
                                             "blockDim",
                                             "gridDim",
                                             "warpSize"};

bool is_one_of(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::find(words, name) != words.end();
}

// Returns what `name` means already, or "" if it has no meaning.
std::string_view meaning_of(std::string_view name) {
  if (is_one_of(name, expression_words)) return "a word of expressions";
  const auto functions = function_names(Dialect::attune);
  if (std::ranges::find(functions, name) != functions.end()) return "a function of expressions";
  if (find_type(name) != nullptr) return "a type";
  for (const std::string_view of_attune : {"attune", "Attune", "ATTUNE"})
    if (name.starts_with(of_attune)) return "a name of attune's";
  return is_one_of(name, cpp_keywords) ? "a word of C++" : "";
}

template <typename Visit>
void visit_identifiers(std::string_view text, Visit visit) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {
      const auto closing = text.find(text[i], i + 1);
      i = closing == std::string_view::npos ? text.size() : closing + 1;
      continue;
    }
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool member = i > 0 && text[i - 1] == '.';
    if (is_letter(text[i]) && !member) visit(i, text.substr(i, end - i));
    i = end;
  }
}

std::vector<std::string> known_names(const KernelSpec& spec, const AllowedNames& allowed) {
  std::vector<std::string> known;
  for (const auto& entry : spec.problem) known.push_back(entry.name);
  if (!allowed.parameters) return known;
  for (const auto& parameter : spec.parameters) known.push_back(parameter.name);
  return known;
}

std::string unknown_name(const KernelSpec& spec, std::string_view name, std::string_view text,
                         const AllowedNames& allowed) {
  const auto where = fmt::format("`{}` in `{}`", shortened(name), shortened(text));
  if (!allowed.parameters && spec.find_parameter(name) != nullptr) {
    return fmt::format("{} is a parameter: {} may mention problem names only", where, allowed.subject);
  }
  const auto known = known_names(spec, allowed);
  const auto argument = spec.find_argument(name) != nullptr ? " (it is an argument)" : "";
  return fmt::format("{} is {}{}{}", where,
                     allowed.parameters ? "neither a problem name nor a parameter" : "no problem name", argument,
                     suggestion(name, known));
}

}  // namespace

bool is_taken_by_cpp(std::string_view word) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool is_of_compilers = word.size() > 1 && word[0] == '_' &&
                               (is_upper(word[1]) || (word.size() > 2 && word[1] == '_' && is_letter(word[2])));
  return is_of_compilers || word == "defined" || is_one_of(word, words_of_both) || is_one_of(word, cpp_keywords);
}

void require_new_name(std::string_view name, std::string_view what, const std::string& place) {
  constexpr std::size_t max_length = 128;
  if (!is_identifier(name) || name.size() > max_length) {
    throw key_fault(place,
                    fmt::format("`{}` cannot name a {}: expected letters, digits and `_`, at most {}, no digit first",
                                shortened(name), what, max_length));
  }
  const auto meaning = meaning_of(name);
  if (meaning.empty()) return;
  throw key_fault(place, fmt::format("`{}` cannot name a {}: it is {}", name, what, meaning));
}

std::string with_names_replaced(std::string_view text, const std::function<std::string(std::string_view)>& replacement,
                                std::size_t most) {
  std::string replaced;
  std::size_t copied = 0;
  visit_identifiers(text, [&](std::size_t offset, std::string_view word) {
    if (replaced.size() >= most) return;
    replaced.append(text.substr(copied, offset - copied)).append(replacement(word));
    copied = offset + word.size();
  });
  return replaced.append(text.substr(copied));
}

std::size_t find_identifier(std::string_view text, std::string_view name) {
  std::size_t found = std::string_view::npos;
  visit_identifiers(text, [&](std::size_t offset, std::string_view word) {
    if (word == name && found == std::string_view::npos) found = offset;
  });
  return found == std::string_view::npos ? 0 : found;
}

void require_known_names(const KernelSpec& spec, const Expression& expression, const AllowedNames& allowed,
                         const std::string& place, std::size_t shift) {
  const auto& text = expression.text();
  for (const auto& name : expression.names()) {
    if (spec.find_problem(name) != nullptr) continue;
    if (allowed.parameters && spec.find_parameter(name) != nullptr) continue;
    throw fault_in_string(place, shift + find_identifier(text, name), unknown_name(spec, name, text, allowed));
  }
  if (allowed.device || expression.device_properties().empty()) return;
  const auto property = "device." + expression.device_properties().front();
  throw fault_in_string(
      place, shift + std::min(text.find(property), text.size()),
      fmt::format("`{}` in `{}`: {} must not depend on the device", property, shortened(text), allowed.subject));
}

void require_integer_if_constant(const Expression& expression, std::int64_t least, const std::string& place) {
  if (!expression.names().empty() || !expression.device_properties().empty()) return;
  const auto result = expression.evaluate({});
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Fault(place, fmt::format("`{}` has no value: {}", shortened(expression.text()), undefined->reason));
  }
  const auto& value = std::get<Value>(result);
  if (value.is_integer() && value.integer() >= least) return;
  throw Fault(place, fmt::format("`{}`: expected an integer of at least {}", shortened(expression.text()), least));
}

}  // namespace attune
