// Console: shows a session to a person: a line for each new best. On a terminal the last line says what goes on.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "apps/terminal/live_line.hpp"
#include "core/ceiling.hpp"
#include "rates.hpp"
#include "session/kernel_session.hpp"
#include "session/observer.hpp"

namespace attune::cli {

class Console final : public Observer {
 public:
  // `verbose`: configurations are shown whole, with all their rates. Else all but the default are shown as what differs
  // from it.
  explicit Console(const KernelSpec& spec, bool verbose = false);
  void calibration_started() override;
  void data_started() override;
  void session_started(const SessionStart& start) override;
  void trial_done(const Trial& trial, const Progress& progress) override;
  void note(const std::string& text) override;
  void confirm_started(std::size_t configurations) override;
  void final_started(std::size_t finalists) override;
  void energy_started(std::size_t finalists, double seconds_each) override;
  void final_round_done(std::size_t rounds) override;

  // Shows the end: default against best, and the next step. `occupancy`: of the best; "": not known.
  void show_result(const KernelRequest& request, const SessionResult& result, const std::string& database,
                   std::span<const Ceiling> ceilings = {}, const std::string& occupancy = "");

 private:
  using Clock = std::chrono::steady_clock;
  // Prints above the live line.
  void print(const std::string& text);
  void begin_stage(const std::string& line);
  // Shows the line with the time since the stage began.
  void show_in_stage(const std::string& line);
  void show_search(const Progress& progress);
  SpaceSize most_trials(const Progress& progress) const;
  std::string trials_text(const Progress& progress) const;
  void show_best(const Configuration& best, double nanoseconds);
  void show_default(const Progress& progress);
  void show_figures(const SessionResult& result, std::span<const Ceiling> ceilings, const std::string& occupancy);
  void show_end(const KernelRequest& request, const SessionResult& result, const std::string& database);
  void show_row(double ratio, double nanoseconds, const Configuration& configuration);
  std::string rate_column(const std::string& text) const;
  std::string anchor_name() const;
  std::string shown(const Configuration& configuration) const;
  std::string shown_in_the_end(const Configuration& configuration) const;
  std::string with_bound(double nanoseconds, const Record& record, std::span<const Ceiling> ceilings) const;

  const KernelSpec& spec_;
  const bool verbose_;
  Problem problem_;
  Configuration default_configuration_;
  Configuration anchor_;  // the default, or what stands for it; empty before it was timed
  std::optional<Metric> metric_;
  std::size_t rate_columns_ = 0;  // 0: there are no rates
  SpaceSize legal_ = 0;           // an upper bound where rules are not counted
  std::int64_t trials_before_ = 0;
  bool default_shown_ = false;
  Configuration best_shown_;
  std::string best_text_ = "-";
  std::string finalists_;  // "5 finalists"
  bool is_searching_ = false;
  bool has_own_clock_ = false;  // a recording's: no time passes while nothing happens
  Clock::time_point stage_began_ = Clock::now();
  LiveLine line_;
};

}  // namespace attune::cli
