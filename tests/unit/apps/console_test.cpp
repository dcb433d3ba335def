#include "apps/attune/console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <thread>

namespace attune::cli {
namespace {

using testing::HasSubstr;

// What is written to a terminal.
std::string on_a_terminal(const std::function<void()>& writes, const char* kind = "xterm") {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    setenv("TERM", kind, 1);
    writes();
    std::fflush(stdout);
    _exit(0);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  waitpid(child, nullptr, 0);
  close(terminal);
  return text;
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
  EXPECT_THAT(on_a_terminal(writes, "dumb"), testing::Not(HasSubstr("\x1b[")));
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
  EXPECT_THAT(text, HasSubstr("20 us  BLOCK=2"));
  EXPECT_THAT(text, HasSubstr("best 20 us"));
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
  EXPECT_THAT(line(1682, 2, 0), HasSubstr("  7 trials, 5 right")) << "most came from the log of other sessions";
}

// A continued session: the best is known before the first trial.
TEST(Console, ABestThatIsKnownHasItsRow) {
  const std::string text = on_a_terminal([] {
    Console console(spec);
    console.session_started(start_with(6));
    console.trial_done({}, progress(40e3, 10e3, 4));
  });
  EXPECT_THAT(text, HasSubstr("4.00x"));
  EXPECT_THAT(text, HasSubstr("10 us  BLOCK=4"));
  EXPECT_THAT(text, HasSubstr("best 10 us"));
}

}  // namespace
}  // namespace attune::cli
