#include "db/value_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/record_fields.hpp"

namespace attune {
namespace {

using nlohmann::json;

// Reads the front of a text, which is then left out of the rest. A database has a million of these texts, so that they
// are read without a tree of values.
class FrontReader {
 public:
  explicit FrontReader(std::string_view text) : rest_(text) {}
  bool is_done() const noexcept { return rest_.empty(); }

  bool take(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  // Reads a number that begins with a digit or with a minus and a digit.
  bool read(double& value) {
    const bool is_negative = rest_.starts_with('-');
    return begins_with_digit(is_negative ? 1 : 0) && read_number(value) && std::isfinite(value);
  }
  // Reads an integer without a zero in front of it.
  template <std::unsigned_integral T>
  bool read(T& value) {
    const bool is_short = rest_.size() < 2 || rest_[0] != '0';
    return (is_short || !begins_with_digit(1)) && begins_with_digit(0) && read_number(value);
  }
  bool read(std::array<std::uint32_t, 3>& three) {
    return take("[") && read(three[0]) && take(",") && read(three[1]) && take(",") && read(three[2]) && take("]");
  }

 private:
  bool begins_with_digit(std::size_t at) const { return at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9'; }
  template <typename T>
  bool read_number(T& value) {
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (failure != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  std::string_view rest_;
};

// Reads `[ITEM,ITEM,...]`, the whole text. `read_item(reader)` appends an item and returns whether there was one.
template <typename ReadItem>
bool read_list(std::string_view text, const ReadItem& read_item) {
  FrontReader reader(text);
  if (!reader.take("[")) return false;
  for (bool is_first = true; !reader.take("]"); is_first = false)
    if ((!is_first && !reader.take(",")) || !read_item(reader)) return false;
  return reader.is_done();
}

bool read_shape(FrontReader& reader, LaunchShape& shape) {
  if (!reader.take(R"({"grid":)") || !reader.read(shape.grid) || !reader.take(R"(,"block":)") ||
      !reader.read(shape.block) || !reader.take(R"(,"shared":)") || !reader.read(shape.shared_bytes))
    return false;
  if (reader.take(R"(,"cluster":)") && (!reader.read(shape.cluster) || shape.cluster_blocks() <= 1)) return false;
  shape.overlaps = reader.take(R"(,"overlaps":true)");
  return reader.take("}");
}

}  // namespace

std::string numbers_json(const std::vector<double>& numbers) { return json(numbers).dump(); }

std::optional<std::vector<double>> numbers_from_json(std::string_view text) {
  std::vector<double> numbers;
  const bool is_sound = read_list(text, [&](FrontReader& reader) {
    double& number = numbers.emplace_back(std::numeric_limits<double>::quiet_NaN());
    return reader.take("null") || reader.read(number);
  });
  return is_sound ? std::optional(std::move(numbers)) : std::nullopt;
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
  std::vector<LaunchShape> shapes;
  const bool is_sound = read_list(text, [&](FrontReader& reader) { return read_shape(reader, shapes.emplace_back()); });
  return is_sound ? std::optional(std::move(shapes)) : std::nullopt;
}

std::string boards_json(const std::vector<BoardResult>& boards) {
  auto list = nlohmann::ordered_json::array();
  for (const BoardResult& board : boards) {
    auto& object = list.emplace_back();
    fields([&](const char* name, const auto& value) { object[name] = value; }, board);
  }
  return list.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<std::vector<BoardResult>> boards_from_json(std::string_view text) try {
  std::vector<BoardResult> boards;
  const json list = json::parse(text);
  for (const json& object : list.get_ref<const json::array_t&>())
    fields([&](const char* name, auto& value) { object.at(name).get_to(value); }, boards.emplace_back());
  for (const BoardResult& board : boards)
    if (board.rounds < 0 || !(board.median_ns >= 0) || !(board.speedup >= 0)) return {};
  return boards;
} catch (const json::exception&) {
  return {};
}

}  // namespace attune
