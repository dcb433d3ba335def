#include "core/bindings_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "attune/error.hpp"
#include "base/utf8.hpp"

namespace attune {
namespace {

void append_text(std::string& json, std::string_view text) {
  json += '"';
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) throw UsageError(fmt::format("the name `{}` is not UTF-8 text, so it cannot be stored", text));
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte == '"' || byte == '\\')
      json.append("\\").append(rest, 0, 1);
    else if (byte < 0x20)
      json += fmt::format("\\u{:04x}", byte);
    else
      json.append(rest, 0, length);
    rest.remove_prefix(length);
  }
  json += '"';
}

constexpr std::size_t most_names = 4096;

// Reads bindings from the front of a text. If the text is not such bindings, a part of it is left.
class BindingsParser {
 public:
  explicit BindingsParser(std::string_view text) : rest_(text) {}

  std::optional<Bindings> bindings() {
    Bindings items;  // each name is compared with all before it
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      if (items.size() == most_names || (!items.empty() && !take(','))) return std::nullopt;
      auto name = text();
      if (!name || !take(':')) return std::nullopt;
      auto bound = value();
      if (!bound || items.find(*name) != nullptr) return std::nullopt;
      items.set(*std::move(name), *std::move(bound));
    }
    if (!rest_.empty()) return std::nullopt;
    return items;
  }

 private:
  bool take(char wanted) { return take(std::string_view(&wanted, 1)); }
  bool take(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  std::optional<std::string> text() {
    if (!take('"')) return std::nullopt;
    std::string found;
    while (!take('"')) {
      if (rest_.empty() || (rest_.front() == '\\' && rest_.size() < 2)) return std::nullopt;
      if (take("\\u")) {
        unsigned code = 0;
        const char* const end = rest_.data() + std::min<std::size_t>(rest_.size(), 4);
        if (std::from_chars(rest_.data(), end, code, 16).ptr != rest_.data() + 4 || code >= 0x20) return std::nullopt;
        rest_.remove_prefix(4);
        found += static_cast<char>(code);
        continue;
      }
      take('\\');
      found += rest_.front();
      rest_.remove_prefix(1);
    }
    return found;
  }

  template <typename T>
  std::optional<Value> number(std::string_view digits) {
    T value{};
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    rest_.remove_prefix(digits.size());
    return Value(value);
  }

  std::optional<Value> value() {
    if (take("true")) return Value(true);
    if (take("false")) return Value(false);
    if (rest_.starts_with('"')) {
      auto name = text();
      return name ? std::optional<Value>(*std::move(name)) : std::nullopt;
    }
    const std::string_view digits = rest_.substr(0, std::min(rest_.find_first_of(",}"), rest_.size()));
    return digits.find_first_of(".en") == std::string_view::npos ? number<std::int64_t>(digits)
                                                                 : number<double>(digits);
  }

  std::string_view rest_;
};

}  // namespace

std::string bindings_json(const Bindings& bindings) {
  std::string json = "{";
  for (const Binding& binding : bindings) {
    if (json.size() > 1) json += ',';
    append_text(json, binding.name);
    json += ':';
    const Value& value = binding.value;
    if (value.is_real() && !std::isfinite(value.real()))
      throw UsageError(fmt::format("{}={} is not finite, so it cannot be stored", binding.name, value.text()));
    if (value.is_name())
      append_text(json, value.name());
    else
      json += value.text();
  }
  return json + '}';
}

std::optional<Bindings> bindings_of_json(std::string_view text) {
  auto found = BindingsParser(text).bindings();
  try {
    if (found && bindings_json(*found) != text) return std::nullopt;
  } catch (const UsageError&) {
    return std::nullopt;
  }
  return found;
}

[[gnu::cold]] std::string configurations_json(std::span<const Configuration> configurations) {
  std::string json;
  for (const Configuration& one : configurations) json += (json.empty() ? "" : "\n") + bindings_json(one);
  return json;
}

[[gnu::cold]] std::optional<std::vector<Configuration>> configurations_of_json(std::string_view text) {
  std::vector<Configuration> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto one = bindings_of_json(text.substr(0, end));
    if (!one) return std::nullopt;
    found.emplace_back(*std::move(one));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

}  // namespace attune
