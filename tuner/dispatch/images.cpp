#include "dispatch/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "bundle/bundle_images.hpp"
#include "core/file_digest.hpp"

namespace attune {
namespace {

bool is_whole(const Image& image, const ImageRequest& request) {
  return std::ranges::all_of(request.expressions,
                             [&](const std::string& entry) { return image.find(entry) != nullptr; });
}

// Returns a digest of what tells images of one key apart: the compiler, and the files that it opened.
std::string origin_of(const Image& image) {
  Digest digest;
  digest.add(image.toolchain);
  for (const ImageFile& file : image.files) digest.add(file.path).add(file.sha256);
  return digest.hex();
}

}  // namespace

bool is_lasting(Verdict verdict) { return verdict == Verdict::compile_error || verdict == Verdict::resources; }

Images::Images(std::shared_ptr<Device> device, const AddedBundles& bundles, ImageCaches caches, Warn warn,
               std::shared_ptr<HeldMemory> held)
    : device_(std::move(device)),
      bundles_(bundles),
      caches_(std::move(caches)),
      warn_(std::move(warn)),
      held_(std::move(held)) {}

std::shared_ptr<Images::KnownImage> Images::known(const std::string& key) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<KnownImage>& known = known_[key];
  if (known == nullptr) known = std::make_shared<KnownImage>();
  return known;
}

// Returns the image if it is loaded, or known to fail.
std::optional<LoadedImage> Images::reuse(KnownImage& known) {
  const std::lock_guard lock(known.mutex);
  LoadedImage image = known.last;
  image.module = known.module.lock();
  if (image.module == nullptr && image.status.ok()) return std::nullopt;
  ++reused_;
  return image;
}

LoadedImage Images::get(const WantedImage& wanted) {
  if (auto image = get_ready(wanted)) return *std::move(image);
  const std::shared_ptr<KnownImage> known = this->known(wanted.key);
  const std::lock_guard lock(known->compiling);
  if (auto image = reuse(*known)) return *std::move(image);
  return compile(wanted, *known);
}

std::optional<LoadedImage> Images::get_ready(const WantedImage& wanted) {
  const std::shared_ptr<KnownImage> known = this->known(wanted.key);
  if (auto image = reuse(*known)) return image;
  const std::lock_guard lock(known->loading);
  if (auto image = reuse(*known)) return image;
  return load_cached(wanted.request, wanted.key, *known);
}

// Remembers the image as long as its module is loaded, and a failure that every attempt would repeat.
LoadedImage Images::keep(KnownImage& known, LoadOutcome outcome, const Image& image) {
  const bool has_variables = std::ranges::any_of(
      image.functions, [](const ImageFunction& function) { return function.expression.starts_with('&'); });
  LoadedImage loaded{std::move(outcome.status), nullptr, image.toolchain,
                     image.code != nullptr ? image.code->size() : 0,
                     has_variables ? std::make_shared<const Image>(image) : nullptr};
  std::string origin = origin_of(image);
  const std::lock_guard lock(known.mutex);
  if (loaded.status.ok() || is_lasting(loaded.status.verdict)) known.last = loaded;
  known.origin = std::move(origin);
  known.module = loaded.module = held_module(held_, std::move(outcome.module), loaded.bytes);
  return loaded;
}

std::string Images::toolchain(const WantedImage& wanted) {
  if (const auto image = cached(wanted.request, wanted.key)) return image->image.toolchain;
  try {
    return device_->compiler()->toolchain();
  } catch (const Error&) {
    return {};  // plan() reports what is missing, if it needs a compiler
  }
}

std::optional<Images::CachedImage> Images::cached(const ImageRequest& request, const std::string& key) {
  std::optional<CachedImage> ptx;
  if (auto image = bundles_.find_image(key); image && is_whole(*image, request)) {
    if (!image->is_ptx()) return CachedImage{*std::move(image), true};
    ptx = {*std::move(image), true};
  }
  for (ImageCache* const cache : {caches_.own.get(), caches_.site.get()}) {
    auto image = cache != nullptr ? cached_in(*cache, request, key) : std::nullopt;
    if (image && !image->is_ptx()) return CachedImage{*std::move(image), false};
    if (image && !ptx) ptx = {*std::move(image), false};
  }
  if (ptx && compiles_to_native_code(request)) return std::nullopt;
  return ptx;
}

std::optional<Image> Images::cached_in(ImageCache& cache, const ImageRequest& request, const std::string& key) {
  auto image = cache.find(key);
  warn_about(cache);
  if (!image || !image->knows_files || !are_unchanged(image->files)) return std::nullopt;
  return is_whole(*image, request) ? std::move(image) : std::nullopt;
}

// PTX was made because the device was newer than the compiler. A newer compiler may be there since.
bool Images::compiles_to_native_code(const ImageRequest& request) {
  try {
    return device_->compiler()->target(request.architecture) == request.architecture;
  } catch (const Error&) {
    return false;  // no compiler: the PTX serves
  }
}

// A cached image may be sound, and yet this driver or machine refuses it. Then it counts as absent.
std::optional<LoadedImage> Images::load_cached(const ImageRequest& request, const std::string& key, KnownImage& known) {
  const auto found = cached(request, key);
  if (!found) return std::nullopt;
  auto outcome = device_->load(found->image);
  if (!outcome.status.ok()) return std::nullopt;
  ++(found->is_bundled ? from_bundle_ : from_cache_);
  return keep(known, std::move(outcome), found->image);
}

LoadedImage Images::compile(const WantedImage& wanted, KnownImage& known) {
  ++compiled_;
  std::array requests{wanted.request};
  requests[0].source = wanted.source;
  auto outcomes = device_->compiler()->compile(requests);
  CompileOutcome& outcome = outcomes.at(0);
  if (!outcome.image) {
    LoadedImage failed;
    failed.status = {outcome.verdict, std::move(outcome.log), false};
    const std::lock_guard lock(known.mutex);
    if (is_lasting(outcome.verdict)) known.last = failed;
    return failed;
  }
  LoadedImage image = keep(known, device_->load(*outcome.image), *outcome.image);
  if (image.status.ok() && caches_.own) {
    caches_.own->put(wanted.key, *outcome.image);
    warn_about(*caches_.own);
  }
  return image;
}

// Since an image was loaded, another process may have put another one of the same key, made from a changed header, into
// a cache. The origin tells them apart.
void Images::add_to(BundleWriter& bundle) {
  std::vector<std::pair<std::string, std::string>> wanted;  // key, origin
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, known] : known_) {
      const std::lock_guard of_image(known->mutex);
      if (!known->module.expired()) wanted.emplace_back(key, known->origin);
    }
  }
  for (const auto& [key, origin] : wanted) {
    std::optional<Image> image;
    const auto consider = [&](std::optional<Image> found) {
      if (!image && found && origin_of(*found) == origin) image = std::move(found);
    };
    consider(bundles_.find_image(key));
    for (ImageCache* const cache : {caches_.own.get(), caches_.site.get()})
      if (!image && cache != nullptr) consider(cache->find(key));
    if (image) add_image(bundle, key, *image);
  }
}

void Images::warn_about(const ImageCache& cache) {
  if (const std::string why = cache.why(); !why.empty()) {
    warn_(fmt::format("the image cache is not used: {}; compiling instead", why));
  }
}

}  // namespace attune
