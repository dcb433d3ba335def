#include "export_bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attune/error.hpp"
#include "base/shell_word.hpp"
#include "bundle/bundle_covers.hpp"
#include "bundle/bundle_images.hpp"
#include "bundle/bundle_records.hpp"
#include "image_filler.hpp"
#include "kernel/include_option.hpp"
#include "put_text.hpp"
#include "spec/pack.hpp"

namespace attune::cli {
namespace {

bool is_of_kernel(const RecordKey& key, const KernelPack& kernel) {
  const Fingerprints& own = kernel.spec.fingerprints;
  return key.code == own.code && key.contract == own.contract;
}

bool has_records_of(std::span<const Record> records, const KernelPack& kernel) {
  return std::ranges::any_of(records, [&](const Record& record) { return is_of_kernel(record.key, kernel); });
}

// `all`: records or covers.
template <typename T>
std::vector<T> of_kernels(std::vector<T> all, std::span<const KernelPack> kernels) {
  std::erase_if(all, [&](const T& one) {
    return std::ranges::none_of(kernels, [&](const KernelPack& kernel) { return is_of_kernel(one.key, kernel); });
  });
  return all;
}

// Without images and without records there is nothing to compile for: the bundle has kernels alone.
bool is_to_fill(const BundleTerms& terms, std::span<const Record> records) {
  return terms.has_images && !(records.empty() && terms.architectures.empty() && terms.problems.empty());
}

void add_kernels(BundleWriter& writer, const BundleTerms& terms) {
  for (const KernelPack& kernel : terms.kernels) {
    if (writer.holds(SectionKind::kernel, section_key(kernel.spec.name)))
      throw UsageError(fmt::format("two kernels are named {}; a bundle holds each name once", kernel.spec.name));
    add_kernel(writer, kernel);
    if (!has_records_of(terms.records, kernel))
      put_error(
          fmt::format("there are no records of {} for this; applications use its fall-backs (try: attune tune {})",
                      kernel.spec.name, shell_word(kernel.tune_target)));
  }
}

}  // namespace

KernelPack pack_to_export(KernelSpec spec, const std::string& tune_target) {
  const auto needs_folder = [](const std::string& option) { return include_folder(option).has_value(); };
  if (std::ranges::none_of(spec.compile.options, needs_folder)) spec.folder.clear();
  const bool is_file = tune_target.ends_with(".cu");
  return make_pack(std::move(spec), is_file ? std::filesystem::path(tune_target).filename().string() : tune_target);
}

ExportedBundle exported_bundle(const BundleTerms& terms) {
  BundleWriter writer;
  add_kernels(writer, terms);
  const std::vector<Record> records = of_kernels(terms.records, terms.kernels);
  add_records(writer, records);
  const std::vector<Cover> covers = of_kernels(terms.covers, terms.kernels);
  add_covers(writer, covers);
  ExportedBundle made;
  made.kernels = static_cast<std::int64_t>(terms.kernels.size());
  made.records = static_cast<std::int64_t>(records.size());
  if (is_to_fill(terms, records)) {
    ImageCache cache(terms.cache);
    const auto show = [&](const PreparedImage& image, const std::string& architecture, FillStatus result,
                          const std::string& detail) {
      if (result != FillStatus::failed) return;
      made.is_complete = false;
      put_error(fmt::format("there is no image of {} on {} for {} ({}): {}", image.kernel, architecture, image.problem,
                            image.configuration, detail));
    };
    const FillTerms fill{terms.kernels,  records,      covers,         terms.architectures,
                         terms.problems, terms.regime, terms.objective};
    std::set<std::string> keys;  // kernels of equal text share images
    for (const PreparedImage& wanted : fill_cache(cache, fill, show).images) {
      if (!keys.insert(wanted.key).second) continue;
      const auto image = cache.find(wanted.key);
      if (!image) throw Error(fmt::format("an image of {} is gone from the cache: {}", wanted.kernel, cache.why()));
      add_image(writer, wanted.key, *image);
      ++made.images;
    }
  }
  made.bytes = writer.finish();
  made.hash = Bundle::in_memory(made.bytes, "the bundle").hash();
  return made;
}

}  // namespace attune::cli
