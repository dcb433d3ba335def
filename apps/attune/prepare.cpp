// attune prepare
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "attune/error.hpp"
#include "core/device_class.hpp"
#include "core/file_digest.hpp"
#include "db/image_cache.hpp"
#include "db/paths.hpp"
#include "device/device.hpp"
#include "json_lines.hpp"
#include "kernel/problem.hpp"
#include "measure/objective.hpp"
#include "options.hpp"
#include "prepared_images.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

enum class Made { compiled, there, failed };
constexpr std::string_view words[] = {"compiled", "there", "failed"};

struct Outcome {
  Made made = Made::failed;
  std::string detail;  // of a failure
};

// Fills one cache with images of one architecture. Any thread.
class Filler {
 public:
  Filler(ImageCache& cache, const std::string& architecture, bool json)
      : cache_(cache), architecture_(architecture), json_(json), compiler_(make_compiler(architecture)) {}

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
  std::int64_t count(Made made) const { return counts_[static_cast<std::size_t>(made)]; }

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
      return {Made::failed, "its headers are too many or too large to be followed; such an image is not kept"};
    cache_.put(wanted.key, *compiled.image);
    if (cache_.find(wanted.key)) return {Made::compiled, {}};
    return {Made::failed, "it is not kept: " + cache_.why()};
  }

  void show(const WantedImage& image, const Outcome& outcome) {
    const std::lock_guard lock(showing_);
    const std::string_view word = words[static_cast<std::size_t>(outcome.made)];
    ++counts_[static_cast<std::size_t>(outcome.made)];
    if (json_) {
      nlohmann::ordered_json line;
      line["type"] = "image";
      line["kernel"] = image.kernel;
      line["architecture"] = architecture_;
      line["problem"] = image.problem;
      line["configuration"] = image.configuration;
      line["why"] = image.why;
      line["key"] = image.key;
      line["made"] = word;
      if (!outcome.detail.empty()) line["detail"] = outcome.detail;
      return print_line(line);
    }
    put_text("{:<9} {} on {} for {} ({}): {}\n", word, image.kernel, architecture_, image.problem, image.why,
             image.configuration);
    if (!outcome.detail.empty()) put_text("{}\n", outcome.detail);
  }

  ImageCache& cache_;
  const std::string architecture_;
  const bool json_;
  const std::shared_ptr<Compiler> compiler_;
  std::mutex showing_;
  std::array<std::int64_t, std::size(words)> counts_{};
};

Options prepare_options() {
  Options options("attune prepare KERNEL|FILE.cu... [options]",
                  "  attune prepare reduce scan --architecture sm_90 --architecture sm_100 --cache /opt/attune\n"
                  "  attune prepare my_kernel.cu --architecture sm_80 --problem \"n=2**20 T=float\"\n"
                  "\nNo GPU is needed. It compiles what an application there would launch: every record of the "
                  "architecture, and for\neach problem the best known configuration and the default.\n",
                  {"kernels..."});
  namespace po = boost::program_options;
  options.add()("architecture", po::value<std::vector<std::string>>()->composing(),
                "sm_90, or host; may be given several times (default: those that the kernels have records of)")(
      "problem,p", po::value<std::vector<std::string>>()->composing(),
      "a problem of every kernel, besides those with records; may be given several times")(
      "regime", po::value<std::string>(), "that problems are asked for: cold (default), warm or stream")(
      "objective", po::value<std::string>(), "that problems are asked for (default: time)")(
      "cache", po::value<std::string>(), "the cache to fill (default: $ATTUNE_CACHE, else the user's own)")(
      "json", "one JSON object per image instead of text");
  add_database_option(options);
  return options;
}

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

int run_prepare(const Arguments& arguments) {
  Options options = prepare_options();
  if (options.parse(arguments)) return exit_done;
  std::vector<KernelPack> kernels;
  for (const std::string& given : options.required_list("kernels"))
    kernels.push_back(make_pack(load_kernel(given), given));
  std::optional<WisdomStore> store = open_store(options);
  const std::vector<Record> records = read_records(store);
  std::vector<std::string> architectures = options.list("architecture");
  if (architectures.empty()) architectures = architectures_of(kernels, records);
  const Regime regime = regime_of(options);
  const std::string objective = Objectives(options.text("objective").value_or("time")).text();
  const std::filesystem::path folder = options.text("cache").value_or(default_cache_path().string());
  ImageCache cache(folder);
  std::int64_t counts[std::size(words)] = {}, wanted = 0;
  for (const std::string& architecture : architectures) {
    const DeviceInfo device = device_for(architecture);
    Filler filler(cache, architecture, options.has("json"));
    for (const KernelPack& kernel : kernels) {
      std::vector<Problem> problems;
      for (const std::string& text : options.list("problem"))
        problems.push_back(parse_problem(kernel.spec, text, device.kind));
      const PreparedFor prepared =
          images_to_prepare({kernel, records, problems, device, std::string(to_text(regime)), objective});
      for (const std::string& note : prepared.notes) put_error(note);
      if (prepared.images.empty())
        put_error(fmt::format("there is no image of {} to prepare for {}: no record that serves, and no --problem",
                              kernel.spec.name, architecture));
      filler.fill(prepared.images);
      wanted += static_cast<std::int64_t>(prepared.images.size());
    }
    for (std::size_t i = 0; i < std::size(words); ++i) counts[i] += filler.count(static_cast<Made>(i));
  }
  if (!options.has("json"))
    put_text("{} compiled, {} there already, {} failed; in {}\n", counts[0], counts[1], counts[2], folder.string());
  return wanted == 0 || counts[2] > 0 ? exit_error : exit_done;
}

}  // namespace attune::cli
