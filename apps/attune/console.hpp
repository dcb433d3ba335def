// Console: shows a session to a person: one live line on a terminal, else plain lines for new bests only.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "core/ceiling.hpp"
#include "session/observer.hpp"
#include "session/session.hpp"

namespace attune::cli {

class Console final : public Observer {
 public:
  explicit Console(const KernelSpec& spec);
  ~Console() override;
  void session_started(const SessionStart& start) override;
  void trial_done(const Trial& trial, const Progress& progress) override;
  void note(const std::string& text) override;
  void confirm_started(std::size_t configurations) override;
  void final_started(std::size_t finalists) override;
  void energy_started(std::size_t finalists, double seconds_each) override;
  void final_round_done(std::size_t rounds) override;

  // Shows the end: default against best, and the next step.
  void show_result(const SessionRequest& request, const SessionResult& result, const std::string& database,
                   std::span<const Ceiling> ceilings = {});

 private:
  void draw(const std::string& line);  // replaces the live line; nothing without a terminal
  void clear();
  std::string trials_text(const Progress& progress) const;
  void show_best(const Configuration& best, double nanoseconds);
  std::string with_rate(double nanoseconds, const Configuration& configuration) const;
  std::string with_bound(double nanoseconds, const Record& record, std::span<const Ceiling> ceilings) const;

  const KernelSpec& spec_;
  Problem problem_;
  const bool live_;
  bool drawn_ = false;
  Configuration default_configuration_;
  SpaceSize legal_ = 0;  // an upper bound where rules are not counted
  std::int64_t trials_before_ = 0;
  bool default_shown_ = false;
  Configuration best_shown_;
  std::string best_text_ = "-";
  std::size_t finalists_ = 0;
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace attune::cli
