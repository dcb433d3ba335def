#include "draft/launches.hpp"

#include <algorithm>

namespace attune::draft {
namespace {

// Longer lists and values are not read, so that no text takes long.
constexpr std::size_t most_tokens = 300;
constexpr std::size_t most_launches = 200, most_locals = 500;

Part near(Part part, std::size_t begin) { return part.subspan(begin, std::min(most_tokens, part.size() - begin)); }

std::vector<std::string> texts_of(const std::vector<Part>& parts) {
  std::vector<std::string> texts;
  for (const Part part : parts) texts.push_back(text_of(part));
  return texts;
}

// Reads what stands behind `name =`, up to its end.
std::vector<std::string> assigned(Part part, std::size_t begin) {
  const Part rest = near(part, begin);
  std::size_t end = 0;
  for (int depth = 0; end < rest.size(); ++end) {
    depth += step_of(rest[end]);
    if (depth < 0 || rest[end].text == ";" || (depth == 0 && rest[end].text == ",")) break;
  }
  const Part value = rest.first(end);
  if (value.size() > 2 && value[0].text == "dim3") return texts_of(split_at_commas(inside(value, 1), true));
  return {text_of(value)};
}

// Notes the bytes of an array as a variable `&NAME`: cudaMalloc(&NAME, BYTES).
void note_allocation(Part part, std::size_t at, Locals& locals) {
  if (!part[at].text.starts_with("cudaMalloc") || part[at + 1].text != "(") return;
  const std::vector<Part> arguments = split_at_commas(inside(near(part, at + 1), 0), true);
  const bool is_read =
      arguments.size() > 1 && arguments[0].size() > 1 && arguments[0][arguments[0].size() - 2].text == "&";
  if (is_read) locals["&" + std::string(arguments[0].back().text)] = {text_of(arguments[1])};
}

// Notes the variable that is set at `at`, if one is. A variable that is changed is not known any more.
void note_local(Part part, std::size_t at, Locals& locals) {
  if (!part[at].is_word() || at + 2 >= part.size()) return;
  note_allocation(part, at, locals);
  const std::string_view before = at > 0 ? part[at - 1].text : "", next = part[at + 1].text;
  const bool is_member = before == "." || (before == ">" && at > 1 && part[at - 2].text == "-");
  if (is_member) return;
  const std::string name(part[at].text);
  if (next == "=" && part[at + 2].text != "=")
    locals[name] = assigned(part, at + 2);
  else if ((next == "(" || next == "{") && before == "dim3")
    locals[name] = texts_of(split_at_commas(inside(near(part, at + 1), 0), true));
  else if (part[at + 2].text == "=" && std::string_view("+-*/%|&^").find(next) != std::string::npos)
    locals.erase(name);
}

// Returns the position of the name of what is launched by the <<< at `at`; the number of tokens if there is none. Sets
// its template arguments.
std::size_t launched_name(Part part, std::size_t at, std::vector<std::string>& template_arguments) {
  if (at == 0) return part.size();
  if (part[at - 1].is_word()) return at - 1;
  if (part[at - 1].text != ">") return part.size();
  int depth = 0;
  for (std::size_t begin = at; begin > 0 && at - begin < most_tokens; --begin) {
    if (part[begin - 1].text == ">") ++depth;
    if (part[begin - 1].text != "<" || --depth > 0) continue;
    template_arguments = texts_of(split_at_commas(part.subspan(begin, at - 1 - begin), true));
    return begin > 1 && part[begin - 2].is_word() ? begin - 2 : part.size();
  }
  return part.size();
}

// Returns the position of the >>> that ends a configuration; the number of tokens if there is none.
std::size_t configuration_end(Part part, std::size_t at) {
  const std::size_t last = std::min(part.size(), at + most_tokens);
  for (int depth = 0; at < last && depth >= 0 && part[at].text != ";"; ++at) {
    depth += step_of(part[at]);
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
  launch.arguments = texts_of(split_at_commas(inside(near(part, end + 3), 0), true));
  return true;
}

}  // namespace

std::vector<Launch> read_launches(Part body) {
  std::vector<Launch> launches;
  Locals locals;
  for (std::size_t at = 0; at < body.size() && launches.size() < most_launches; ++at) {
    if (locals.size() < most_locals) note_local(body, at, locals);
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
