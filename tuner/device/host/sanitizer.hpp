// Sanitizers of the host device: AddressSanitizer and UndefinedBehaviorSanitizer watch kernels in a process that was
// started for it, with their runtime preloaded and $ATTUNE_SANITIZE set (apps/attune/sanitize.hpp). Their functions are
// looked up at run time: the ordinary program needs none of them, and in an ordinary process all this does nothing.
// docs/host_device.md. Kernels run on one OS thread then, and so does everything here.
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

// "address", "undefined" or both with a comma. Throws UsageError for anything else.
Sanitizers parse_sanitizers(std::string_view text);

// Those that this process was started for. Throws UsageError when $ATTUNE_SANITIZE is no list of them.
const Sanitizers& sanitizers();

// Memory with bytes on both sides that no kernel may touch.
struct Fence {
  enum class Around { array, shared_variable, dynamic_shared } around = Around::array;
  std::string name;  // of a shared variable
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t below = 0, above = 0;  // bytes that are fenced off
};

// AddressSanitizer reports whoever touches the fence, until it is removed.
void fence_off(const Fence& fence);
void remove_fence(const void* memory);
// Makes memory accessible again, whoever forbade it: frames on a stack that was abandoned.
void allow_access(const void* memory, std::size_t bytes) noexcept;

// How AddressSanitizer is told of fibers; null functions where there is none.
struct FiberAnnotations {
  void (*start_switch)(void** saved, const void* bottom, std::size_t size) = nullptr;
  void (*finish_switch)(void* saved, const void** bottom, std::size_t* size) = nullptr;
};
FiberAnnotations fiber_annotations() noexcept;

// A mistake that a sanitizer has found in a kernel.
struct SanitizerFinding {
  std::string report;       // the sanitizer's own words
  std::string thread;       // "block (3,0,0), thread (31,0,0)"
  KernelCall call;          // the launch
  std::string description;  // AddressSanitizer's name for it: "stack-buffer-overflow"; empty for undefined behaviour
  // Of an access: where to, how, and what it missed when that is known.
  const std::byte* address = nullptr;
  std::size_t bytes = 0;
  bool write = false;
  std::optional<Fence> fence;
};

// From now on findings in kernels are given to `handler`, which must end the process: the first finding is the last,
// and it comes from the middle of the kernel. `report_path`: a file that they are to write to, and that they were given
// as log_path. Throws Error when a runtime that sanitizers() names is not there.
void on_finding(const std::string& report_path, std::function<void(const SanitizerFinding&)> handler);

}  // namespace attune
