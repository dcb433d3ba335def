#include "draft/launches.hpp"

namespace attune::draft {
namespace {

// Returns the parentheses or braces that open at `at`, without them; nothing if they do not close.
Part inside(Part part, std::size_t at) {
  int depth = 0;
  for (std::size_t end = at; end < part.size(); ++end) {
    const std::string_view text = part[end].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") --depth;
    if (depth == 0) return part.subspan(at + 1, end - at - 1);
  }
  return {};
}

std::vector<std::string> texts_of(const std::vector<Part>& parts) {
  std::vector<std::string> texts;
  for (const Part part : parts) texts.push_back(text_of(part));
  return texts;
}

// Reads what stands behind `name =`, up to its end.
std::vector<std::string> assigned(Part part, std::size_t begin) {
  std::size_t end = begin;
  for (int depth = 0; end < part.size(); ++end) {
    const std::string_view text = part[end].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") --depth;
    if (depth < 0 || text == ";" || (depth == 0 && text == ",")) break;
  }
  const Part value = part.subspan(begin, end - begin);
  if (value.size() > 2 && value[0].text == "dim3") return texts_of(split_at_commas(inside(value, 1), true));
  return {text_of(value)};
}

// Notes the variable that is set at `at`, if one is. A variable that is changed is not known any more.
void note_local(Part part, std::size_t at, Locals& locals) {
  if (!part[at].is_word() || at + 2 >= part.size()) return;
  const std::string_view before = at > 0 ? part[at - 1].text : "", next = part[at + 1].text;
  const bool is_member = before == "." || (before == ">" && at > 1 && part[at - 2].text == "-");
  if (is_member) return;
  const std::string name(part[at].text);
  if (next == "=" && part[at + 2].text != "=")
    locals[name] = assigned(part, at + 2);
  else if ((next == "(" || next == "{") && before == "dim3")
    locals[name] = texts_of(split_at_commas(inside(part, at + 1), true));
  else if (part[at + 2].text == "=" && std::string_view("+-*/%|&^").find(next) != std::string::npos)
    locals.erase(name);
}

// Returns the position of the name of what is launched by the <<< at `at`; the number of tokens if there is none. Sets
// its template arguments.
std::size_t launched_name(Part part, std::size_t at, std::vector<std::string>& template_arguments) {
  if (at == 0) return part.size();
  if (part[at - 1].is_word()) return at - 1;
  if (part[at - 1].text != ">") return part.size();
  constexpr std::size_t farthest = 1000;  // tokens: no list is longer
  int depth = 0;
  for (std::size_t begin = at; begin > 0 && at - begin < farthest; --begin) {
    if (part[begin - 1].text == ">") ++depth;
    if (part[begin - 1].text != "<" || --depth > 0) continue;
    template_arguments = texts_of(split_at_commas(part.subspan(begin, at - 1 - begin), true));
    return begin > 1 && part[begin - 2].is_word() ? begin - 2 : part.size();
  }
  return part.size();
}

// Returns the position of the >>> that ends a configuration; the number of tokens if there is none.
std::size_t configuration_end(Part part, std::size_t at) {
  int depth = 0;
  for (; at < part.size(); ++at) {
    const std::string_view text = part[at].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") --depth;
    if (depth < 0 || text == ";") break;
    if (depth == 0 && is_tripled(part, at, ">")) return at;
  }
  return part.size();
}

// Reads the launch whose <<< is at `at`. Returns whether there is one.
bool read_launch(Part part, std::size_t at, Launch& launch) {
  const std::size_t name = launched_name(part, at, launch.template_arguments), end = configuration_end(part, at + 3);
  if (name >= part.size() || end + 3 >= part.size() || part[end + 3].text != "(") return false;
  const std::vector<std::string> terms = texts_of(split_at_commas(part.subspan(at + 3, end - at - 3), false));
  if (terms.size() < 2) return false;
  launch.kernel = part[name].text;
  launch.grid = terms[0];
  launch.block = terms[1];
  if (terms.size() > 2) launch.shared = terms[2];
  launch.arguments = texts_of(split_at_commas(inside(part, end + 3), true));
  return true;
}

}  // namespace

std::vector<Launch> read_launches(Part body) {
  std::vector<Launch> launches;
  Locals locals;
  for (std::size_t at = 0; at < body.size(); ++at) {
    note_local(body, at, locals);
    if (body[at].text != "<" || !is_tripled(body, at, "<")) continue;
    Launch launch;
    if (read_launch(body, at, launch)) {
      launch.locals = locals;
      launches.push_back(std::move(launch));
    }
    at += 2;
  }
  return launches;
}

}  // namespace attune::draft
