#include "spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "parallel.hpp"
#include "recordings/recording_file.hpp"

namespace attune::cli {
namespace {

std::string short_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".xz", ".gz", ".json", ".db"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

struct ScoreLine {
  std::string text;
  std::uint32_t trial = 0;
};

// Returns the measurements, independent of the order of rows and values and of the format. Objectives have nine digits,
// because formats round.
std::vector<ScoreLine> measurements(const Space& space) {
  std::vector<ScoreLine> lines;
  for (std::size_t i = 0; i < space.recording.trials.size(); ++i) {
    lines.push_back(
        {fmt::format("{} {:.9g}", space.recorded.space().configuration(space.recording.trials[i].row).text(),
                     space.recorded.outcome(i).objective),
         static_cast<std::uint32_t>(i)});
  }
  std::sort(lines.begin(), lines.end(), [](const ScoreLine& a, const ScoreLine& b) { return a.text < b.text; });
  return lines;
}

DuplicateFile copy_of(const std::vector<ScoreLine>& kept, std::string name, const std::vector<ScoreLine>& lines) {
  DuplicateFile copy{std::move(name), std::vector<std::uint32_t>(lines.size())};
  for (std::size_t i = 0; i < lines.size(); ++i) copy.trials[lines[i].trial] = kept[i].trial;
  return copy;
}

// Moves each space into `kept`, unless a space with the same measurements is there: that space then notes the name.
class DistinctSpaces {
 public:
  void add(std::unique_ptr<Space> space, std::vector<ScoreLine> lines) {
    const auto alike = [](const ScoreLine& a, const ScoreLine& b) { return a.text == b.text; };
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!std::equal(lines.begin(), lines.end(), lines_[i].begin(), lines_[i].end(), alike)) continue;
      kept_[i]->copies.push_back(copy_of(lines_[i], space->name, lines));
      return;
    }
    kept_.push_back(std::move(space));
    lines_.push_back(std::move(lines));
  }
  Spaces take() { return std::move(kept_); }

 private:
  Spaces kept_;
  std::vector<std::vector<ScoreLine>> lines_;
};

struct LoadedSpaces {
  Spaces spaces;
  std::vector<std::vector<ScoreLine>> lines;
};

}  // namespace

Space::Space(Recording given)
    : recording(std::move(given)),
      recorded(recording),
      statistics(space_statistics(recorded)),
      random(statistics.span ? random_curve(statistics) : Curve()) {}

Spaces load_spaces(const std::vector<std::string>& files, std::size_t threads) {
  std::vector<LoadedSpaces> loaded(files.size());
  for_each_index(files.size(), threads, [&](std::size_t i) {
    std::vector<Recording> recordings = load_recordings(files[i]);
    for (Recording& recording : recordings) {
      auto space = std::make_unique<Space>(std::move(recording));
      space->name = short_name(files[i]);
      if (recordings.size() > 1)
        space->name += fmt::format(" ({} on {})", space->recording.kernel, space->recording.device);
      loaded[i].lines.push_back(measurements(*space));
      loaded[i].spaces.push_back(std::move(space));
    }
  });
  DistinctSpaces all;
  for (LoadedSpaces& file : loaded) {
    for (std::size_t i = 0; i < file.spaces.size(); ++i) all.add(std::move(file.spaces[i]), std::move(file.lines[i]));
  }
  return all.take();
}

}  // namespace attune::cli
