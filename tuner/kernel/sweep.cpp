#include "kernel/sweep.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr std::uint64_t most_values = 1000;

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Sweep parse_sweep(std::string_view text) {
  constexpr std::string_view mark = "..";
  const std::size_t equals = text.find('='), dots = text.find(mark);
  std::optional<std::int64_t> first, last;
  if (equals != std::string_view::npos && dots != std::string_view::npos && equals < dots) {
    first = integer_of(text.substr(equals + 1, dots - equals - 1));
    last = integer_of(text.substr(dots + mark.size()));
  }
  if (!first || !last)
    throw UsageError(fmt::format("`{}` is no sweep: expected a form such as \"offset=0..32\"", text));
  const bool is_empty = *first > *last;
  const std::uint64_t further = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);  // any int64
  if (is_empty || further >= most_values)
    throw UsageError(fmt::format("`{}` has {} values: expected 1 to {}", text,
                                 is_empty ? "no" : fmt::format("more than {}", most_values), most_values));
  return {std::string(text.substr(0, equals)), *first, *last};
}

}  // namespace attune
