#include "device/guarded_memory.hpp"

#include <limits>

namespace attune {
namespace {

// Returns the bytes of an array with its bands. The upper band begins right after the last byte, so that an overrun by
// one element is detected.
std::size_t with_bands(std::size_t bytes) {
  constexpr std::size_t alignment = 256, bands = 2 * GuardedMemory::guard_bytes + alignment;
  if (bytes > std::numeric_limits<std::size_t>::max() - bands)
    throw OutOfMemory("an array larger than the address space");
  return bytes + bands;
}

}  // namespace

GuardedMemory::GuardedMemory(Device& device, DataTools& tools, std::size_t bytes, Guards guards, MemoryPlace place)
    : device_(&device), tools_(&tools), memory_(device, with_bands(bytes), place), bytes_(bytes), guards_(guards) {}

GuardedMemory::~GuardedMemory() {
  if (tools_ != nullptr) tools_->unfence(data());
}

void* GuardedMemory::data() const noexcept {
  return memory_.data() == nullptr ? nullptr : static_cast<std::byte*>(memory_.data()) + guard_bytes;
}

void GuardedMemory::arm_guards() {
  tools_->unfence(data());
  Operation band;
  band.kind = Operation::Kind::memset;
  band.bytes = guard_bytes;
  band.value = static_cast<int>(guards_);
  for (void* const target : {memory_.data(), static_cast<void*>(static_cast<std::byte*>(data()) + bytes_)}) {
    band.target = target;
    const Status status = device_->enqueue(band, nullptr);
    if (!status.ok()) throw Error("cannot write guard bands: " + status.detail);
  }
  fence();
}

// Under AddressSanitizer only GuardedMemory's own functions may touch the bands.
void GuardedMemory::fence() const { tools_->fence(data(), bytes_, guard_bytes, guard_bytes); }

void GuardedMemory::add_guards(Checks& checks, const std::function<Status(long long)>& changed) const {
  tools_->unfence(data());
  const auto* const upper = static_cast<const std::byte*>(data()) + bytes_;
  const int value = static_cast<int>(guards_);
  checks.add(CountOtherBytes{memory_.data(), guard_bytes, value}, [changed](const InspectionFinding& found) {
    const auto offset = static_cast<long long>(found.first) - static_cast<long long>(guard_bytes);
    return found.count == 0 ? Status{} : changed(offset);
  });
  checks.add(CountOtherBytes{upper, guard_bytes, value}, [this, changed](const InspectionFinding& found) {
    fence();
    return found.count == 0 ? Status{} : changed(static_cast<long long>(bytes_ + found.first));
  });
}

void GuardedMemory::swap(GuardedMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(tools_, other.tools_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(guards_, other.guards_);
}

}  // namespace attune
