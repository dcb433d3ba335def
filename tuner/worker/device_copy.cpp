#include "worker/device_copy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr std::uint64_t seed = 1;

}  // namespace

DeviceCopy::DeviceCopy(Device& device, DataTools& tools, std::uint64_t bytes)
    : device_(device), tools_(tools), bytes_(bytes) {
  add_pair();
}

void DeviceCopy::add_pair() {
  const auto half = static_cast<std::size_t>(bytes_ / 2);
  try {
    DeviceMemory source(device_, half), target(device_, half);
    // The source gets random bytes, because a device might move equal bytes faster.
    tools_.generate(source.data(), "uint8", half, FillValues{.full_range = true}, seed);
    Operation& copy = copies_.emplace_back();
    copy.kind = Operation::Kind::copy;
    copy.target = target.data();
    copy.source = source.data();
    copy.bytes = half;
    arrays_.push_back(std::move(source));
    arrays_.push_back(std::move(target));
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("no room for the device copy, of {} bytes in all: {}", bytes_, error.what()));
  }
}

Sampling DeviceCopy::sampling(const TimingPlan& plan, Sets& sets) {
  auto [sampling, count] = planned_sampling(plan, true, bytes_, device_.info().l2_bytes, 0);
  while (copies_.size() < count) add_pair();
  sets.clear();
  for (std::size_t i = 0; i < count; ++i) sets.emplace_back(&copies_[i], 1);
  sampling.timed = sets;
  return sampling;
}

}  // namespace attune
