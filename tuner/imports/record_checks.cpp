#include "imports/record_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "base/utf8.hpp"
#include "core/device_class.hpp"
#include "core/regime.hpp"
#include "db/fields.hpp"
#include "measure/objective.hpp"

namespace attune {
namespace {

constexpr std::size_t most_name = 128, most_text = 512, most_constants = 4096, most_values = 4096;
constexpr double most_number = 1e18;               // a time of 30 years in ns
constexpr double most_rounding = 1e-3;             // of a ratio that others wrote with few digits
constexpr std::int64_t last_ms = 253402300799999;  // the year 9999

// Returns a text as a part of a message.
std::string quoted_start(std::string_view text) {
  constexpr std::size_t most = 60;
  return text.size() <= most ? fmt::format("`{}`", text) : fmt::format("a text of {} bytes", text.size());
}

// Returns whether a text is UTF-8 without control characters.
bool is_on_a_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0 || byte < 0x20 || byte == 0x7f) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_file_like(std::string_view name) {
  return !name.empty() && name.size() <= most_name && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view shape = "00000000-0000-0000-0000-000000000000";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == '-' ? text[i] != '-' : !is_hexadecimal(text.substr(i, 1))) return false;
  return true;
}

bool is_objective(const std::string& text) {
  try {
    return text.size() <= most_text && Objectives(text).text() == text;
  } catch (const UsageError&) {
    return false;
  }
}

// Returns what is expected of a text field, if the text is not that; else "".
std::string_view expected_of(std::string_view field, const std::string& text) {
  const auto unless = [](bool is_right, std::string_view expected) { return is_right ? "" : expected; };
  if (field == "kernel") return unless(is_file_like(text), "a name of at most 128 letters, digits, `_`, `.`, `-`");
  const bool is_unknown_space = field == "space" && text.empty();  // of a pin that no session measured
  if (field == "code" || field == "contract" || (field == "space" && !is_unknown_space))
    return unless(text.size() == 64 && is_hexadecimal(text), "a fingerprint of 64 hexadecimal digits");
  if (field == "uuid") return unless(is_uuid(text), "an identifier such as 11111111-2222-4333-8444-555555555555");
  if (field == "regime") return unless(regime_of(text).has_value(), regime_names);
  if (field == "objective") return unless(is_objective(text), "an objective such as time");
  if (!is_on_a_line(text)) return "UTF-8 text on one line";
  if (field == "device_class")
    return unless(text.size() <= most_text && device_of_class(text, {}).has_value(), "the class of a device");
  return unless(text.size() <= (field == "constants" ? most_constants : most_text), "a short text");
}

// Checks the values that a list of fields visits.
class FieldChecks {
 public:
  void operator()(const char* field, const std::string& text) const {
    const std::string_view expected = expected_of(field, text);
    if (!expected.empty()) throw UsageError(fmt::format("{} is {}: expected {}", field, quoted_start(text), expected));
  }
  void operator()(const char* field, double number) const {
    if (!(number >= 0 && number <= most_number))
      throw UsageError(fmt::format("{} is {}: expected a number from 0 to {}", field, number, most_number));
  }
  template <typename T>
  void operator()(const char* field, const T& value) const {
    if constexpr (std::derived_from<T, Bindings>) {
      check_configuration(Configuration(value));
    } else if constexpr (std::signed_integral<T>) {
      const bool is_date = std::string_view(field).ends_with("_ms");
      if (value < 0 || (is_date && static_cast<std::int64_t>(value) > last_ms))
        throw UsageError(fmt::format("{} is {}: expected {}", field, value, is_date ? "a date" : "0 or more"));
    }
  }
};

}  // namespace

void check_configuration(const Configuration& configuration) {
  if (configuration.size() > most_values)
    throw UsageError(fmt::format("{} values: expected at most {}", configuration.size(), most_values));
  for (const auto& [name, value] : configuration) {
    if (!is_identifier(name) || name.size() > most_name)
      throw UsageError(fmt::format("{} is no name of a value", quoted_start(name)));
    if (value.is_real() && !std::isfinite(value.real())) throw UsageError(fmt::format("{} is not finite", name));
    if (value.is_name() && (value.name().size() > most_text || !is_on_a_line(value.name())))
      throw UsageError(fmt::format("{} is {}: expected a short text on one line", name, quoted_start(value.name())));
  }
}

void check_record(const Record& record) {
  const FieldChecks check;
  key_fields(check, record.key);
  fields(check, record);
  if (record.configuration.empty()) throw UsageError("configuration is empty");
  if (record.batch < 1) throw UsageError("batch is 0: expected 1 or more");
  const bool is_within = record.speedup_low <= record.speedup * (1 + most_rounding) &&
                         record.speedup <= record.speedup_high * (1 + most_rounding);
  if (!(record.speedup > 0 && record.speedup_low > 0 && record.speedup_low <= record.speedup_high && is_within))
    throw UsageError(fmt::format("speedup is {} within [{}, {}]: expected a positive ratio within its interval",
                                 record.speedup, record.speedup_low, record.speedup_high));
}

void check_session(const SessionRow& session) {
  const FieldChecks check;
  key_fields(check, session.key.record);
  fields(check, session);
}

}  // namespace attune
