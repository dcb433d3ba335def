#include "spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "db/recording_file.hpp"
#include "parallel.hpp"

namespace attune::cli {
namespace {

std::string short_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".xz", ".gz", ".json", ".db"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

// What was measured, whatever the order of rows and values and the format. Objectives to nine digits: formats round.
std::vector<std::string> measurements(const Space& space) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < space.recording.trials.size(); ++i) {
    lines.push_back(fmt::format("{} {:.9g}", space.recorded.space().configuration(space.recording.trials[i].row).text(),
                                space.recorded.outcome(i).objective));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Moves each space into `kept`, unless one of the same measurements is there, which then takes note of its name.
class Collection {
 public:
  void add(std::unique_ptr<Space> space, std::vector<std::string> lines) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (lines_[i] != lines) continue;
      kept_[i]->copies.push_back(space->name);
      return;
    }
    kept_.push_back(std::move(space));
    lines_.push_back(std::move(lines));
  }
  Spaces take() { return std::move(kept_); }

 private:
  Spaces kept_;
  std::vector<std::vector<std::string>> lines_;
};

struct Loaded {
  Spaces spaces;
  std::vector<std::vector<std::string>> lines;
};

}  // namespace

Space::Space(Recording given)
    : recording(std::move(given)),
      recorded(recording),
      statistics(space_statistics(recorded)),
      random(statistics.span ? random_curve(statistics) : Curve()) {}

Spaces load_spaces(const std::vector<std::string>& files, std::size_t threads) {
  std::vector<Loaded> loaded(files.size());
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
  Collection all;
  for (Loaded& file : loaded) {
    for (std::size_t i = 0; i < file.spaces.size(); ++i) all.add(std::move(file.spaces[i]), std::move(file.lines[i]));
  }
  return all.take();
}

}  // namespace attune::cli
