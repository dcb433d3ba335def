#include "apps/attune/console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "support/on_terminal.hpp"

namespace attune::cli {
namespace {

using testing::HasSubstr;

// What is written to a terminal.
std::string on_a_terminal(const std::function<void()>& writes, test::Terminal terminal = {}) {
  return test::on_terminal(writes, terminal).text;
}

Progress progress(double default_ns, double best_ns, std::int64_t block) {
  Progress made;
  made.trials = 7;
  made.survivors = 5;
  made.default_ns = default_ns;
  made.anchor = Configuration{{"BLOCK", 1}};
  made.best_ns = best_ns;
  made.best = Configuration{{"BLOCK", block}};
  return made;
}

const KernelSpec spec;

SessionStart start_with(std::int64_t trials_before) {
  SessionStart start;
  start.default_configuration = Configuration{{"BLOCK", 1}};
  start.trials_before = trials_before;
  return start;
}

TEST(Console, ADumbTerminalGetsNoEscapes) {
  const auto writes = [] {
    Console console(spec);
    console.session_started(start_with(0));
    console.trial_done({}, progress(40e3, 40e3, 1));
  };
  EXPECT_THAT(on_a_terminal(writes), HasSubstr("\x1b["));
  EXPECT_THAT(on_a_terminal(writes, {.kind = "dumb"}), testing::Not(HasSubstr("\x1b[")));
}

// The anchor is timed again and again, by which the best's time moves. The line goes on to name the time of the row.
TEST(Console, TheTableAndTheLineSpeakOfOneBest) {
  const std::string text = on_a_terminal([] {
    Console console(spec);
    console.session_started(start_with(0));
    console.trial_done({}, progress(40e3, 40e3, 1));
    console.trial_done({}, progress(40e3, 20e3, 2));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the line is drawn now and then
    console.trial_done({}, progress(44e3, 22e3, 2));
  });
  EXPECT_THAT(text, HasSubstr("default: BLOCK=1"));
  EXPECT_THAT(text, HasSubstr("20.00 us  BLOCK=2"));
  EXPECT_THAT(text, HasSubstr("best 20.00 us"));
  EXPECT_THAT(text, testing::Not(HasSubstr("22 us")));
}

TEST(Console, TheLineSaysHowManyTrialsOfHowMany) {
  const auto line = [](SpaceSize legal, std::optional<std::int64_t> limit, std::int64_t before) {
    return on_a_terminal([&] {
      Console console(spec);
      SessionStart start = start_with(before);
      start.legal = legal;
      console.session_started(start);
      Progress shown = progress(40e3, 40e3, 1);
      shown.trials_limit = limit;
      console.trial_done({}, shown);
    });
  };
  EXPECT_THAT(line(1682, std::nullopt, 0), HasSubstr(" 7 of 1,682 trials, 5 right"));
  EXPECT_THAT(line(1682, 20, 5), HasSubstr(" 7 of 25 trials, 5 right"));
  EXPECT_THAT(line(12, 20, 0), HasSubstr(" 7 of 12 trials, 5 right"));
  EXPECT_THAT(line(1682, 2, 0), HasSubstr(" 7 trials, 5 right")) << "most came from the log of other sessions";
}

// The child waits until its terminal has seen the line move, as long as that takes.
TEST(Console, TheLineMovesWhileNothingHappens) {
  const auto moves = [](const std::function<void(Console&)>& begins, std::string_view line) {
    const auto waits = [&] {
      Console console(spec);
      begins(console);
      char typed = 0;
      [[maybe_unused]] const ssize_t got = read(STDIN_FILENO, &typed, 1);
    };
    bool is_typed = false;
    const auto answer = [&](const std::string& text) {
      const bool types = !is_typed && test::live_lines_of(text, line) >= 2;
      is_typed = is_typed || types;
      return std::string(types ? "\n" : "");
    };
    const std::string text = test::on_terminal(waits, {}, answer).text;
    EXPECT_GE(test::live_lines_of(text, line), 2u) << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[2K")) << text;
  };
  moves([](Console& console) { console.data_started(); }, "  making data and the reference's results, ");
  moves([](Console& console) { console.session_started(start_with(0)); }, "  compiling and timing the default, ");
  moves([](Console& console) { console.confirm_started(3); }, "  confirming, ");
  moves([](Console& console) { console.final_started(3); }, "  comparing, ");
  moves([](Console& console) { console.energy_started(3, 5); }, "  metering, ");
  moves(
      [](Console& console) {
        SessionStart start = start_with(0);
        start.legal = 100;
        console.session_started(start);
        console.trial_done({}, progress(40e3, 40e3, 1));
      },
      "  searching: best 40.00 us, ");
}

TEST(Console, TheLineOfASearchHasPaceAndTheTimeThatIsLeft) {
  const std::string text = on_a_terminal(
      [] {
        Console console(spec);
        SessionStart start = start_with(0);
        start.device.kind = "replay";  // whose time is that of the trials
        start.legal = 1000;
        console.session_started(start);
        Progress shown = progress(40e3, 40e3, 1);
        shown.trials = 50;
        shown.seconds = 10;
        shown.seconds_limit = 60;
        console.trial_done({}, shown);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));  // the line is drawn now and then
        shown.trials_limit = 100;
        console.trial_done({}, shown);
      },
      {.columns = 100});
  EXPECT_THAT(text, HasSubstr("searching: best 40.00 us, 10/60 s, 50 s left, 50 of 1,000 trials, 5 right, 5.0/s"));
  EXPECT_THAT(text, HasSubstr("searching: best 40.00 us, 10/60 s, 10 s left, 50 of 100 trials, 5 right, 5.0/s"));
}

// A continued session: the best is known before the first trial.
TEST(Console, ABestThatIsKnownHasItsRow) {
  const std::string text = on_a_terminal([] {
    Console console(spec);
    console.session_started(start_with(6));
    console.trial_done({}, progress(40e3, 10e3, 4));
  });
  EXPECT_THAT(text, HasSubstr("4.00x"));
  EXPECT_THAT(text, HasSubstr("10.00 us  BLOCK=4"));
  EXPECT_THAT(text, HasSubstr("best 10.00 us"));
}

}  // namespace
}  // namespace attune::cli
