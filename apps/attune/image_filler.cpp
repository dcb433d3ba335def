#include "image_filler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "attune/error.hpp"
#include "base/usable_processors.hpp"
#include "core/device_class.hpp"
#include "core/file_digest.hpp"
#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "worker.hpp"
#include "worker/pool.hpp"

namespace attune::cli {
namespace {

struct FillOutcome {
  FillStatus made = FillStatus::failed;
  std::string detail;  // of a failure
};

// Fills one cache with images of one architecture, in compile workers: a compiler that hangs costs one image.
class Filler {
 public:
  Filler(ImageCache& cache, const std::string& architecture, const DeviceInfo& device, const ShowImage& show,
         FillResult& filled)
      : cache_(cache),
        architecture_(architecture),
        show_(show),
        filled_(filled),
        workers_(workers_for(architecture)),
        pool_(*workers_, device) {
    pool_.set_compilers(static_cast<unsigned>(usable_processors()));
  }

  void fill(std::span<const PreparedImage> images) {
    std::map<Ticket, const PreparedImage*> absent;
    for (const PreparedImage& image : images) {
      if (is_there(image))
        show(image, {FillStatus::there, {}});
      else
        absent.emplace(pool_.submit(image.request), &image);
    }
    while (!absent.empty()) {
      const Result result = *pool_.next(Pool::never);
      const auto found = absent.find(result.ticket);
      show(*found->second, keep(*found->second, std::get<CompileAnswer>(result.answer).outcomes.front()));
      absent.erase(found);
    }
  }

 private:
  // As an application does: whole, of unchanged files, and not PTX where this compiler makes native code.
  bool is_there(const PreparedImage& wanted) const {
    const auto image = cache_.find(wanted.key);
    if (!image || !image->knows_files || !are_unchanged(image->files)) return false;
    const std::string& architecture = wanted.request.architecture;
    if (image->is_ptx() && make_compiler(architecture_)->target(architecture) == architecture) return false;
    return std::ranges::all_of(wanted.request.expressions,
                               [&](const std::string& entry) { return image->find(entry) != nullptr; });
  }

  FillOutcome keep(const PreparedImage& wanted, const CompileOutcome& compiled) {
    if (!compiled.image) return {FillStatus::failed, fmt::format("{}: {}", to_text(compiled.verdict), compiled.log)};
    if (!compiled.image->knows_files)
      return {
          FillStatus::failed,
          "its headers are too many, too large, or named by a macro alone, to be followed; such an image is not kept"};
    cache_.put(wanted.key, *compiled.image);
    if (cache_.find(wanted.key)) return {FillStatus::compiled, {}};
    return {FillStatus::failed, "it is not kept: " + cache_.why()};
  }

  void show(const PreparedImage& image, const FillOutcome& outcome) {
    ++filled_.counts[static_cast<std::size_t>(outcome.made)];
    if (outcome.made != FillStatus::failed) filled_.images.push_back(image);
    show_(image, architecture_, outcome.made, outcome.detail);
  }

  ImageCache& cache_;
  const std::string architecture_;
  const ShowImage& show_;
  FillResult& filled_;
  const std::unique_ptr<Workers> workers_;
  Pool pool_;
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

FillResult fill_cache(ImageCache& cache, const FillTerms& terms, const ShowImage& show) {
  FillResult filled;
  for (const std::string& architecture :
       terms.architectures.empty() ? architectures_of(terms.kernels, terms.records) : terms.architectures) {
    const DeviceInfo device = device_for(architecture);
    Filler filler(cache, architecture, device, show, filled);
    for (const KernelPack& kernel : terms.kernels) {
      std::vector<Problem> problems;
      for (const std::string& text : terms.problems) problems.push_back(parse_problem(kernel.spec, text, device.kind));
      const PreparedFor prepared =
          images_to_prepare({kernel, terms.records, terms.covers, problems, device, terms.regime, terms.objective});
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
