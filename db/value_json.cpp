#include "db/value_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "attune/error.hpp"

namespace attune {
namespace {

using nlohmann::json;

// In the order of Value::Kind.
constexpr std::array<const char*, 4> kind_names = {"boolean", "integer", "real", "name"};

struct NonFinite {
  const char* text;
  double value;
};
constexpr NonFinite non_finite[] = {{"inf", std::numeric_limits<double>::infinity()},
                                    {"-inf", -std::numeric_limits<double>::infinity()},
                                    {"nan", std::numeric_limits<double>::quiet_NaN()}};

json real_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

json value_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.boolean();
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return real_json(value.real());
    case Value::Kind::name:
      return value.name();
  }
  return nullptr;
}

std::optional<Value> real_from(const json& item) {
  if (item.is_number_float()) return Value(item.get<double>());
  if (!item.is_string()) return {};
  for (const NonFinite& known : non_finite)
    if (item.get_ref<const std::string&>() == known.text) return Value(known.value);
  return {};
}

std::optional<Value> value_from(std::string_view kind, const json& item) {
  // nlohmann reads integers above the signed range as unsigned: no Value is one
  const bool is_int64 = item.is_number_integer() && !(item.is_number_unsigned() && item.get<std::uint64_t>() >> 63);
  if (kind == "boolean" && item.is_boolean()) return Value(item.get<bool>());
  if (kind == "integer" && is_int64) return Value(item.get<std::int64_t>());
  if (kind == "real") return real_from(item);
  if (kind == "name" && item.is_string()) return Value(item.get<std::string>());
  return {};
}

}  // namespace

std::string typed_json(const Bindings& bindings) {
  json list = json::array();
  for (const Binding& binding : bindings)
    list.push_back(
        {binding.name, kind_names[static_cast<std::size_t>(binding.value.kind())], value_json(binding.value)});
  try {
    return list.dump();
  } catch (const json::type_error&) {
    throw UsageError("a name or value is not UTF-8 text, so it cannot be stored");
  }
}

std::optional<Bindings> bindings_from_typed_json(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<Binding> items;
  for (const json& item : list) {
    if (!item.is_array() || item.size() != 3 || !item[0].is_string() || !item[1].is_string()) return {};
    auto value = value_from(item[1].get_ref<const std::string&>(), item[2]);
    if (!value) return {};
    items.push_back({item[0].get<std::string>(), *std::move(value)});
  }
  return Bindings(std::move(items));
}

std::string numbers_json(const std::vector<double>& numbers) { return json(numbers).dump(); }

std::optional<std::vector<double>> numbers_from_json(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<double> numbers;
  for (const json& item : list) {
    if (!item.is_number() && !item.is_null()) return {};
    numbers.push_back(item.is_null() ? std::numeric_limits<double>::quiet_NaN() : item.get<double>());
  }
  return numbers;
}

std::string shapes_json(const std::vector<LaunchShape>& shapes) {
  auto list = nlohmann::ordered_json::array();
  for (const LaunchShape& shape : shapes) {
    list.push_back({{"grid", shape.grid}, {"block", shape.block}, {"shared", shape.shared_bytes}});
    if (shape.cluster_blocks() > 1) list.back()["cluster"] = shape.cluster;
    if (shape.overlaps) list.back()["overlaps"] = true;
  }
  return list.dump();
}

std::optional<std::vector<LaunchShape>> shapes_from_json(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<LaunchShape> shapes;
  try {
    for (const json& item : list)
      shapes.push_back({item.at("grid").get<std::array<std::uint32_t, 3>>(),
                        item.at("block").get<std::array<std::uint32_t, 3>>(), item.at("shared").get<std::uint64_t>(),
                        item.value("cluster", LaunchShape{}.cluster), item.value("overlaps", false)});
  } catch (const json::exception&) {
    return {};
  }
  if (shapes_json(shapes) != text) return {};
  return shapes;
}

nlohmann::ordered_json plain_json(const Bindings& bindings) {
  auto object = nlohmann::ordered_json::object();
  for (const Binding& binding : bindings) object[binding.name] = value_json(binding.value);
  return object;
}

}  // namespace attune
