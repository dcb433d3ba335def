#include "replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "recordings/recording_file.hpp"

namespace attune::cli {
namespace {

constexpr std::string_view prefix = "replay:";
constexpr std::string_view seed_prefix = "seed=";

bool is_option(std::string_view text) {
  return text == "noise" || text == "disturbed" || text == "workers" || text.starts_with(seed_prefix);
}

std::uint64_t seed_of(std::string_view option, const std::string& device) {
  const std::string_view digits = option.substr(seed_prefix.size());
  std::uint64_t seed = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (failed == std::errc() && end == digits.data() + digits.size()) return seed;
  throw UsageError(fmt::format("device `{}`: expected a whole number after `seed=`, such as seed=1", device));
}

std::string line_of(const Recording& recording) {
  return fmt::format("\n  {} for {} on {}: {}", recording.kernel,
                     recording.problem.empty() ? "no stated problem" : "\"" + recording.problem + "\"",
                     recording.device, counted(recording.trials.size(), "configuration"));
}

}  // namespace

bool is_replay(const std::string& device) { return device.starts_with(prefix); }

ReplayRequest parse_replay(const std::string& device) {
  ReplayRequest request;
  std::string_view rest = std::string_view(device).substr(prefix.size());
  // From the end: the name of a file may contain commas.
  for (auto comma = rest.rfind(','); comma != std::string_view::npos; comma = rest.rfind(',')) {
    const std::string_view option = rest.substr(comma + 1);
    if (!is_option(option)) break;
    if (option == "noise") {
      request.options.noise = true;
    } else if (option == "disturbed") {
      request.options.disturbance.emplace();
    } else if (option == "workers") {
      request.workers = true;
    } else {
      request.options.seed = seed_of(option, device);
    }
    rest = rest.substr(0, comma);
  }
  if (rest.empty())
    throw UsageError("device `" + device + "`: expected a file: replay:FILE[,noise][,disturbed][,seed=N][,workers]");
  request.file = rest;
  return request;
}

Recording chosen_recording(const std::string& file, const std::optional<std::string>& kernel,
                           const std::optional<std::string>& problem) {
  std::vector<Recording> recordings = load_recordings(file);
  std::string there;
  for (const Recording& recording : recordings) there += line_of(recording);
  std::erase_if(recordings, [&](const Recording& recording) {
    return (kernel && *kernel != recording.kernel) || (problem && *problem != recording.problem);
  });
  if (recordings.size() == 1) return std::move(recordings.front());
  throw UsageError(fmt::format("{} has {}; name the KERNEL, and --problem as written here, of one of:{}", file,
                               recordings.empty() ? "no such recording" : "several such recordings", there));
}

}  // namespace attune::cli
