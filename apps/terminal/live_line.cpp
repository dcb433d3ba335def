#include "apps/terminal/live_line.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>

#include "apps/terminal/help_text.hpp"

namespace attune::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A faster display cannot be read; a slower one looks stuck.
constexpr std::chrono::milliseconds redraw{100}, tick{1000};
constexpr std::string_view erasing = "\r\x1b[2K";

std::atomic<bool> is_line_drawn = false;

// A dumb terminal shows escapes as they are.
bool shows_escapes() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// Blocks all signals in a thread, so that they go to the threads that wait for them.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

class LiveLine::Ticker {
 public:
  explicit Ticker(LiveLine& line)
      : thread_([&line](const std::stop_token& stop) {
          std::condition_variable_any never;
          std::unique_lock lock(line.mutex_);
          while (!stop.stop_requested()) {
            never.wait_for(lock, stop, tick, [] { return false; });
            if (!stop.stop_requested()) line.draw();
          }
        }) {}

 private:
  std::jthread thread_;
};

LiveLine::LiveLine() : is_live_(shows_escapes()) {}

LiveLine::~LiveLine() {
  ticker_.reset();
  hide();
}

void LiveLine::start_ticker() try {
  const SignalBlock blocked;
  ticker_ = std::make_unique<Ticker>(*this);
} catch (const std::system_error&) {  // without a thread the line moves only when something happens
}

void LiveLine::show(Text text) {
  if (!is_live_) return;
  if (ticker_ == nullptr) start_ticker();
  const std::scoped_lock lock(mutex_);
  text_ = std::move(text);
  shown_ = Clock::now();
  if (!is_drawn_ || shown_ - drawn_ >= redraw) draw();
}

std::unique_lock<std::mutex> LiveLine::away() {
  std::unique_lock lock(mutex_);
  erase();
  return lock;
}

void LiveLine::hide() {
  const std::scoped_lock lock(mutex_);
  text_ = nullptr;
  erase();
}

void LiveLine::draw() {
  if (!text_) return;
  drawn_ = Clock::now();
  const std::string line = text_(std::chrono::duration<double>(drawn_ - shown_).count());
  is_line_drawn = is_drawn_ = true;
  std::fputs((std::string(erasing) + first_columns(line, terminal_columns() - 1)).c_str(), stdout);
  std::fflush(stdout);
}

void LiveLine::erase() {
  if (!is_drawn_) return;
  std::fputs(std::string(erasing).c_str(), stdout);
  std::fflush(stdout);
  is_line_drawn = is_drawn_ = false;
}

void erase_live_line() noexcept {
  if (!is_line_drawn) return;
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, erasing.data(), erasing.size());
}

}  // namespace attune::cli
