#include "prepared_images.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/device_class.hpp"
#include "device/image_key.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/ladder.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"

namespace attune::cli {
namespace {

class Preparation {
 public:
  explicit Preparation(const PrepareTerms& terms) : terms_(terms), spec_(terms.kernel.spec) {}

  PreparedFor run() {
    find_devices();
    for (const Record& record : own_) add_record(record);
    for (const Cover& cover : terms_.covers)
      for (const Record& record : own_) add_cover(cover, record.key);
    for (const Problem& problem : terms_.problems)
      for (const DeviceInfo& device : devices_) add_problem(problem, device);
    return std::move(found_);
  }

 private:
  // The architecture's own, and one of each class that has records.
  void find_devices() {
    devices_.push_back(terms_.device);
    for (const Record& record : terms_.records) {
      const RecordKey& key = record.key;
      if (key.code != spec_.fingerprints.code || key.contract != spec_.fingerprints.contract) continue;
      const auto device = device_of_class(key.device_class, terms_.device);
      if (!device || device->architecture() != terms_.device.architecture()) continue;
      own_.push_back(record);
      const auto same = [&](const DeviceInfo& known) { return known.class_key() == key.device_class; };
      if (std::ranges::none_of(devices_, same)) devices_.push_back(*device);
    }
  }

  void add_record(const Record& record) {
    const DeviceInfo device = *device_of_class(record.key.device_class, terms_.device);
    try {
      const Problem problem = make_problem(spec_, record.key.problem, device.kind);
      const auto configuration = legal_configuration(spec_, problem, device, record.configuration);
      if (!configuration) throw Error(why_illegal(spec_, problem, device, record.configuration));
      add(problem, device, *configuration, "record");
    } catch (const Error& error) {
      note(record.key.problem, device,
           fmt::format("the record {} is left out: {}", record.configuration.text(), error.what()));
    }
  }

  // Records tell which types and choices an application asks for.
  void add_cover(const Cover& cover, const RecordKey& key) {
    const RecordKey& own = cover.key;
    if (own.code != key.code || own.contract != key.contract || own.device_class != key.device_class) return;
    const DeviceInfo device = *device_of_class(key.device_class, terms_.device);
    const Problem problem = make_problem(spec_, key.problem, device.kind);
    for (const Configuration& wished : cover.configurations)
      if (const auto configuration = legal_configuration(spec_, problem, device, wished))
        add(problem, device, *configuration, "cover");
  }

  void add_problem(const Problem& problem, const DeviceInfo& device) {
    const MatchRequest request{
        spec_, problem, device, terms_.kernel.tune_target, terms_.regime, terms_.objective, terms_.kernel.fallbacks};
    try {
      std::vector<GradedMatch> rungs = match_ladder(request, terms_.records, terms_.covers);
      const std::size_t recorded = rungs.size();
      add_last_rungs(rungs, request, terms_.records, "");
      if (rungs.size() == recorded) throw Error("no fall-back configuration is legal");
      if (recorded > 0) add_match(problem, device, rungs.front().match);
      add_match(problem, device, rungs[recorded].match);
    } catch (const Error& error) {
      note(problem, device, error.what());
    }
  }

  void add_match(const Problem& problem, const DeviceInfo& device, const Match& match) {
    const std::string why(match.rung == Rung::none ? "default" : to_text(match.rung));
    add(problem, device, match.configuration, why);
  }

  void add(const Problem& problem, const DeviceInfo& device, const Configuration& configuration, std::string why) {
    ImageRequest request = launch_image_request(spec_, problem, configuration, device);
    if (request.expressions.empty()) return;  // nothing but memsets
    std::string key = image_key(request);
    const auto same = [&](const PreparedImage& image) { return image.key == key; };
    if (std::ranges::any_of(found_.images, same)) return;
    found_.images.push_back(
        {std::move(key), std::move(request), spec_.name, problem.text(), configuration.text(), std::move(why)});
  }

  void note(const Problem& problem, const DeviceInfo& device, const std::string& why) {
    std::string text = fmt::format("{} for {} on {}: {}", spec_.name, problem.text(), device.name, why);
    if (std::ranges::find(found_.notes, text) == found_.notes.end()) found_.notes.push_back(std::move(text));
  }

  const PrepareTerms& terms_;
  const KernelSpec& spec_;
  std::vector<DeviceInfo> devices_;
  std::vector<Record> own_;  // of this kernel and architecture
  PreparedFor found_;
};

}  // namespace

PreparedFor images_to_prepare(const PrepareTerms& terms) { return Preparation(terms).run(); }

}  // namespace attune::cli
