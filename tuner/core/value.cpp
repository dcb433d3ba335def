#include "attune/value.hpp"

#include <charconv>

namespace attune {
namespace {

std::string real_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string Value::text() const {
  switch (kind()) {
    case Kind::boolean:
      return boolean() ? "true" : "false";
    case Kind::integer:
      return std::to_string(integer());
    case Kind::real:
      return real_text(real());
    case Kind::name:
      return name();
  }
  return {};
}

}  // namespace attune
