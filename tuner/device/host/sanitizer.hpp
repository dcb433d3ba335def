// Sanitizers of the host device: AddressSanitizer and UndefinedBehaviorSanitizer check kernels in a process started for
// this purpose, which has their runtimes preloaded and $ATTUNE_SANITIZE set (apps/attune/sanitize.hpp). The functions
// of the runtimes are looked up at run time, so that an ordinary process needs no runtime, and fences, annotations and
// handlers have no effect there. With sanitizers, kernels and all functions here run on one OS thread. For users:
// docs/host_device.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "device/host/kernel_call.hpp"

namespace attune {

struct Sanitizers {
  bool address = false;
  bool undefined = false;
  bool any() const noexcept { return address || undefined; }
  std::string text() const;  // "address,undefined"
};

// Reads "address", "undefined" or both with a comma. Throws UsageError for anything else.
Sanitizers parse_sanitizers(std::string_view text);

// Returns the sanitizers of this process. Throws UsageError when $ATTUNE_SANITIZE is not a list of sanitizers.
const Sanitizers& sanitizers();

// Memory with bytes on both sides that no kernel may touch.
struct Fence {
  enum class Around { array, shared_variable, dynamic_shared } around = Around::array;
  std::string name;  // of a shared variable
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t below = 0, above = 0;  // bytes fenced off
};

// Makes AddressSanitizer report any access to the fenced bytes, until the fence is removed.
void fence_off(const Fence& fence);
void remove_fence(const void* memory);
// Makes memory accessible again, such as the frames on an abandoned stack.
void allow_access(const void* memory, std::size_t bytes) noexcept;

// AddressSanitizer's functions for fibers; null in a process without AddressSanitizer.
struct FiberAnnotations {
  void (*start_switch)(void** saved, const void* bottom, std::size_t size) = nullptr;
  void (*finish_switch)(void* saved, const void** bottom, std::size_t* size) = nullptr;
};
FiberAnnotations fiber_annotations() noexcept;

// A mistake in a kernel, found by a sanitizer.
struct SanitizerFinding {
  std::string report;       // the sanitizer's own words
  std::string thread;       // "block (3,0,0), thread (31,0,0)"
  KernelCall call;          // the launch
  std::string description;  // AddressSanitizer's name: "stack-buffer-overflow"; empty for undefined behaviour
  // For a wrong access: its address and kind, and the memory that it missed, where that is known.
  const std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool write = false;
  std::optional<Fence> fence;
};

// Has later findings in kernels passed to `handler`, which is called from inside the kernel and must end the process:
// the first finding is the last. `report_path`: the file for the reports, which is also the runtimes' log_path. Throws
// Error when a runtime of sanitizers() is missing.
void on_finding(const std::string& report_path, std::function<void(const SanitizerFinding&)> handler);

}  // namespace attune
