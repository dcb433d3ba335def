// OneAtATime: hands on the events of a session while no other session's are handed on, for observers of several
// sessions on several threads.
#pragma once

#include <mutex>

#include "session/observer.hpp"

namespace attune {

class OneAtATime final : public Observer {
 public:
  // Both must outlive it.
  OneAtATime(Observer& observer, std::mutex& mutex) : observer_(observer), mutex_(mutex) {}
  void data_started() override { hand_on(&Observer::data_started); }
  void session_started(const SessionStart& start) override { hand_on(&Observer::session_started, start); }
  void trial_done(const Trial& trial, const Progress& progress) override {
    hand_on(&Observer::trial_done, trial, progress);
  }
  void note(const std::string& text) override { hand_on(&Observer::note, text); }
  void confirm_started(std::size_t count) override { hand_on(&Observer::confirm_started, count); }
  void final_started(std::size_t count) override { hand_on(&Observer::final_started, count); }
  void final_round_done(std::size_t rounds) override { hand_on(&Observer::final_round_done, rounds); }
  void energy_started(std::size_t count, double seconds) override {
    hand_on(&Observer::energy_started, count, seconds);
  }
  void final_done(const FinalDecision& decision) override { hand_on(&Observer::final_done, decision); }

 private:
  template <typename Event, typename... Values>
  void hand_on(Event event, const Values&... values) {
    const std::lock_guard lock(mutex_);
    (observer_.*event)(values...);
  }
  Observer& observer_;
  std::mutex& mutex_;
};

}  // namespace attune
