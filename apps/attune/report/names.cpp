#include "report/names.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace attune::cli {
namespace {

constexpr std::string_view quotes = "\"'`";
constexpr std::string_view ends_of_paths = " \t\r\n\"'`<>()|,;*";
constexpr std::array sources = {".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp", ".inc"};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns where a path begins in a piece of text without blanks; npos where there is none.
std::size_t begin_of_path(std::string_view piece) {
  for (const std::string_view before : {"", "-I", "-L", "file://"})
    for (const std::string_view start : {"/", "./", "../", "~/"})
      if (piece.starts_with(before) && piece.substr(before.size()).starts_with(start)) return before.size();
  const std::size_t equals = piece.find("=/");
  if (equals != std::string_view::npos) return equals + 1;
  const std::string_view path = piece.substr(0, piece.find(':'));
  const bool is_source = std::ranges::any_of(sources, [&](const char* ending) { return path.ends_with(ending); });
  return is_source && path.find('/') != std::string_view::npos ? 0 : std::string_view::npos;
}

// Appends what may be shown of a path, and keeps the user's name of a home folder.
void append_shown(std::string_view path, std::string& shown, std::vector<std::string>& names) {
  const std::size_t end = path.find(':');
  const std::string_view tail = end == std::string_view::npos ? std::string_view() : path.substr(end);
  path = path.substr(0, end);
  if (path.find_first_not_of('/') == std::string_view::npos) {
    shown.append(path).append(tail);  // of a comment
    return;
  }
  if (std::ranges::count(path, '/') < 2 && !path.starts_with('.') && !path.starts_with('~') && path.starts_with('/')) {
    shown.append(path).append(tail);  // "/2", "/dev"
    return;
  }
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (!path.starts_with(homes)) continue;
    const std::string_view rest = path.substr(homes.size());
    const std::string_view user = rest.substr(0, rest.find('/'));
    if (!user.empty()) names.emplace_back(user);
    if (rest.size() == user.size()) path = "-";
  }
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  shown.append(path.substr(path.rfind('/') + 1)).append(tail);
}

// Replaces a name by a dash wherever it stands as a word.
void hide_word(std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_of_word(text[at - 1])) || (end < text.size() && is_of_word(text[end]))) continue;
    text.replace(at, name.size(), "-");
  }
}

// Returns the length of the piece at the beginning of `text`: a quoted path, with blanks in it, or all up to a blank.
std::size_t piece_length(std::string_view text, char before) {
  if (quotes.find(before) != std::string_view::npos && text.starts_with('/')) {
    const std::size_t close = text.find(before), line = text.find('\n');
    if (close < line) return close;
  }
  return std::min(text.find_first_of(ends_of_paths), text.size());
}

}  // namespace

std::string without_names(std::string_view text, const std::string& host) {
  std::string shown;
  std::vector<std::string> names = {host};
  const passwd* const user = getpwuid(getuid());
  if (user != nullptr && user->pw_uid != 0) names.emplace_back(user->pw_name);
  char before = ' ';
  while (!text.empty()) {
    const std::size_t length = piece_length(text, before);
    const std::string_view piece = text.substr(0, length);
    const std::size_t begin = begin_of_path(piece);
    shown.append(piece.substr(0, begin == std::string_view::npos ? piece.size() : begin));
    if (begin != std::string_view::npos) append_shown(piece.substr(begin), shown, names);
    text.remove_prefix(length);
    if (text.empty()) break;
    before = text.front();
    shown += before;
    text.remove_prefix(1);
  }
  for (const std::string& name : names) hide_word(shown, name);
  return shown;
}

}  // namespace attune::cli
