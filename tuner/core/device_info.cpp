#include "attune/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/device_property.hpp"

namespace attune {
namespace {

template <auto Member>
std::int64_t number(const DeviceInfo& info) {
  return static_cast<std::int64_t>(info.*Member);
}

template <auto Member, std::size_t Dimension>
std::int64_t number(const DeviceInfo& info) {
  return (info.*Member)[Dimension];
}

std::int64_t max_cluster(const DeviceInfo& info) { return info.max_cluster(); }

const std::string& kind(const DeviceInfo& info) { return info.kind; }

constexpr std::array properties = {
    DeviceProperty{"multiprocessors", number<&DeviceInfo::multiprocessors>, nullptr},
    DeviceProperty{"max_threads_per_block", number<&DeviceInfo::max_threads_per_block>, nullptr},
    DeviceProperty{"max_threads_per_multiprocessor", number<&DeviceInfo::max_threads_per_multiprocessor>, nullptr},
    DeviceProperty{"shared_per_block", number<&DeviceInfo::shared_per_block>, nullptr},
    DeviceProperty{"shared_per_multiprocessor", number<&DeviceInfo::shared_per_multiprocessor>, nullptr},
    DeviceProperty{"shared_reserved", number<&DeviceInfo::shared_reserved>, nullptr},
    DeviceProperty{"max_blocks_per_multiprocessor", number<&DeviceInfo::max_blocks_per_multiprocessor>, nullptr},
    DeviceProperty{"registers_per_block", number<&DeviceInfo::registers_per_block>, nullptr},
    DeviceProperty{"registers_per_multiprocessor", number<&DeviceInfo::registers_per_multiprocessor>, nullptr},
    DeviceProperty{"warp_size", number<&DeviceInfo::warp_size>, nullptr},
    DeviceProperty{"l2_bytes", number<&DeviceInfo::l2_bytes>, nullptr},
    DeviceProperty{"compute_capability", number<&DeviceInfo::compute_capability>, nullptr},
    DeviceProperty{"memory_bytes", number<&DeviceInfo::memory_bytes>, nullptr},
    DeviceProperty{"kind", nullptr, kind},
    DeviceProperty{"max_cluster", max_cluster, nullptr},
    DeviceProperty{"shared_static_limit", number<&DeviceInfo::shared_static_limit>, nullptr},
    DeviceProperty{"max_block_x", number<&DeviceInfo::max_block, 0>, nullptr},
    DeviceProperty{"max_block_y", number<&DeviceInfo::max_block, 1>, nullptr},
    DeviceProperty{"max_block_z", number<&DeviceInfo::max_block, 2>, nullptr},
    DeviceProperty{"max_grid_x", number<&DeviceInfo::max_grid, 0>, nullptr},
    DeviceProperty{"max_grid_y", number<&DeviceInfo::max_grid, 1>, nullptr},
    DeviceProperty{"max_grid_z", number<&DeviceInfo::max_grid, 2>, nullptr},
};

// Rounds to the nearest, so that reservations by firmware or ECC do not split a class.
std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) { return bytes / unit + (bytes % unit >= unit / 2); }

// The bar separates the fields of a class key.
std::string without_bars(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

}  // namespace

std::span<const DeviceProperty> device_properties() noexcept { return properties; }

const DeviceProperty* find_device_property(std::string_view name) noexcept {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const DeviceProperty& property) { return property.name == name; });
  return found == properties.end() ? nullptr : &*found;
}

std::string DeviceInfo::architecture() const {
  return kind == "cuda" ? fmt::format("sm_{}", compute_capability) : kind;
}

std::string DeviceInfo::class_key() const {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20, gibibyte = std::uint64_t{1} << 30;
  if (class_name.find('|') != std::string::npos) return class_name;
  return fmt::format("{}|{}|cc{}|sm{}|mem{}G|bus{}|l2-{}M|mig-{}", without_bars(kind),
                     without_bars(class_name.empty() ? name : class_name), compute_capability, multiprocessors,
                     rounded(memory_bytes, gibibyte), memory_bus_bits, rounded(l2_bytes, mebibyte),
                     without_bars(mig_profile));
}

std::optional<Value> DeviceInfo::property(std::string_view wanted) const {
  const auto* found = find_device_property(wanted);
  if (found == nullptr) return std::nullopt;
  if (found->text != nullptr) return Value(found->text(*this));
  return Value(found->number(*this));
}

const std::vector<std::string>& DeviceInfo::property_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& property : properties) list.emplace_back(property.name);
    return list;
  }();
  return names;
}

}  // namespace attune
