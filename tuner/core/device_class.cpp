#include "core/device_class.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace attune {
namespace {

// Removes the next field, and returns what is between `prefix` and `suffix` before the next bar.
std::optional<std::string_view> take(std::string_view& rest, std::string_view prefix, std::string_view suffix = "") {
  std::string_view field = rest.substr(0, rest.find('|'));
  rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  if (!field.starts_with(prefix)) return std::nullopt;
  field.remove_prefix(prefix.size());
  if (!field.ends_with(suffix)) return std::nullopt;
  field.remove_suffix(suffix.size());
  return field;
}

template <typename Number>
bool read_number(std::optional<std::string_view> text, Number& number) {
  if (!text) return false;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
  return failed == std::errc() && end == text->data() + text->size();
}

}  // namespace

std::optional<DeviceInfo> device_of_class(std::string_view class_key, DeviceInfo limits) {
  std::string_view rest = class_key;
  std::uint32_t memory_gib = 0, l2_mib = 0;
  const auto kind = take(rest, ""), name = take(rest, "");
  const bool is_read =
      read_number(take(rest, "cc"), limits.compute_capability) &&
      read_number(take(rest, "sm"), limits.multiprocessors) && read_number(take(rest, "mem", "G"), memory_gib) &&
      read_number(take(rest, "bus"), limits.memory_bus_bits) && read_number(take(rest, "l2-", "M"), l2_mib);
  const auto mig_profile = take(rest, "mig-");
  if (!is_read || !mig_profile) return std::nullopt;
  limits.kind = *kind;
  limits.name = *name;
  limits.memory_bytes = std::uint64_t{memory_gib} << 30;
  limits.l2_bytes = std::uint64_t{l2_mib} << 20;
  limits.mig_profile = *mig_profile;
  return limits.class_key() == class_key ? std::optional(std::move(limits)) : std::nullopt;
}

void apply_aliases(DeviceInfo& device, std::span<const DeviceAlias> aliases) {
  const std::string own = device.class_key();
  for (const std::string* const known : {&own, &std::as_const(device.name)})
    for (const DeviceAlias& alias : aliases) {
      if (alias.device != *known) continue;
      const auto other = device_of_class(alias.counts_as, {});
      const bool is_name = alias.counts_as.find('|') == std::string::npos;
      if (!is_name && !(other && other->kind == device.kind && other->compute_capability == device.compute_capability))
        continue;
      device.class_name = alias.counts_as;
      return;
    }
}

std::string architecture_of_class(std::string_view class_key) {
  const auto device = device_of_class(class_key, {});
  return device ? device->architecture() : "";
}

}  // namespace attune
