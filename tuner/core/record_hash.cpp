#include "core/record_hash.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "base/digest.hpp"
#include "core/bindings_json.hpp"
#include "core/record_fields.hpp"

namespace attune {
namespace {

// Returns a field as the text that the hash covers. Reals: the shortest decimal that reads back equal.
template <typename T>
std::string hashed_text(const T& value) {
  if constexpr (std::same_as<T, std::string>)
    return value;
  else if constexpr (std::derived_from<T, Bindings>)
    return bindings_json(value);
  else if constexpr (std::same_as<T, std::vector<Configuration>>)
    return configurations_json(value);
  else if constexpr (std::same_as<T, bool> || std::is_enum_v<T>)
    return fmt::format("{}", static_cast<int>(value));
  else
    return fmt::format("{}", value);
}

}  // namespace

std::string record_hash(const Record& record) {
  Digest digest;
  const auto add = [&](const char*, const auto& value) { digest.add(std::string_view(hashed_text(value))); };
  key_fields(add, record.key);
  application_fields(add, record);
  return digest.hex();
}

bool is_sound(const Record& record, const std::optional<std::string>& hash) {
  if (record.effort < Effort::estimate || record.effort > Effort::exhaustive) return false;
  if (record.origin < Origin::measured || record.origin > Origin::pinned) return false;
  bool is_finite = true;
  application_fields(
      [&](const char*, const auto& value) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, double>)
          is_finite = is_finite && std::isfinite(value);
      },
      record);
  return is_finite && (!hash || *hash == record_hash(record));
}

[[gnu::cold]] std::string cover_hash(const Cover& cover) {
  Digest digest;
  fields([&](const char*, const auto& value) { digest.add(std::string_view(hashed_text(value))); }, cover);
  return digest.hex();
}

[[gnu::cold]] bool is_sound(const Cover& cover, const std::optional<std::string>& hash) {
  return std::isfinite(cover.mean_loss) && std::isfinite(cover.worst_loss) && (!hash || *hash == cover_hash(cover));
}

}  // namespace attune
