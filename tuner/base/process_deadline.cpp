#include "base/process_deadline.hpp"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "base/usable_processors.hpp"

namespace attune {
namespace {

// The time between two looks at the processes.
constexpr double look_seconds = 0.2;

// However long the process waited for processors, its time is over after `most_times` its limit or after
// `most_wait_seconds`, whichever is longer.
constexpr double most_times = 10, most_wait_seconds = 300;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Returns whether a thread runs, or waits for a processor. Fields are counted after the name, which may contain
// anything.
bool is_runnable(const std::string& thread) {
  std::ifstream file(thread + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0;
}

}  // namespace

double seconds_spent(double seconds, const ThreadLoad& threads, int processors) {
  if (threads.runnable == 0) return seconds;
  return std::min(seconds, threads.ran_seconds / std::min(threads.runnable, processors));
}

ProcessDeadline::ProcessDeadline(pid_t process, TimeLimit limit)
    : process_(process), limit_(limit), processors_(usable_processors()) {
  if (limit_.forgives_waiting) look();
}

int ProcessDeadline::milliseconds_left() {
  const Clock::time_point now = Clock::now();
  const double passed = seconds_between(begin_, now);
  double left = limit_.seconds - passed;
  if (limit_.forgives_waiting) {
    const double since = seconds_between(looked_, now), next = look_seconds - since;
    if (next <= 0) {
      spent_ += seconds_spent(since, look(), processors_);
      looked_ = now;
    }
    const double most = std::max(most_times * limit_.seconds, most_wait_seconds);
    left = std::min(std::max(limit_.seconds - spent_, next), most - passed);
    left = std::min(left, look_seconds);
  }
  constexpr double longest = 1e6;
  return left <= 0 ? 0 : static_cast<int>(std::min(left, longest) * 1e3) + 1;
}

ThreadLoad ProcessDeadline::look() {
  ThreadLoad seen;
  std::map<pid_t, std::uint64_t> ran_ns;
  look_at(process_, ran_ns, seen);
  ran_ns_ = std::move(ran_ns);
  return seen;
}

void ProcessDeadline::look_at(pid_t process, std::map<pid_t, std::uint64_t>& ran_ns, ThreadLoad& seen) const {
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  DIR* const folder = opendir(tasks.c_str());
  if (folder == nullptr) return;  // it has ended
  while (const dirent* const entry = readdir(folder)) {
    pid_t number = 0;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, number).ptr != end) continue;
    const std::string place = tasks + "/" + entry->d_name;
    std::uint64_t ran = 0;
    if (!(std::ifstream(place + "/schedstat") >> ran) || !ran_ns.emplace(number, ran).second) continue;
    // Another thread may have the number of one that ended.
    const auto known = ran_ns_.find(number);
    const std::uint64_t before = known != ran_ns_.end() && known->second <= ran ? known->second : 0;
    seen.ran_seconds += static_cast<double>(ran - before) * 1e-9;
    seen.runnable += is_runnable(place);
    std::ifstream children(place + "/children");
    for (pid_t child = 0; children >> child;) look_at(child, ran_ns, seen);
  }
  closedir(folder);
}

}  // namespace attune
