// CudaContext: the driver context that a device works in. It is either adopted from the calling thread, or the device's
// primary context. A primary context is retained, adopted or not. A CudaDevice and its modules share it. ContextScope
// makes it current for a while. Thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

class CudaContext {
 public:
  // Without an ordinal, opens the calling thread's current context, else the primary one of device 0. With one, opens
  // the current context if it is on that device, else the device's primary one. Throws Error, or UsageError for an
  // ordinal that does not exist.
  static std::shared_ptr<const CudaContext> open(const DriverApi& api, std::optional<int> ordinal);

  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const DriverApi& api() const noexcept { return api_; }
  CUctx_st* handle() const noexcept { return handle_; }
  DeviceNumber device() const noexcept { return device_; }
  int ordinal() const noexcept { return ordinal_; }
  bool adopted() const noexcept { return adopted_; }

 private:
  CudaContext(const DriverApi& api, CUctx_st* handle, DeviceNumber device, int ordinal, bool adopted, bool retained)
      : api_(api), handle_(handle), device_(device), ordinal_(ordinal), adopted_(adopted), retained_(retained) {}
  static std::shared_ptr<const CudaContext> adopt(const DriverApi& api, CUctx_st* context, DeviceNumber device,
                                                  int ordinal);

  const DriverApi& api_;
  CUctx_st* handle_;
  DeviceNumber device_;
  int ordinal_;
  bool adopted_;
  bool retained_;  // false: owned by other code alone, and not released
};

// Makes a context current for the calling thread while it lives, then restores the former one. If the context is
// current already, this costs one driver call.
class ContextScope {
 public:
  explicit ContextScope(const CudaContext& context) noexcept : api_(context.api()) {
    CUctx_st* current = nullptr;
    result_ = api_.context_get_current(&current);
    if (result_ != result_success || current == context.handle()) return;
    result_ = api_.context_push(context.handle());
    pushed_ = result_ == result_success;
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() {
    CUctx_st* popped = nullptr;
    if (pushed_) api_.context_pop(&popped);
  }
  // Returns a failure if the context could not be made current: then nothing may be called in it.
  DriverResult result() const noexcept { return result_; }
  // Returns whether the context was the thread's own one already.
  bool was_current() const noexcept { return result_ == result_success && !pushed_; }

 private:
  const DriverApi& api_;
  DriverResult result_;
  bool pushed_ = false;
};

// While it lives, the calling thread may make calls that a capture forbids, such as allocations; they do not become
// part of the capture. Without it such a call, on any thread, would invalidate a capture in the mode that applications
// use.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverApi& api) noexcept
      : api_(api), is_exchanged_(api.exchange_capture_mode(&mode_) == result_success) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() {
    if (is_exchanged_) api_.exchange_capture_mode(&mode_);
  }

 private:
  const DriverApi& api_;
  CaptureMode mode_ = capture_relaxed;  // while this object lives, the thread's former mode
  bool is_exchanged_;
};

// A ContextScope and a RelaxedCapture in one, for calls that a capture forbids.
class UncapturedScope : RelaxedCapture, public ContextScope {
 public:
  explicit UncapturedScope(const CudaContext& context) noexcept
      : RelaxedCapture(context.api()), ContextScope(context) {}
};

}  // namespace attune::cuda
