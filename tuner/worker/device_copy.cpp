#include "worker/device_copy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

// In a stream, launches on so many times the L2 cache's bytes of other data come before a set is used again.
constexpr std::uint64_t caches_between = 2;

constexpr std::uint64_t seed = 1;

}  // namespace

StreamSets stream_sets(std::uint64_t set_bytes, std::uint64_t batch, std::uint64_t l2_bytes) {
  const std::uint64_t of_one = std::max<std::uint64_t>(set_bytes, 1);
  const std::uint64_t apart = (caches_between * l2_bytes + of_one - 1) / of_one + 1;
  if (apart > batch) return {batch, batch, true};
  return {apart, batch / apart * apart, false};
}

DeviceCopy::DeviceCopy(Device& device, std::uint64_t bytes) : device_(device), bytes_(bytes) { add_pair(); }

void DeviceCopy::add_pair() {
  const auto half = static_cast<std::size_t>(bytes_ / 2);
  try {
    DeviceMemory source(device_, half), target(device_, half);
    // Equal bytes might be moved faster than others.
    device_.generate(source.data(), "uint8", half, Fill{.full_range = true}, seed);
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
  Sampling sampling{.before = {}, .timed = {}, .flush = plan.regime != Regime::warm};
  if (plan.regime != Regime::cold) sampling.batch = std::max(plan.batch, 1);
  std::size_t count = 1;
  if (sampling.batch > 1 && plan.regime == Regime::stream) {
    const StreamSets stream = stream_sets(bytes_, static_cast<std::uint64_t>(sampling.batch), device_.info().l2_bytes);
    sampling.flush = stream.flush;
    sampling.batch = static_cast<int>(stream.batch);
    count = static_cast<std::size_t>(stream.count);
  }
  while (copies_.size() < count) add_pair();
  sets.clear();
  for (std::size_t i = 0; i < count; ++i) sets.emplace_back(&copies_[i], 1);
  sampling.timed = sets;
  return sampling;
}

}  // namespace attune
