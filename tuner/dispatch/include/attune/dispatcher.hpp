// Dispatcher: hands out plans inside an application. It owns or borrows one device context, reads wisdom, and compiles
// or loads images. Any thread may call it; equal requests are prepared once.
// Missing, stale, damaged or locked tuning data throws nothing: the dispatcher warns once and uses the ladder's next
// rung. It reads the wisdom of a problem at the first plan() for it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/bundle.hpp"
#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
#include "attune/policy.hpp"

namespace attune {

class Device;

struct DispatcherOptions {
  // "cuda", "cuda:1" or "host". "" means $ATTUNE_DEVICE, else the thread's current CUDA context, else device 0. The
  // host device is used only when named.
  std::string device;
  std::filesystem::path database;  // "": $ATTUNE_DB, else the user's own
  std::filesystem::path cache;     // "": $ATTUNE_CACHE, else the user's own
  // Called at most once per distinct message, when the call that met the trouble is done, on its thread: it may call
  // the dispatcher. The default prints "attune: ..." to standard error.
  std::function<void(const std::string&)> warn;
  // Prefers records of this regime: "cold", "warm" or "stream" (attune tune --regime). Without one for a problem, those
  // of another regime serve (rung `other regime`).
  std::string regime = "cold";
  // Uses records of this objective alone (attune tune --objective). Spaces around formulas do not count.
  std::string objective = "time";
  // Names a second folder of images, of a site or a container: looked in after `cache`, never written. "":
  // $ATTUNE_SITE_CACHE, else none.
  std::filesystem::path site_cache = {};
  // Names a file: problems that were asked for and are not known are appended to it, for `attune tune --misses`. "":
  // $ATTUNE_LOG_MISSES, else none.
  std::filesystem::path misses = {};
  // Uses only configurations that the kernel file calls deterministic ([kernel] `deterministic`). Launches of Kernel
  // then wait for the best one, and keep it: two runs on one device compute the same bits.
  bool deterministic_only = false;
  // Device memory, in bytes: of loaded code, and of scratch memory. Beyond it, what was not used for two epochs is
  // dropped; what is used stays, so more may be held. The next launch of a dropped problem prepares it again.
  std::uint64_t image_limit = std::uint64_t{256} << 20;
  std::uint64_t scratch_limit = std::uint64_t{1} << 30;
  double epoch_seconds = 30;
};

// What a dispatcher did since it was made.
struct Statistics {
  std::array<std::uint64_t, 7> plans{};  // plans made, by Rung
  std::uint64_t compiled = 0;            // images
  std::uint64_t from_cache = 0;          // images that were loaded from a cache on disk
  std::uint64_t from_bundle = 0;         // images that were loaded from a bundle
  std::uint64_t reused = 0;              // times that a loaded image served another plan
  std::uint64_t waited = 0;              // launches of Policy::background that waited: there was no image at all
  std::uint64_t swaps = 0;               // better configurations that took the place of others
  std::uint64_t entries = 0;             // problems that launches of Kernel know
  std::uint64_t image_bytes = 0;         // code that is loaded now
  std::uint64_t scratch_bytes = 0;       // scratch memory of streams on the device now
  std::uint64_t evicted_images = 0;      // that were dropped beyond DispatcherOptions::image_limit
  std::uint64_t evicted_scratch = 0;     // arrays of streams that were dropped beyond DispatcherOptions::scratch_limit
};

class Dispatcher {
 public:
  // Throws Error when the device cannot be opened; without a driver the message names the host device. Throws
  // UsageError for an unknown regime.
  explicit Dispatcher(DispatcherOptions options = {});
  // Opens the device, and adds the bundle. It reads no database: what is known is what the bundle says. So do processes
  // agree that are given equal bundles (docs/dispatch.md). Throws what the other constructor and add() do; UsageError
  // when the options name a database.
  explicit Dispatcher(const Bundle& bundle, DispatcherOptions options = {});
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Adds the kernels, the wisdom and the images of a bundle: an embedded one (attune_embed), a built-in one
  // (attune/builtin.hpp), a file's (attune/kernel_files.hpp), or an exported one (attune export --format bundle). It is
  // kept, and read when a problem is asked for. A kernel that is there already may be added again. Throws UsageError
  // when another kernel has its name. Throws Error when the bundle is damaged.
  void add(const Bundle& bundle);

  // Returns the plan for a problem: {"width", 8192}, {"height", 8192}, {"T", "float"}. Absent names take their
  // defaults. The first call for a problem loads or compiles, in milliseconds to a second. Later calls are a table
  // look-up. Throws UsageError for an unknown kernel, name or value. Throws Error when no fall-back configuration of
  // the kernel is legal or compiles.
  Plan plan(std::string_view kernel, const Problem& problem = {});

  // As plan(), but by a policy; the plan keeps the configuration that it was made with. Throws NotPrepared.
  Plan plan(std::string_view kernel, const Problem& problem, Policy policy);

  // Returns a kernel for sizes that vary; its launches look their plans up. `policy`: what a launch does while the best
  // configuration is not loaded. Throws UsageError for an unknown kernel, and for one with more than eight names in
  // [problem].
  Kernel kernel(std::string_view name, Policy policy = Policy::background);

  // Compiles or loads the best configuration for each problem, and waits. Launches of Kernel and plan() then only look
  // up. Throws as plan() does.
  void prepare(std::string_view kernel, std::span<const Problem> problems);

  // Takes up what was tuned since: asks the wisdom again for every problem that is known. Launches meanwhile use what
  // they have; plans that were handed out stay as they are. Throws as plan() does.
  void refresh();

  // Waits until nothing is being prepared in the background.
  void wait_for_background();

  // Returns a bundle of the kernels that were added, of what is known of them on devices of this kind, and of the
  // images that are loaded: for processes that are to use the same (Bundle::owning). Throws Error when the wisdom
  // cannot be read.
  std::vector<std::byte> bundle() const;

  // Returns what was done so far.
  Statistics statistics() const;

  // Returns what plan() would use and why, without compiling or loading.
  Match match(std::string_view kernel, const Problem& problem = {});

  // Returns the names of the kernels that were added, in alphabetical order.
  std::vector<std::string> kernels() const;

  // Returns the options as they were given.
  const DispatcherOptions& options() const noexcept;
  const DeviceInfo& device_info() const noexcept;
  // Returns the seam, for Buffer and Stream; not for applications.
  const std::shared_ptr<Device>& device() const noexcept;
  // Waits for all work on `stream` (null: the default stream). Throws Error when a kernel faulted.
  void synchronize(StreamHandle stream = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attune
