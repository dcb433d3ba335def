// Images: makes loaded modules from image requests: from memory, bundles, the caches on disk, then the compiler. Owned
// by a Dispatcher; any thread. Equal requests are loaded once, different ones in parallel. Modules stay loaded until
// they are dropped and no plan has them, whatever becomes of the files that they were compiled with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/image.hpp"
#include "core/source_key.hpp"
#include "device/device.hpp"
#include "device/image_key.hpp"
#include "dispatch/added_bundles.hpp"
#include "dispatch/single_flight.hpp"
#include "dispatch/survey.hpp"
#include "files/image_cache.hpp"

namespace attune {

struct LoadedImage {
  Status status;                   // of compiling or loading
  std::shared_ptr<Module> module;  // set if and only if status.ok()
  std::string toolchain;           // of the compiler
  // Of an image with variables: each plan loads a module of its own.
  std::optional<Image> image = {};
  std::string origin = {};  // compiler and files, as a digest
};

// Null: there is none. Without caches every image is compiled.
struct ImageCaches {
  std::unique_ptr<ImageCache> own;   // read first, and written
  std::unique_ptr<ImageCache> site;  // only read
};

// Returns whether it is a failure of the code itself, which every attempt repeats. Others (no memory) may pass.
bool is_lasting(Verdict verdict);

// An image that is wanted. Its source is apart: it is large, and the same for all sizes of a kernel.
struct WantedImage {
  ImageRequest request;  // the source in it does not count
  const SourceText& source;
  std::string key;
  // `of`: the whole request, which must outlive this.
  WantedImage(const ImageRequest& of) : request(of), source(of.source), key(image_key(of)) {}
  WantedImage(ImageRequest of, const SourceText& text, const SourceKey& source_key)
      : request(std::move(of)), source(text), key(source_key.key_of(request)) {}
};

class Images {
 public:
  using Warn = std::function<void(const std::string&)>;
  // `bundles` must outlive it.
  Images(std::shared_ptr<Device> device, const AddedBundles& bundles, ImageCaches caches, Warn warn,
         std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>());

  // Throws Error only when there is no compiler and the cache lacks the image.
  LoadedImage get(const WantedImage& wanted);

  // Returns what get() would, where that compiles nothing: the image is loaded, or in a cache. Else returns nothing.
  std::optional<LoadedImage> get_ready(const WantedImage& wanted);

  struct Counts {
    std::uint64_t compiled = 0, from_cache = 0, from_bundle = 0, reused = 0;  // images
  };
  Counts counts() const noexcept { return {compiled_, from_cache_, from_bundle_, reused_}; }

  // Returns the toolchain of the image that get() would load, without compiling or loading. It is the cached image's,
  // else the compiler's; "" when there is neither.
  std::string toolchain(const WantedImage& wanted);

  // Says which modules are held here; lets go of some of them.
  void survey(Survey& survey) const;
  void drop(const Doomed& doomed, Dropped& dropped);

  // Adds the images that are loaded, as far as a bundle or a cache still has them.
  void add_to(BundleWriter& bundle);

 private:
  LoadedImage loaded(LoadOutcome outcome, const Image& image);
  struct Cached {
    Image image;
    bool is_bundled = false;
  };
  // Returns the image that a compile would not better: whole, of unchanged files. Native code comes before PTX.
  std::optional<Cached> cached(const ImageRequest& request, const std::string& key);
  std::optional<Image> cached_in(ImageCache& cache, const ImageRequest& request, const std::string& key);
  bool compiles_to_native_code(const ImageRequest& request);
  std::optional<LoadedImage> load_cached(const ImageRequest& request, const std::string& key);
  LoadedImage load_or_compile(const WantedImage& wanted);
  LoadedImage compile(const ImageRequest& request, const std::string& key);
  void warn_about(const ImageCache& cache);

  std::shared_ptr<Device> device_;
  const AddedBundles& bundles_;
  ImageCaches caches_;
  Warn warn_;
  const std::shared_ptr<Holdings> holdings_;
  SingleFlight<std::string, LoadedImage> loaded_;  // by image key
  std::atomic<std::uint64_t> compiled_ = 0, from_cache_ = 0, from_bundle_ = 0, reused_ = 0;
};

}  // namespace attune
