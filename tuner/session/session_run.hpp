// SessionRun: the state of one running session. Internal to session/: run_session() makes one and calls run().
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "attune/strategy.hpp"
#include "measure/confirm_stage.hpp"
#include "session/image_source.hpp"
#include "session/proposals.hpp"
#include "session/session.hpp"
#include "worker/device_lock.hpp"
#include "worker/trial_worker.hpp"

namespace attune {

class SessionRun {
 public:
  SessionRun(const SessionRequest& request, Workers& workers, WisdomStore& store, ImageCache* images,
             Observer& observer, const std::atomic<int>& stop);
  SessionResult run();

 private:
  // session_open.cpp: what the database knows
  std::optional<SessionResult> answer_from_database();
  void open_session();
  void load_killers();
  void load_known_trials();
  void load_warm_start();
  bool learnt_from(const Record& record);

  // session_run.cpp: the stages in order
  void start_worker();
  std::optional<SessionResult> nothing_compiles();  // when even the default configuration does not
  void search();
  SessionResult conclude();
  SessionResult result_of_search(bool complete) const;
  void conclude_without_survivor(SessionResult& result, bool complete, double used);
  void record_winner(SessionResult& result, bool complete, double used);

  // session_search.cpp: the search loop
  void search_loop();
  std::optional<CompileResult> next_image();
  bool wants_more() const;
  void think();
  void propose(const Configuration& configuration);
  void handle(const CompileResult& result);
  void end_turn();
  void finish_trial(const Trial& trial, bool from_log);
  void keep_best(const Trial& trial);
  void drop_images();
  void commit();
  void tell_observer();
  std::optional<StopReason> stop_reason() const;
  std::optional<Verdict> failing_alike() const;
  void tell_strategy(const Trial& trial);
  void tell_strategy_all();
  double run_seconds() const;     // searching, in this run
  double search_seconds() const;  // over all continuations

  // session_objective.cpp: what is minimised
  void check_objectives() const;
  double searched_value(const Trial& trial, double time_ns) const;
  double time_ratio(const Trial& trial) const;
  double score(const Trial& trial) const;
  double value_of(const Trial& trial, std::size_t objective, double time_ns, std::optional<double> energy_j = {}) const;
  std::uint64_t shared_bytes_of(const Trial& trial) const;
  void check_values(const Trial& trial) const;
  double incumbent_ns() const;

  // session_trial.cpp: one configuration on the device, and whose fault it is when a worker dies of it
  std::optional<Trial> try_configuration(const Configuration& configuration, const CompileOutcome& outcome);
  std::optional<int> begin_attempt(const Configuration& configuration);
  bool try_once(const Configuration& configuration, Trial& trial);
  Status try_as_anchor(Trial& trial);
  Status try_beside_anchor(Trial& trial);
  Status choose_batch();
  SamplePlan timed(SamplePlan plan) const;
  Status sample_anchor(Trial& trial);
  void take_samples(const std::vector<double>& samples_ns, Trial& trial) const;
  void note_watched();
  void note_user(const std::string& user);
  Status time_anchor();
  TrialWorker::Filling anchor_filling() const;
  TrialWorker::Filling anchor_filling_shortly() const;
  void hear_anchor();
  void check_environment(const std::string& after, const std::string& detail);
  TrialWorker::InTurn sample_in_turn(std::span<const TrialWorker::CandidateId> candidates);
  // The worker's clock, without what failures among samples took: stages that compare have limits.
  double comparing_seconds() const { return worker_->seconds() - lost_seconds_; }
  bool die(Trial& trial);
  std::optional<Trial> known_to_kill(const Configuration& configuration) const;

  // session_confirm.cpp: who gets into the final stage
  std::vector<Trial> ranked_survivors() const;
  std::vector<Trial> near_best() const;
  std::vector<Trial> confirm(const std::vector<Trial>& chosen);
  std::vector<std::size_t> confirm_beside(TrialWorker::CandidateId reference, const std::vector<Trial>& chosen);
  void load_images(const std::vector<Trial>& trials);
  bool visit_all(const std::vector<Trial>& trials, std::span<const std::size_t> whom,
                 TrialWorker::CandidateId reference, Confirmations& ratios);
  bool visit(const std::vector<Trial>& trials, std::span<const std::size_t> group, TrialWorker::CandidateId reference,
             Confirmations& ratios);
  std::optional<std::size_t> sample_beside(const std::vector<Trial>& trials, const std::vector<std::size_t>& whom,
                                           TrialWorker::CandidateId reference,
                                           const std::vector<TrialWorker::CandidateId>& candidates,
                                           Confirmations& ratios);
  std::optional<Image> image_of(const Configuration& configuration);

  // session_final.cpp: finalists against each other
  // One column for each finalist; all are taken out together.
  struct Final {
    std::vector<Trial> trials;
    std::vector<TrialWorker::CandidateId> candidates;
    std::vector<std::optional<bool>> deterministic;
    std::vector<std::optional<LaunchEnergy>> energy;
    Rounds rounds;
    std::vector<ReadingsHeard> heard;  // by round; those that are asked for at once share what was heard
    bool metered_throttled = false;  // the hardware held back while energy was metered
    // Who left because it could not win any more, with its part of the rounds.
    struct Beaten {
      Trial trial;
      TrialWorker::CandidateId candidate = 0;
      std::vector<double> times_ns;
      std::optional<bool> deterministic;
    };
    std::vector<Beaten> beaten;
    void erase(std::size_t column);
  };
  std::vector<Trial> choose_finalists(std::vector<Trial> ranked) const;
  void add_best_by_others(std::vector<Trial>& chosen) const;
  void load_finalists(Final& final);
  std::optional<std::size_t> measure_rounds(Final& final, std::size_t rounds, std::mt19937_64& random);
  void take_rounds(Final& final, const Protocol& protocol);
  void race(Final& final, std::vector<Finalist>& finalists, Rounds& values) const;
  bool recheck_finalist(Trial& trial, TrialWorker::CandidateId candidate, std::optional<bool>& deterministic);
  void recheck_finalists(Final& final);
  bool meter_finalists(Final& final, const Protocol& protocol);
  std::optional<FinalDecision> final_stage(std::vector<Trial> chosen);
  std::vector<Finalist> finalists_of(const std::vector<Trial>& trials) const;
  void lose_finalist(Trial trial, const Status& status);

  // session_record.cpp: decision, record, and why there is none
  FinalDecision decide_between(const Final& final, Protocol protocol);
  double energy_share(const Final& final, std::size_t i) const;
  void widen_by_energy(const Final& final, FinalDecision& decision) const;
  FinalistResult result_of(const Trial& trial, std::vector<double> times_ns, const std::vector<double>& values) const;
  void keep_results(const Final& final, const FinalRounds& rounds, const FinalDecision& decision);
  Record make_record(const FinalDecision& decision, const Trial& winner) const;
  void keep_record(Record record, bool measured_against_present);
  std::string failures_explanation() const;
  std::string stopped_explanation() const;

  const SessionRequest& request_;
  Workers& workers_;
  WisdomStore& store_;
  ImageCache* const images_;
  Observer& observer_;
  const std::atomic<int>& stop_;

  const DeviceOpened opened_;
  const DeviceInfo& device_;
  DeviceLock lock_;
  std::optional<DeviceLock::Turn> turn_;  // kept from one trial to the next while nobody else waits for it
  const SearchSpace space_;
  std::optional<Configuration> default_;
  SessionKey key_;
  SessionRow row_;
  const EffortPlan& effort_;
  const Budget budget_;  // of the effort; a longer time limit stretches it
  const Protocol protocol_;
  std::shared_ptr<Compiler> compiler_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Proposals> proposals_;
  std::unique_ptr<TrialWorker> worker_;
  std::unique_ptr<ImageSource> source_;

  std::map<std::uint64_t, Configuration> under_way_;  // by ticket
  std::uint64_t next_ticket_ = 1;
  std::int64_t run_trials_ = 0;  // tried in this run
  std::size_t most_ahead_ = 1;
  std::size_t ahead_ = 1;          // proposals in the pipeline, or images where several share one
  bool thinks_in_trials_ = false;  // while the device checks one
  bool thought_ = false;           // since a trial ended
  std::exception_ptr failed_thought_;
  Improvement improvement_;
  std::optional<StopReason> reason_;    // that the search ended for
  std::optional<double> search_began_;  // by the device's clock
  std::size_t warm_started_ = 0;
  std::size_t sources_ = 0;  // sessions elsewhere that the strategy learns from
  double compile_wait_seconds_ = 0;
  double saved_seconds_ = 0;  // search_seconds() when last written

  std::map<std::string, Trial> log_;                // what earlier sessions know, by configuration text
  std::map<std::string, Trial> trials_;             // of this session, by configuration text
  std::map<std::string, std::string> killers_;      // quarantined configurations, and why
  std::map<std::string, int> deaths_;               // of workers, by configuration text
  std::map<std::string, int> begun_;                // attempts that are open, by configuration text
  std::map<Verdict, std::int64_t> first_verdicts_;  // of the first trials
  std::map<std::string, Image> images_kept_;        // of the best survivors
  std::vector<Trial> uncommitted_;                  // finished, but not in the database yet
  std::vector<Trial> untold_trials_;                // finished, but the strategy does not know yet
  std::vector<Progress> untold_;                    // of each of them
  std::int64_t survivors_ = 0;
  double anchor_ns_ = 0;
  int batch_ = 1;  // launches that a sample is the mean of
  std::optional<TrialWorker::CandidateId> anchor_;
  int trials_since_anchor_ = 0;
  std::vector<double> anchor_beside_;                         // its last samples that filled gaps
  double anchor_wait_seconds_ = 0, commit_wait_seconds_ = 0;  // for one sample of it; for one commit, of late
  double lost_seconds_ = 0;                                   // of the worker's clock, for failures among samples
  double first_anchor_ns_ = 0;                                // when it was first timed
  double best_score_ = 0;                                     // least; 0 while there is none
  double best_ratio_ = 0;                                     // its time, to the anchor's
  Configuration best_;
  std::optional<Record> present_;  // the record that stood when the session began
  std::vector<Trial> finalists_;
  std::vector<FinalistResult> results_;   // of the final stage, by the objective
  std::vector<bool> throttled_readings_;  // all readings of the device's state so far
  std::vector<double> clocks_mhz_;        // while finalists were measured
  std::set<std::string> users_;           // other processes that were on the device
  std::optional<double> metric_bytes_, metric_flops_;
  mutable std::map<std::string, std::uint64_t> shared_bytes_;  // of a block, by configuration text
};

}  // namespace attune
