// Writes and reads a Value in archives.
#pragma once

#include <type_traits>
#include <utility>

#include "attune/value.hpp"
#include "base/archive.hpp"

namespace attune {

inline void write_value(WriteArchive& a, const Value& value) {
  a.choice(value.kind(), Value::Kind::name);
  switch (value.kind()) {
    case Value::Kind::boolean:
      return a(value.boolean());
    case Value::Kind::integer:
      return a(value.integer());
    case Value::Kind::real:
      return a(value.real());
    case Value::Kind::name:
      return a(value.name());
  }
}

template <typename T>
Value read_as(ReadArchive& a) {
  T value{};
  a(value);
  return Value(std::move(value));
}

inline Value read_value(ReadArchive& a, std::type_identity<Value>) {
  Value::Kind kind{};
  a.choice(kind, Value::Kind::name);
  switch (kind) {
    case Value::Kind::boolean:
      return read_as<bool>(a);
    case Value::Kind::integer:
      return read_as<std::int64_t>(a);
    case Value::Kind::real:
      return read_as<double>(a);
    case Value::Kind::name:
      return read_as<std::string>(a);
  }
  return {};
}

}  // namespace attune
