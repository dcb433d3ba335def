#include "db/value_json.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace attune {

using nlohmann::json;

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

}  // namespace attune
