#include "replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "recordings/recording_file.hpp"
#include "worker/boards.hpp"

namespace attune::cli {
namespace {

constexpr std::string_view prefix = "replay:";
constexpr std::string_view words[] = {"noise", "disturbed", "workers", "paced"};
constexpr std::string_view numbers[] = {"seed=", "benches=", "bench="};  // `bench=` is of a worker among several

bool is_option(std::string_view text) {
  return std::ranges::find(words, text) != std::end(words) ||
         std::ranges::any_of(numbers, [&](std::string_view number) { return text.starts_with(number); });
}

// Returns the number behind the `=` of an option.
std::uint64_t number_in(std::string_view option, const std::string& device) {
  const std::string_view digits = option.substr(option.find('=') + 1);
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed == std::errc() && end == digits.data() + digits.size()) return number;
  const std::string_view name = option.substr(0, option.find('=') + 1);
  throw UsageError(fmt::format("device `{}`: expected a whole number after `{}`, such as {}1", device, name, name));
}

int benches_in(std::string_view option, const std::string& device) {
  const std::uint64_t count = number_in(option, device);
  if (count < 1 || count > most_benches)
    throw UsageError(fmt::format("device `{}`: a session has 1 to {} benches", device, most_benches));
  return static_cast<int>(count);
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
    } else if (option == "paced") {
      request.options.paced = true;
    } else if (option.starts_with("seed=")) {
      request.options.seed = number_in(option, device);
    } else {
      (option.starts_with("benches=") ? request.benches : request.options.bench) = benches_in(option, device);
    }
    rest = rest.substr(0, comma);
  }
  if (rest.empty())
    throw UsageError("device `" + device +
                     "`: expected a file: replay:FILE[,noise][,disturbed][,seed=N][,workers][,benches=N][,paced]");
  request.file = rest;
  return request;
}

std::vector<std::string> bench_names(const std::string& device, const ReplayRequest& request) {
  if (request.benches == 1) return {device};
  std::vector<std::string> names;
  for (int bench = 1; bench <= request.benches; ++bench) names.push_back(fmt::format("{},bench={}", device, bench));
  return names;
}

std::vector<std::shared_ptr<Replay>> replays_of(const Recording& recording, const ReplayRequest& request) {
  std::vector<std::shared_ptr<Replay>> replays;
  for (int bench = 1; bench <= request.benches; ++bench) {
    ReplayOptions options = request.options;
    if (request.benches > 1) options.bench = bench;
    replays.push_back(std::make_shared<Replay>(recording, options));
  }
  return replays;
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
