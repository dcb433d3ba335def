// LiveLine: the last line of a terminal, which says what is going on. A thread redraws it each second, so that it moves
// even while nothing happens. Does nothing where standard output is no terminal, or one without escapes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace attune::cli {

class LiveLine {
 public:
  // Returns the line as it is `seconds` seconds after show().
  using Text = std::function<std::string(double seconds)>;

  LiveLine();
  ~LiveLine();  // erases the line
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Shows this line from now on. LiveLine's thread calls `text`, too, so `text` must own what it reads.
  void show(Text text);
  // Erases the line and keeps it away as long as the result lives, so that prints can take its place.
  [[nodiscard]] std::unique_lock<std::mutex> away();
  // Shows no line until the next show().
  void hide();

 private:
  class Ticker;
  void start_ticker();
  void draw();   // under the lock
  void erase();  // under the lock

  const bool is_live_;
  std::mutex mutex_;
  Text text_;
  std::chrono::steady_clock::time_point shown_{}, drawn_{};
  bool is_drawn_ = false;
  std::unique_ptr<Ticker> ticker_;
};

// Erases the line that is drawn, if one is. For a signal handler that ends the process.
void erase_live_line() noexcept;

}  // namespace attune::cli
