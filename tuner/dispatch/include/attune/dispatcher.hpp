// Dispatcher: hands out plans inside an application. It owns or borrows one device context, reads wisdom, and compiles
// or loads images. Any thread may call it; equal requests are prepared once.
// Missing, stale, damaged or locked tuning data throws nothing: the dispatcher uses the next rung of the match ladder
// (docs/dispatch.md), and warns once of data that it cannot use. Three cases throw Error: a damaged bundle in add(),
// and a locked or unreadable database in bundle() or where `deterministic_only` needs wisdom. The dispatcher reads the
// wisdom of a problem at the first plan() for that problem.
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
  // Receives each distinct warning at most once, at the end of a call, also of one that fails. Any thread of the
  // dispatcher or of its callers may call it, also two at once. Nothing is locked then, so it may call the dispatcher.
  // What it throws is lost. The default prints "attune: ..." to standard error.
  std::function<void(const std::string&)> warn;
  // Names the regime whose records are preferred: "cold", "warm" or "stream" (attune tune --regime). Where a problem
  // has no such record, records of another regime serve (rung `other regime`).
  std::string regime = "cold";
  // Names the objective (attune tune --objective): only its records are used. Spaces around formulas do not count.
  std::string objective = "time";
  // Names a second folder of images, for example of a site or a container. It is searched after `cache` and never
  // written. "": $ATTUNE_SITE_CACHE, else none.
  std::filesystem::path site_cache = {};
  // Names a file for `attune tune --misses`: each problem that was asked for, but has no record of its own for this
  // device and regime, is appended to it. "": $ATTUNE_LOG_MISSES, else none.
  std::filesystem::path misses = {};
  // Uses only configurations that the kernel file calls deterministic ([kernel] `deterministic`). Launches of Kernel
  // then wait for the best one and keep it, so that two runs on one device compute the same bits (docs/dispatch.md).
  bool deterministic_only = false;
  // Limits of device memory, in bytes: for loaded code, and for scratch memory. A request that must plan its problem
  // drops beyond them what was not used for half a minute or longer, as trim() does. What is in use stays, so more than
  // the limit may be held. The next launch of a dropped problem plans it again.
  std::uint64_t image_limit = std::uint64_t{256} << 20;
  std::uint64_t scratch_limit = std::uint64_t{1} << 30;
  // Names what the site knows: a folder of tuned files, with or without a `wisdom.db`, or one such file. It is never
  // written. "": $ATTUNE_SITE, else /etc/attune.
  std::filesystem::path site = {};
  // Names folders of tuned files, or such files, that the application brings along (docs/deploying.md).
  std::vector<std::filesystem::path> wisdom = {};
  // The digest of wisdom that this process must have, as wisdom_digest() gives it. Then neither the user's database nor
  // $ATTUNE_OVERRIDE is read, and requests throw Error where the digest is another one. "any": they are not read, and
  // no digest is compared. "": $ATTUNE_AGREE, else none.
  std::string agree = {};
};

// How much device memory trim() leaves, in bytes: of loaded code, and of scratch memory.
struct MemoryLimits {
  std::uint64_t images = 0;
  std::uint64_t scratch = 0;
};

// What a dispatcher has done since it was made, and what it holds.
struct Statistics {
  std::array<std::uint64_t, 9> plans{};  // plans that were made, by Rung
  std::uint64_t compiled = 0;            // images that were compiled
  std::uint64_t from_cache = 0;          // images that were loaded from a cache on disk
  std::uint64_t from_bundle = 0;         // images that were loaded from a bundle
  std::uint64_t reused = 0;              // times that a loaded image served another plan
  std::uint64_t waited = 0;              // times that Policy::background waited, because no image was loaded or cached
  std::uint64_t swaps = 0;               // times that launches of a problem went over to a newly made plan
  std::uint64_t entries = 0;             // problems that were asked for
  std::uint64_t image_bytes = 0;         // bytes of the code that is loaded at present
  std::uint64_t scratch_bytes = 0;       // bytes of the scratch memory that streams have at present
  std::uint64_t evicted_images = 0;   // images that were dropped, by trim() and beyond DispatcherOptions::image_limit
  std::uint64_t evicted_scratch = 0;  // scratch arrays that were dropped likewise
};

class Dispatcher {
 public:
  // Opens the device. Throws Error when it cannot be opened; without a driver the message names the host device. Throws
  // UsageError for an unknown device or regime, for a text to agree on that is no digest, and for a database that is
  // named in a program without a reader of databases (attune::bundle_runtime).
  explicit Dispatcher(DispatcherOptions options = {});
  // Opens the device, and adds the bundle. This dispatcher reads no database, site or folder and knows only what its
  // bundles say, so that processes with equal bundles choose equal configurations (docs/dispatch.md). Throws what the
  // other constructor and add() throw, and UsageError when the options name a database, a site or a folder.
  explicit Dispatcher(const Bundle& bundle, DispatcherOptions options = {});
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Adds the kernels, the wisdom and the images of a bundle: an embedded one (attune_embed), a built-in one
  // (attune/builtin.hpp), a file's (attune/kernel_files.hpp), or an exported one (attune export --format bundle). The
  // dispatcher keeps the bundle, and reads its wisdom and images when a problem is asked for. A kernel that is there
  // already may be added again. Throws UsageError when a different kernel has the same name. Throws Error when the
  // bundle is damaged, or holds a kernel of another version of attune.
  void add(const Bundle& bundle);

  // Returns the plan for a problem: {"width", 8192}, {"height", 8192}, {"T", "float"}. Absent names take their
  // defaults. The first call for a problem loads or compiles its image, which takes milliseconds to a second. Later
  // calls are a table look-up. Throws UsageError for an unknown kernel, name or value. Throws Error when neither a
  // recorded configuration nor a fall-back of the kernel can be used.
  Plan plan(std::string_view kernel, const Problem& problem = {});

  // The same by a policy, which says what to do while the best configuration is not loaded. The plan keeps the
  // configuration that it was made with. Also throws NotPrepared, as the policy says.
  Plan plan(std::string_view kernel, const Problem& problem, Policy policy);

  // Returns the plan of exactly this configuration, whatever the wisdom says: compiled if need be, and with the same
  // image as a tuned plan of it. So a program can tune a kernel's parameters together with its own. Each call makes the
  // plan anew: keep it. Its rung is `pinned`. Throws UsageError that names the parameter, rule or limit where the
  // configuration is not legal for the problem on this device, or not deterministic under `deterministic_only`. Throws
  // Error where it does not compile or load, and what plan() throws for the kernel and the problem.
  Plan plan(std::string_view kernel, const Problem& problem, const Configuration& configuration);

  // Returns a kernel for sizes that vary; its launches look their plans up. `policy`: what a launch does while the best
  // configuration is not loaded. Throws UsageError for an unknown kernel, and for one with more than eight names in
  // [problem].
  Kernel kernel(std::string_view name, Policy policy = Policy::background);

  // Compiles or loads the best configuration for each problem, and waits. Launches of Kernel and plan() then only look
  // it up. Throws what plan() throws.
  void prepare(std::string_view kernel, std::span<const Problem> problems);

  // Takes up what was tuned since: reads the wisdom again for every problem that is known. Meanwhile launches use the
  // plans that they have. Plans that were handed out stay as they are. With `deterministic_only` it changes nothing.
  // Throws what plan() throws for the first problem that fails; the others are done all the same.
  void refresh();

  // Drops code and scratch memory that was not used since the last trim, until no more than the limits is left.
  // Launches may go on meanwhile. It waits a second at most for launches that are under way; what they read is dropped
  // by a later call. What was used since stays, also beyond the limits: the second of two calls drops it. So does what
  // a Plan, a ResolvedLaunch or a graph of the application holds. The next launch of a dropped problem plans it again.
  void trim(const MemoryLimits& limits = {});

  // Waits until nothing is being prepared in the background. On the thread that prepares, in a warning's callback, it
  // returns at once.
  void wait_for_background();

  // Returns a bundle with the kernels that were added, all that is known of them on devices of this kind, and the
  // images that are loaded. Other processes open it (Bundle::owning) to use the same. Throws Error when the wisdom
  // cannot be read.
  std::vector<std::byte> bundle() const;

  // Returns what was done so far, and what is held at present.
  Statistics statistics() const;

  // Returns what plan() would use and why, without compiling or loading. Throws UsageError as plan() does, and Error
  // when no configuration is legal.
  Match match(std::string_view kernel, const Problem& problem = {});

  // Returns the SHA-256, as 64 hexadecimal digits, of what nobody writes while this process runs: what the site and the
  // folders say, and the bundles that were added so far. Processes with one digest that also `agree` on it choose equal
  // configurations. Throws Error where a source cannot be read.
  std::string wisdom_digest() const;

  // Returns the names of the kernels that were added, in alphabetical order.
  std::vector<std::string> kernels() const;

  // Returns the options as they were given.
  const DispatcherOptions& options() const noexcept;
  const DeviceInfo& device_info() const noexcept;
  // Returns attune's own handle of the device, for Buffer and Stream; it is not meant for applications.
  const std::shared_ptr<Device>& device() const noexcept;
  // Waits for all work on `stream` (null: the default stream). Throws BrokenProcess when a kernel faulted.
  void synchronize(StreamHandle stream = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attune
