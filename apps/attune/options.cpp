#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "apps/terminal/help_text.hpp"
#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/near_name.hpp"
#include "base/shell_word.hpp"
#include "device/device.hpp"
#include "files/paths.hpp"
#include "put_text.hpp"

namespace attune::cli {
namespace {

// Returns "KERNEL" for the word `kernel` of a command, as its usage writes it.
std::string what_is_missing(std::string name) {
  if (name.ends_with('s')) name.pop_back();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

}  // namespace
namespace po = boost::program_options;

Options::Options(std::string usage, std::string examples, std::vector<std::string> positional)
    : usage_(std::move(usage)), examples_(std::move(examples)), positional_(std::move(positional)) {
  if (positional_.empty() || !positional_.back().ends_with("...")) return;
  rest_ = positional_.back().substr(0, positional_.back().size() - 3);
  positional_.pop_back();
}

std::string Options::help() const {
  constexpr std::string_view begin = "usage: ";
  const std::size_t columns = output_columns();
  po::options_description shown;
  for (const auto& option : description_.options()) {
    const bool is_positional = option->long_name() == rest_ || std::find(positional_.begin(), positional_.end(),
                                                                         option->long_name()) != positional_.end();
    if (!is_positional) shown.add(option);
  }
  shown.add_options()("help,h", "this text");
  std::string text =
      fmt::format("{}{}\n\noptions\n{}", begin, wrapped(usage_, columns, begin.size()), options_text(shown, columns));
  if (!examples_.empty()) text += "\nexamples\n" + examples_text(examples_, columns);
  return text;
}

bool Options::parse(const Arguments& arguments) {
  for (const std::string& name : positional_) description_.add_options()(name.c_str(), po::value<std::string>());
  if (!rest_.empty()) description_.add_options()(rest_.c_str(), po::value<std::vector<std::string>>());
  po::options_description all;
  all.add(description_);
  all.add_options()("help,h", "this text");
  po::positional_options_description places;
  for (const std::string& name : positional_) places.add(name.c_str(), 1);
  if (!rest_.empty()) places.add(rest_.c_str(), -1);
  try {
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(places)
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              values_);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : all.options()) names.push_back("--" + option->long_name());
    throw UsageError("unknown option `" + error.get_option_name() + "`" + suggestion(error.get_option_name(), names) +
                     "; see: " + usage_.substr(0, usage_.find(' ', 7)) + " --help");
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many arguments; usage: " + usage_ + " (an argument with spaces needs quotes)");
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; usage: " + usage_);
  }
  if (has("help")) std::cout << help();
  return has("help");
}

std::optional<std::string> Options::text(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return values_[name].as<std::string>();
}

std::vector<std::string> Options::list(const std::string& name) const {
  if (!has(name)) return {};
  return values_[name].as<std::vector<std::string>>();
}

std::optional<long long> Options::integer(const std::string& name, long long least, long long most) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const std::string wanted = "--" + name + " takes a whole number from " + std::to_string(least) + " to " +
                             std::to_string(most) + ", not `" + *given + "`";
  std::int64_t value = 0;
  try {
    value = Expression(*given).integer({}, name);
  } catch (const Error&) {
    throw UsageError(wanted);
  }
  if (value < least || value > most) throw UsageError(wanted);
  return value;
}

std::optional<double> Options::seconds(const std::string& name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  char* end = nullptr;
  double value = std::strtod(given->c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty() || unit == "s"    ? 1
                       : unit == "ms"                 ? 1e-3
                       : unit == "m" || unit == "min" ? 60
                       : unit == "h"                  ? 3600
                                                      : 0;
  value *= scale;
  if (end == given->c_str() || scale == 0 || !std::isfinite(value) || value <= 0)
    throw UsageError("--" + name + " takes a time such as 60s, 5m or 1h, not `" + *given + "`");
  return value;
}

std::string Options::required(const std::string& name) const {
  if (const std::optional<std::string> given = text(name)) return *given;
  throw UsageError(fmt::format("{} is missing; usage: {}", what_is_missing(name), usage_));
}

std::vector<std::string> Options::required_list(const std::string& name) const {
  if (has(name)) return list(name);
  throw UsageError(fmt::format("{} is missing; usage: {}", what_is_missing(name), usage_));
}

std::string device_name(const Options& options) {
  if (const std::optional<std::string> given = options.text("device")) return *given;
  const char* const environment = std::getenv("ATTUNE_DEVICE");
  return environment != nullptr && *environment != '\0' ? environment : "cuda";
}

void note_on_stderr(const std::string& text) { put_error(text); }

std::filesystem::path usable_lock_folder() {
  std::string reason;
  std::filesystem::path folder = attune::usable_lock_folder(reason);
  if (!folder.empty()) return folder;
  note_on_stderr(
      fmt::format("there is no cache: turns with other tuners are not taken, images are not kept ({}); "
                  "ATTUNE_CACHE names another folder",
                  reason));
  return {};
}

std::string database_path(const Options& options) {
  if (const std::optional<std::string> given = options.text("db")) return *given;
  return default_database_path().string();
}

std::string database_to_read(const Options& options) {
  static bool is_said = false;
  try {
    return database_path(options);
  } catch (const Error& error) {
    if (!std::exchange(is_said, true)) note_on_stderr(fmt::format("there is no wisdom: {}", error.what()));
    return {};
  }
}

std::filesystem::path cache_path(const Options& options) {
  if (const std::optional<std::string> given = options.text("cache")) return *given;
  return default_cache_path();
}

std::string space_command(const Options& options, const std::string& problem) {
  const std::string problem_option = problem.empty() ? "" : " --problem " + shell_word(problem);
  return fmt::format("attune space {}{} --device {}", shell_word(options.required("kernel")), problem_option,
                     device_name(options));
}

Regime regime_of(const Options& options) {
  const std::string text = options.text("regime").value_or("cold");
  if (const std::optional<Regime> regime = attune::regime_of(text)) return *regime;
  throw UsageError("unknown regime `" + text + "`; it is " + std::string(regime_names));
}

bool is_architecture(const std::string& device) { return device.rfind("sm_", 0) == 0; }

DeviceInfo device_info_for(const std::string& device) {
  return is_architecture(device) ? device_limits(device) : open_device(device)->info();
}

}  // namespace attune::cli
