// Candidates: the configurations that a session has met, and what became of each. Whoever asks whether a configuration
// was tried or is under way asks here. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "attune/search_space.hpp"
#include "attune/strategy.hpp"
#include "core/trial.hpp"
#include "subject/instance.hpp"

namespace attune {

// Why a configuration must not be launched.
struct LaunchBan {
  std::string why;
  int attempts = 1;  // how often this session began to try it
};

struct Candidate {
  // How far it is in this run. A configuration with a verdict may be on its way once more, as the anchor.
  enum class State {
    met,        // it is not on its way
    proposed,   // it was chosen
    compiling,  // its image was asked for, and may wait for its turn
    begun,      // its attempt is durable
    sent,       // a bench has it
    tried,      // it has its verdict
  };
  State state = State::met;
  Configuration configuration;
  std::optional<Row> row;                  // in the space; nothing: it lies outside
  int attempt = 0;                         // the number of its attempt, while `begun`
  std::optional<Trial> trial;              // of this session
  std::unique_ptr<const Trial> elsewhere;  // another session's successful trial for the same key
  std::unique_ptr<const Trial> replaced;   // the trial of this session that a second chance replaces
  std::optional<LaunchBan> ban;            // it must not be launched
  std::optional<Outcome> outcome;          // what the strategy was told
  std::optional<ReadyInstance> ready;      // of a survivor, for the stages after the search

  bool is_under_way() const noexcept { return state > State::proposed && state < State::tried; }
  // Returns whether a strategy waits for its outcome.
  bool is_awaited() const noexcept { return state != State::met && !outcome; }
  // Returns whether it may be proposed.
  bool is_fresh() const noexcept { return state == State::met && !outcome; }
};

class Candidates {
 public:
  // `space` must outlive it.
  explicit Candidates(const SearchSpace& space) : space_(space) {}

  // Return the candidate, which is met now if it was not before. References stay valid.
  Candidate& at(const Configuration& configuration);
  Candidate& at(RowView row);  // legal
  // Return null for a configuration that was not met.
  const Candidate* find(const std::string& configuration) const;
  const Candidate* find(RowView row) const;

  void set(Candidate& candidate, Candidate::State state);
  std::size_t under_way() const noexcept { return under_way_; }  // compiling, begun or sent
  // Calls `see` with each candidate, in the order of their texts.
  void for_each(const std::function<void(Candidate&)>& see);
  void for_each(const std::function<void(const Candidate&)>& see) const;

  // Keeps an instance with its image.
  void keep(ReadyInstance ready);
  // Drops the images with the highest, that is worst, scores once there are far too many. They are compiled again when
  // needed.
  void drop_worst_images(const std::function<double(const Trial&)>& score);

 private:
  const SearchSpace& space_;
  std::map<std::string, Candidate> by_text_;
  std::map<Row, Candidate*> by_row_;
  std::size_t under_way_ = 0, images_ = 0;
};

}  // namespace attune
