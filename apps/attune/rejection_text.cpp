#include "rejection_text.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "base/shell_word.hpp"
#include "files/paths.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

// A verdict is frequent if so much of the failures have it. The first is shown in any case.
constexpr std::int64_t frequent_of = 20;
constexpr std::size_t most_shown = 5;

constexpr std::size_t most_reason = 300;  // characters

bool is_own(const std::string& database) {
  try {
    return default_database_path() == database;
  } catch (const Error&) {  // there is no home folder
    return false;
  }
}

}  // namespace

std::string reason_of(std::string_view detail) {
  std::string_view first, error;
  while (!detail.empty() && error.empty()) {
    const auto end = detail.find('\n');
    const std::string_view line = detail.substr(0, end);
    detail.remove_prefix(end == std::string_view::npos ? detail.size() : end + 1);
    if (first.empty() && line.find_first_not_of(" \t\r") != std::string_view::npos) first = line;
    if (line.find("error") != std::string_view::npos) error = line;
  }
  const std::string_view reason = error.empty() ? first : error;
  return reason.size() <= most_reason ? std::string(reason) : std::string(reason.substr(0, most_reason)) + " ...";
}

std::string trials_command(const std::string& kernel, const Problem& problem, const std::string& database) {
  std::string command = "attune trials " + shell_word(kernel);
  if (!problem.empty()) command += " --problem " + shell_word(problem.text());
  if (!is_own(database)) command += " --db " + shell_word(database);
  return command;
}

std::string rejections_text(std::span<const Rejection> rejections, const std::string& command, Shown which) {
  std::int64_t failures = 0;
  for (const Rejection& rejection : rejections) failures += rejection.count;
  std::string text;
  std::size_t shown = 0;
  for (const Rejection& rejection : rejections) {
    const bool is_frequent = frequent_of * rejection.count >= failures;
    if (which == Shown::frequent && ((!is_frequent && shown > 0) || shown++ == most_shown)) break;
    text += "  " +
            in_lines(fmt::format("{} {}, such as {}: {}", rejection.count, to_text(rejection.verdict),
                                 rejection.example.text(), reason_of(rejection.detail)),
                     4) +
            "\n";
    if (!command.empty()) text += fmt::format("    {} --verdict {}\n", command, to_text(rejection.verdict));
  }
  return text;
}

std::string few_survived_text(std::int64_t survivors, std::int64_t trials) {
  return fmt::format("the answer is of few: {} of {} configurations that were tried are right\n", survivors, trials);
}

}  // namespace attune::cli
