// Images: turns image requests into loaded modules. It looks in memory, in bundles and in the caches on disk, and then
// compiles. Owned by a Dispatcher; any thread. Equal requests are loaded once, different ones in parallel. A module
// stays loaded as long as a plan has it, even if the files that it was compiled from change or vanish.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/image.hpp"
#include "core/source_key.hpp"
#include "device/device.hpp"
#include "device/image_key.hpp"
#include "dispatch/added_bundles.hpp"
#include "dispatch/held_memory.hpp"
#include "files/image_cache.hpp"

namespace attune {

struct LoadedImage {
  Status status;                   // of compiling or loading
  std::shared_ptr<Module> module;  // set if and only if status.ok()
  std::string toolchain;           // the compiler that made the image, with its version
  std::uint64_t bytes = 0;         // of the code
  // Set for an image with variables, because each plan loads a module of its own from it.
  std::shared_ptr<const Image> image = {};
};

// The caches on disk; null: there is no such cache. Without caches, an image that no bundle has is compiled.
struct ImageCaches {
  std::unique_ptr<ImageCache> own;   // read first, and written
  std::unique_ptr<ImageCache> site;  // only read
};

// Returns whether the verdict is a failure of the code itself, which every attempt repeats. Other failures, such as no
// memory, may pass.
bool is_lasting(Verdict verdict);

// An image that is wanted. The source is kept apart from the request, because it is large, and the same for all sizes
// of a kernel.
struct WantedImage {
  ImageRequest request;  // the source in it is not used
  const SourceText& source;
  std::string key;
  // `of`: the request with its source; it must outlive this object.
  WantedImage(const ImageRequest& of) : request(of), source(of.source), key(image_key(of)) {}
  WantedImage(ImageRequest of, const SourceText& text, const SourceKey& source_key)
      : request(std::move(of)), source(text), key(source_key.key_of(request)) {}
};

class Images {
 public:
  using Warn = std::function<void(const std::string&)>;
  // `bundles` must outlive it.
  Images(std::shared_ptr<Device> device, const AddedBundles& bundles, ImageCaches caches, Warn warn,
         std::shared_ptr<HeldMemory> held = std::make_shared<HeldMemory>());

  // Returns the loaded image, or the status of its failure. Throws Error only when there is no compiler and neither a
  // bundle nor a cache has the image.
  LoadedImage get(const WantedImage& wanted);

  // Returns what get() would return if that needs no compile, because the image is loaded, or in a bundle or a cache.
  // Else returns nothing, also while another thread compiles it. Waits for a thread that loads it.
  std::optional<LoadedImage> get_ready(const WantedImage& wanted);

  struct Counts {
    std::uint64_t compiled = 0, from_cache = 0, from_bundle = 0, reused = 0;  // images
  };
  Counts counts() const noexcept { return {compiled_, from_cache_, from_bundle_, reused_}; }

  // Returns the toolchain of the image that get() would load, without compiling or loading: that of the bundled or
  // cached image, else that of the compiler. Returns "" when there is neither.
  std::string toolchain(const WantedImage& wanted);

  // Adds to a bundle the images that are loaded, as far as an added bundle or a cache still has them.
  void add_to(BundleWriter& bundle);

 private:
  // What is known of one key.
  struct KnownImage {
    std::mutex loading, compiling;      // of who does that, in this order
    std::mutex mutex;                   // guards the members below; held for a moment only
    LoadedImage last = {};              // without its module
    std::weak_ptr<Module> module = {};  // plans own it
    std::string origin = {};            // a digest of the compiler and the files that it opened
  };
  std::shared_ptr<KnownImage> known(const std::string& key);
  std::optional<LoadedImage> reuse(KnownImage& known);
  LoadedImage keep(KnownImage& known, LoadOutcome outcome, const Image& image);
  struct CachedImage {
    Image image;
    bool is_bundled = false;
  };
  // Returns a bundled or cached image that a compile would not improve: it has all entries, and its files, if it is
  // from a cache, are unchanged. Native code comes before PTX.
  std::optional<CachedImage> cached(const ImageRequest& request, const std::string& key);
  std::optional<Image> cached_in(ImageCache& cache, const ImageRequest& request, const std::string& key);
  bool compiles_to_native_code(const ImageRequest& request);
  std::optional<LoadedImage> load_cached(const ImageRequest& request, const std::string& key, KnownImage& known);
  LoadedImage compile(const WantedImage& wanted, KnownImage& known);
  void warn_about(const ImageCache& cache);

  std::shared_ptr<Device> device_;
  const AddedBundles& bundles_;
  ImageCaches caches_;
  Warn warn_;
  const std::shared_ptr<HeldMemory> held_;
  std::mutex mutex_;                                                    // guards the map
  std::unordered_map<std::string, std::shared_ptr<KnownImage>> known_;  // by image key
  std::atomic<std::uint64_t> compiled_ = 0, from_cache_ = 0, from_bundle_ = 0, reused_ = 0;
};

}  // namespace attune
