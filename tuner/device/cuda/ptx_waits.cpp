#include "device/cuda/ptx_waits.hpp"

#include <algorithm>

namespace attune::cuda {
namespace {

constexpr std::string_view wait = "griddepcontrol.wait";

bool holds(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

// Returns the text from the brace at `open` to the one that closes it.
std::string_view braced(std::string_view ptx, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < ptx.size(); at = ptx.find_first_of("{}", at + 1)) {
    depth += ptx[at] == '{' ? 1 : -1;
    if (depth == 0) return ptx.substr(open, at - open);
  }
  return ptx.substr(open);
}

// Returns whether a function that is no entry waits.
bool a_function_waits(std::string_view ptx) {
  for (std::size_t at = ptx.find(".func"); at != std::string_view::npos; at = ptx.find(".func", at + 1)) {
    const std::size_t open = std::min(ptx.find_first_of("{;", at), ptx.size());
    if (open < ptx.size() && ptx[open] == '{' && holds(braced(ptx, open), wait)) return true;
  }
  return false;
}

// Returns the body of an entry. A declaration without one ends in a semicolon.
std::string_view body_of(std::string_view ptx, std::string_view symbol) {
  for (std::size_t at = ptx.find(symbol); at != std::string_view::npos; at = ptx.find(symbol, at + 1)) {
    const std::size_t line = ptx.rfind('\n', at) + 1;
    const std::size_t after = at + symbol.size();
    if (!holds(ptx.substr(line, at - line), ".entry") || ptx.substr(after).find_first_of("(;") != 0) continue;
    const std::size_t open = std::min(ptx.find_first_of("{;", after), ptx.size());
    if (open == ptx.size() || ptx[open] == ';') continue;
    return braced(ptx, open);
  }
  return "";
}

}  // namespace

bool waits_for_previous(std::string_view ptx, std::string_view symbol) {
  const std::string_view body = body_of(ptx, symbol);
  // Which function the entry calls is not looked up: a function that waits is called by the entries that need it.
  return holds(body, wait) || (holds(body, "\tcall") && a_function_waits(ptx));
}

}  // namespace attune::cuda
