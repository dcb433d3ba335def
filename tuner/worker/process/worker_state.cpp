#include "worker/process/worker_state.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace attune {
namespace {

struct NamedLimit {
  int number;
  const char* name;
};
constexpr NamedLimit named_limits[] = {
    {RLIMIT_AS, "RLIMIT_AS"},         {RLIMIT_CORE, "RLIMIT_CORE"},   {RLIMIT_CPU, "RLIMIT_CPU"},
    {RLIMIT_DATA, "RLIMIT_DATA"},     {RLIMIT_FSIZE, "RLIMIT_FSIZE"}, {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"}, {RLIMIT_NPROC, "RLIMIT_NPROC"}, {RLIMIT_STACK, "RLIMIT_STACK"},
};

constexpr std::array<__itimer_which_t, 3> timers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

// If more descriptors than these changed, the text says only how many.
constexpr std::size_t most_named = 3;

WorkerState::Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

WorkerState::Identity identity_of(const char* folder) {
  struct stat status {};
  return stat(folder, &status) == 0 ? identity_of(status) : WorkerState::Identity{};
}

std::map<int, WorkerState::Identity> open_descriptors() {
  std::map<int, WorkerState::Identity> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr) return found;
  while (const dirent* const entry = readdir(folder.get())) {
    int number = -1;
    std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), number);
    struct stat status {};
    if (number >= 0 && number != dirfd(folder.get()) && fstat(number, &status) == 0)
      found.emplace(number, identity_of(status));
  }
  return found;
}

std::string name_of_limit(int number) {
  for (const NamedLimit& limit : named_limits)
    if (limit.number == number) return limit.name;
  return fmt::format("resource limit {}", number);
}

void add_descriptors(const std::vector<int>& numbers, const char* what, std::vector<std::string>& texts) {
  if (numbers.size() > most_named)
    texts.push_back(fmt::format("{} descriptors {}, the first is {}", numbers.size(), what, numbers.front()));
  else
    for (const int number : numbers) texts.push_back(fmt::format("descriptor {} {}", number, what));
}

void compare_descriptors(const WorkerState& before, const WorkerState& now, std::vector<std::string>& texts) {
  std::vector<int> closed, replaced, opened;
  for (const auto& [number, identity] : before.descriptors) {
    const auto found = now.descriptors.find(number);
    if (found == now.descriptors.end())
      closed.push_back(number);
    else if (found->second != identity)
      replaced.push_back(number);
  }
  for (const auto& [number, identity] : now.descriptors)
    if (!before.descriptors.contains(number)) opened.push_back(number);
  add_descriptors(closed, "closed", texts);
  add_descriptors(replaced, "replaced", texts);
  add_descriptors(opened, "left open", texts);
}

void compare_signals(const WorkerState& before, const WorkerState& now, std::vector<std::string>& texts) {
  for (int number = 1; number < NSIG; ++number) {
    const auto at = static_cast<std::size_t>(number);
    if (sigismember(&before.blocked, number) != sigismember(&now.blocked, number))
      texts.push_back(
          fmt::format("signal {} {}", number, sigismember(&now.blocked, number) == 1 ? "blocked" : "freed"));
    if (before.handlers[at] != now.handlers[at]) texts.push_back(fmt::format("the handler of signal {} set", number));
  }
}

}  // namespace

WorkerState worker_state() {
  WorkerState state;
  state.descriptors = open_descriptors();
  for (int number = 0; number < RLIM_NLIMITS; ++number)
    getrlimit(static_cast<__rlimit_resource_t>(number), &state.limits[static_cast<std::size_t>(number)]);
  state.folder = identity_of(".");
  state.root = identity_of("/");
  state.file_mask = umask(0);
  umask(state.file_mask);
  pthread_sigmask(SIG_BLOCK, nullptr, &state.blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) continue;
    state.handlers[static_cast<std::size_t>(number)] = {reinterpret_cast<const void*>(action.sa_sigaction),
                                                        action.sa_flags};
  }
  for (std::size_t i = 0; i < timers.size(); ++i) {
    itimerval timer{};
    state.timers[i] = getitimer(timers[i], &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0);
  }
  sched_getaffinity(0, sizeof state.processors, &state.processors);
  state.priority = getpriority(PRIO_PROCESS, 0);
  return state;
}

std::string changes(const WorkerState& before, const WorkerState& now) {
  std::vector<std::string> texts;
  compare_descriptors(before, now, texts);
  for (std::size_t i = 0; i < before.limits.size(); ++i)
    if (before.limits[i].rlim_cur != now.limits[i].rlim_cur || before.limits[i].rlim_max != now.limits[i].rlim_max)
      texts.push_back(name_of_limit(static_cast<int>(i)) + " changed");
  if (before.folder != now.folder) texts.emplace_back("another working folder");
  if (before.root != now.root) texts.emplace_back("another root folder");
  if (before.file_mask != now.file_mask) texts.push_back(fmt::format("umask {:03o}", now.file_mask));
  compare_signals(before, now, texts);
  if (before.timers != now.timers) texts.emplace_back("a timer set");
  if (CPU_EQUAL(&before.processors, &now.processors) == 0) texts.emplace_back("other processors allowed");
  if (before.priority != now.priority) texts.push_back(fmt::format("priority {}", now.priority));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::function<Reply(const Job&)> watching_this_process(std::function<Reply(const Job&)> answer) {
  return [answer = std::move(answer), before = worker_state()](const Job& job) mutable {
    Reply reply = answer(job);
    WorkerState now = worker_state();
    // Changes by [[prepare]] and the reference are not reported, because all configurations find them alike.
    if (launch_of(job) != nullptr || !instances_of(job).empty()) reply.changed = changes(before, now);
    before = std::move(now);
    const auto* const failure = std::get_if<Failure>(&reply.answer);
    if (failure != nullptr && !reply.changed.empty())
      reply.answer =
          answer_with(job, {Verdict::fault, fmt::format("{}, and then: {}", reply.changed, failure->text), false});
    return reply;
  };
}

}  // namespace attune
