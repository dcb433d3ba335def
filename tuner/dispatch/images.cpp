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
               std::shared_ptr<Holdings> holdings)
    : device_(std::move(device)),
      bundles_(bundles),
      caches_(std::move(caches)),
      warn_(std::move(warn)),
      holdings_(std::move(holdings)) {}

LoadedImage Images::get(const WantedImage& wanted) {
  bool is_made = false;
  LoadedImage image = loaded_.get(wanted.key, [&] {
    is_made = true;
    return load_or_compile(wanted);
  });
  if (!is_made) ++reused_;
  if (!is_made && image.module != nullptr) holdings_->mark(*image.module);
  if (!image.status.ok() && !is_lasting(image.status.verdict)) loaded_.forget(wanted.key);
  return image;
}

LoadedImage Images::loaded(LoadOutcome outcome, const Image& image) {
  const bool has_variables = std::ranges::any_of(
      image.functions, [](const ImageFunction& function) { return function.expression.starts_with('&'); });
  return {std::move(outcome.status), holdings_->hold(std::move(outcome.module), image), image.toolchain,
          has_variables ? std::optional(image) : std::nullopt, origin_of(image)};
}

void Images::survey(Survey& survey) const {
  loaded_.for_each([&](const std::string&, const LoadedImage& image) {
    if (image.module != nullptr) survey.add(image.module);
  });
}

void Images::drop(const ModuleSet& doomed, Garbage& dropped) {
  loaded_.forget_if([&](const LoadedImage& image) {
    if (!doomed.contains(image.module.get())) return false;
    dropped.push_back(image.module);
    return true;
  });
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

std::optional<LoadedImage> Images::get_ready(const WantedImage& wanted) {
  if (auto present = loaded_.find(wanted.key)) {
    ++reused_;
    if (present->module != nullptr) holdings_->mark(*present->module);
    return present;
  }
  std::optional<LoadedImage> image = load_cached(wanted.request, wanted.key);
  if (!image) return std::nullopt;
  return loaded_.get(wanted.key, [&] { return *image; });
}

// A cached image may be sound, and yet this driver or machine refuses it. Then it counts as absent.
std::optional<LoadedImage> Images::load_cached(const ImageRequest& request, const std::string& key) {
  const auto found = cached(request, key);
  if (!found) return std::nullopt;
  auto outcome = device_->load(found->image);
  if (!outcome.status.ok()) return std::nullopt;
  ++(found->is_bundled ? from_bundle_ : from_cache_);
  return loaded(std::move(outcome), found->image);
}

LoadedImage Images::load_or_compile(const WantedImage& wanted) {
  if (auto image = load_cached(wanted.request, wanted.key)) return *std::move(image);
  ImageRequest whole = wanted.request;
  whole.source = wanted.source;
  return compile(whole, wanted.key);
}

LoadedImage Images::compile(const ImageRequest& request, const std::string& key) {
  ++compiled_;
  const std::array requests{request};
  auto outcomes = device_->compiler()->compile(requests);
  CompileOutcome& outcome = outcomes.at(0);
  if (!outcome.image) return {{outcome.verdict, std::move(outcome.log)}, nullptr, {}, {}};
  auto result = loaded(device_->load(*outcome.image), *outcome.image);
  if (result.status.ok() && caches_.own) {
    caches_.own->put(key, *outcome.image);
    warn_about(*caches_.own);
  }
  return result;
}

// Since an image was loaded, another process may have put another one of the same key, made from a changed header, into
// a cache. The origin tells them apart.
void Images::add_to(BundleWriter& bundle) {
  std::vector<std::pair<std::string, std::string>> wanted;  // key, origin
  loaded_.for_each([&](const std::string& key, const LoadedImage& image) {
    if (image.module != nullptr) wanted.emplace_back(key, image.origin);
  });
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
