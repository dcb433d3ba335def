#include "image_filler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "attune/error.hpp"
#include "core/device_class.hpp"
#include "core/file_digest.hpp"
#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"

namespace attune::cli {
namespace {

struct Outcome {
  Made made = Made::failed;
  std::string detail;  // of a failure
};

// Fills one cache with images of one architecture. Any thread.
class Filler {
 public:
  Filler(ImageCache& cache, const std::string& architecture, const ShowImage& show, Filled& filled)
      : cache_(cache),
        architecture_(architecture),
        show_(show),
        filled_(filled),
        compiler_(make_compiler(architecture)) {}

  void fill(std::span<const WantedImage> images) {
    std::vector<WantedImage> absent;
    for (const WantedImage& image : images) is_there(image) ? show(image, {Made::there, {}}) : absent.push_back(image);
    const std::size_t batch = compiler_->preferred_batch();
    const std::size_t batches = (absent.size() + batch - 1) / batch;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < batches; i = next++)
        compile(std::span(absent).subspan(i * batch, std::min(batch, absent.size() - i * batch)));
    };
    const std::size_t helpers = std::min<std::size_t>(batches, std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
    work();
  }

 private:
  // As an application does: whole, of unchanged files, and not PTX where this compiler makes native code.
  bool is_there(const WantedImage& wanted) {
    const auto image = cache_.find(wanted.key);
    if (!image || !image->knows_files || !are_unchanged(image->files)) return false;
    if (image->is_ptx() && compiler_->target(wanted.request.architecture) == wanted.request.architecture) return false;
    return std::ranges::all_of(wanted.request.expressions,
                               [&](const std::string& entry) { return image->find(entry) != nullptr; });
  }

  void compile(std::span<const WantedImage> images) {
    std::vector<Outcome> outcomes(images.size());
    try {
      std::vector<ImageRequest> requests;
      for (const WantedImage& image : images) requests.push_back(image.request);
      std::vector<CompileOutcome> compiled = compiler_->compile(requests);
      for (std::size_t i = 0; i < images.size(); ++i) outcomes[i] = keep(images[i], compiled.at(i));
    } catch (const std::exception& error) {
      for (Outcome& outcome : outcomes)
        if (outcome.detail.empty()) outcome.detail = error.what();
    }
    for (std::size_t i = 0; i < images.size(); ++i) show(images[i], outcomes[i]);
  }

  Outcome keep(const WantedImage& wanted, const CompileOutcome& compiled) {
    if (!compiled.image) return {Made::failed, fmt::format("{}: {}", to_text(compiled.verdict), compiled.log)};
    if (!compiled.image->knows_files)
      return {
          Made::failed,
          "its headers are too many, too large, or named by a macro alone, to be followed; such an image is not kept"};
    cache_.put(wanted.key, *compiled.image);
    if (cache_.find(wanted.key)) return {Made::compiled, {}};
    return {Made::failed, "it is not kept: " + cache_.why()};
  }

  void show(const WantedImage& image, const Outcome& outcome) {
    const std::lock_guard lock(showing_);
    ++filled_.counts[static_cast<std::size_t>(outcome.made)];
    if (outcome.made != Made::failed) filled_.images.push_back(image);
    show_(image, architecture_, outcome.made, outcome.detail);
  }

  ImageCache& cache_;
  const std::string architecture_;
  const ShowImage& show_;
  Filled& filled_;
  const std::shared_ptr<Compiler> compiler_;
  std::mutex showing_;
};

// Throws UsageError for what is neither an architecture nor `host`.
DeviceInfo device_for(const std::string& architecture) {
  if (architecture == "host") return open_device("host")->info();
  return device_limits(architecture);
}

// Of records of these kernels, for which a compiler may be here.
std::vector<std::string> architectures_of(std::span<const KernelPack> kernels, std::span<const Record> records) {
  std::set<std::string> found;
  for (const Record& record : records)
    for (const KernelPack& kernel : kernels)
      if (record.key.code == kernel.spec.fingerprints.code && record.key.contract == kernel.spec.fingerprints.contract)
        found.insert(architecture_of_class(record.key.device_class));
  const std::vector<std::string> known = known_architectures();
  std::erase_if(found,
                [&](const std::string& one) { return one != "host" && std::ranges::find(known, one) == known.end(); });
  if (found.empty())
    throw UsageError(
        "nothing is known of these kernels; name an architecture and a problem: --architecture sm_90 "
        "--problem \"...\"");
  return {found.begin(), found.end()};
}

}  // namespace

Filled fill_cache(ImageCache& cache, const FillTerms& terms, const ShowImage& show) {
  Filled filled;
  for (const std::string& architecture :
       terms.architectures.empty() ? architectures_of(terms.kernels, terms.records) : terms.architectures) {
    const DeviceInfo device = device_for(architecture);
    Filler filler(cache, architecture, show, filled);
    for (const KernelPack& kernel : terms.kernels) {
      std::vector<Problem> problems;
      for (const std::string& text : terms.problems) problems.push_back(parse_problem(kernel.spec, text, device.kind));
      const PreparedFor prepared =
          images_to_prepare({kernel, terms.records, problems, device, terms.regime, terms.objective});
      for (const std::string& note : prepared.notes) put_error(note);
      if (prepared.images.empty())
        put_error(fmt::format("there is no image of {} to prepare for {}: no record that serves, and no --problem",
                              kernel.spec.name, architecture));
      filler.fill(prepared.images);
    }
  }
  return filled;
}

}  // namespace attune::cli
