#include "apps/terminal/help_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <vector>

namespace attune::cli {
namespace {

namespace po = boost::program_options;

constexpr std::size_t usual_columns = 80, least_columns = 40, most_columns = 110;
constexpr std::size_t description_column = 28;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

// Appends a paragraph, whose first line begins at `indent`.
void add_paragraph(std::string& text, std::string_view paragraph, std::size_t columns, std::size_t indent) {
  std::size_t at = indent;
  for (std::size_t begin = paragraph.find_first_not_of(' '); begin != std::string_view::npos;) {
    const std::size_t end = std::min(paragraph.find(' ', begin), paragraph.size());
    const std::string_view word = paragraph.substr(begin, end - begin);
    if (at > indent && at + 1 + columns_of(word) > columns) {
      text += '\n' + std::string(indent, ' ');
      at = indent;
    }
    if (at > indent) text += ' ';
    at += columns_of(word) + (at > indent ? 1 : 0);
    text += word;
    begin = paragraph.find_first_not_of(' ', end);
  }
}

// Returns "-p, --problem PROBLEM".
std::string names_of(const po::option_description& option) {
  const std::string brief = option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  const std::string value = option.format_parameter();
  return (brief.size() == 2 && brief.front() == '-' ? brief + ", " : "") + "--" + option.long_name() +
         (value.empty() ? "" : " " + value);
}

constexpr std::string_view example_indent = "  ", further_indent = "      ", continued = " \\";

// Returns the words of a command; text in quotes belongs to one word.
std::vector<std::string_view> words_of(std::string_view command) {
  std::vector<std::string_view> words;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= command.size(); ++i) {
    if (i < command.size() && command[i] == '"') is_quoted = !is_quoted;
    if (i < command.size() && (command[i] != ' ' || is_quoted)) continue;
    if (i > begin) words.push_back(command.substr(begin, i - begin));
    begin = i + 1;
  }
  return words;
}

void add_example(std::string& text, std::string_view line, std::size_t columns) {
  const std::size_t comment = line.find(" # ");
  if (columns_of(line) <= columns) {
    text.append(line) += '\n';
    return;
  }
  if (comment != std::string_view::npos) text.append(example_indent).append(line.substr(comment + 1)) += '\n';
  std::string shown(example_indent);
  bool is_first = true;
  for (const std::string_view word : words_of(line.substr(0, comment))) {
    if (!is_first && columns_of(shown) + 1 + columns_of(word) + continued.size() > columns) {
      text.append(shown).append(continued) += '\n';
      shown = further_indent;
      is_first = true;
    }
    if (!is_first) shown += ' ';
    shown += word;
    is_first = false;
  }
  text += shown + '\n';
}

}  // namespace

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? usual_columns : size.ws_col;
}

std::size_t output_columns() { return std::clamp(terminal_columns(), least_columns, most_columns); }

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && ++shown > columns) break;
  return std::string(text.substr(0, end));
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = text.find('\n');
    if (!is_first) lines += '\n' + std::string(indent, ' ');
    add_paragraph(lines, text.substr(0, end), columns, indent);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string options_text(const po::options_description& options, std::size_t columns) {
  std::string text;
  for (const auto& option : options.options()) {
    std::string entry = "  " + names_of(*option);
    if (entry.size() + 2 > description_column)
      entry += '\n' + std::string(description_column, ' ');
    else
      entry.resize(description_column, ' ');
    text += entry + wrapped(option->description(), columns, description_column) + '\n';
  }
  return text;
}

std::string examples_text(std::string_view examples, std::size_t columns) {
  std::string text;
  while (!examples.empty()) {
    const std::size_t end = std::min(examples.find('\n'), examples.size());
    const std::string_view line = examples.substr(0, end);
    if (line.starts_with(example_indent))
      add_example(text, line, columns);
    else
      text += wrapped(line, columns, 0) + '\n';
    examples.remove_prefix(std::min(end + 1, examples.size()));
  }
  return text;
}

}  // namespace attune::cli
