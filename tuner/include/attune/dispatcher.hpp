// Dispatcher: hands out plans inside an application. Owns (or borrows) one device context, reads wisdom, compiles or
// loads images. Thread-safe: plan() may be called from any thread; equal requests are prepared once.
// It never throws for missing, stale, damaged or locked tuning data: it warns once and uses the next rung of the
// ladder. The wisdom of a kernel is read at its first use and kept: what is tuned later counts for the next Dispatcher.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/embedded_file.hpp"
#include "attune/error.hpp"
#include "attune/plan.hpp"

namespace attune {

class Device;

struct DispatcherOptions {
  // "cuda", "cuda:1" or "host"; "": $ATTUNE_DEVICE, else the current CUDA context of this thread, else the primary
  // context of device 0. `host` is used only when named.
  std::string device;
  std::filesystem::path database;  // "": $ATTUNE_DB, else the user's own
  std::filesystem::path cache;     // "": $ATTUNE_CACHE, else the user's own
  // Called at most once per distinct message; the default prints "attune: ..." to standard error.
  std::function<void(const std::string&)> warn;
  // Of the caches that records were tuned with: "cold", or "warm" (attune tune --regime). Another's are not used.
  std::string regime = "cold";
  // What they were tuned for, as `attune show` tells it (attune tune --objective). Another's are not used.
  std::string objective = "time";
};

class Dispatcher {
 public:
  // Throws Error when the device cannot be opened (no driver: the message says how to use the host device), UsageError
  // for a regime that there is not.
  explicit Dispatcher(DispatcherOptions options = {});
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Makes an application's own kernel known; it takes the place of a built-in of its name. Throws UsageError when that
  // name was added or asked for before, Error with file, line and column when it is no kernel file.
  void add(const EmbeddedFile& kernel);
  void add_file(const std::filesystem::path& kernel_file);

  // The plan for a problem: {"width", 8192}, {"height", 8192}, {"T", "float"}; absent names take their defaults.
  // The first call for a problem loads or compiles (milliseconds to a second), later ones are a table look-up.
  // Throws UsageError for an unknown kernel, name or value; Error when not even the default configuration compiles.
  Plan plan(std::string_view kernel, const Problem& problem = {});

  // What plan() would use and why, without compiling or loading anything.
  Match match(std::string_view kernel, const Problem& problem = {});

  // Names of the built-in kernels and of those added.
  std::vector<std::string> kernels() const;

  const DeviceInfo& device_info() const noexcept;
  // The seam, for Buffer and Stream; not for applications.
  const std::shared_ptr<Device>& device() const noexcept;
  // Waits for all work on `stream` (null: the default stream). Throws Error when a kernel faulted.
  void synchronize(StreamHandle stream = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attune
