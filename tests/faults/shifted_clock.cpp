// Shifts the wall clock by $SHIFTED_CLOCK_SECONDS once the process is a tenth of a second old, as when somebody sets it
// under a running program. The steady clock goes on. For LD_PRELOAD.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <cstdlib>

namespace {

using GetTime = int (*)(clockid_t, timespec*);

GetTime real() {
  static const auto function = reinterpret_cast<GetTime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return function;
}

double steady_seconds() {
  timespec now{};
  real()(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long shift_now() {
  static const double begin = steady_seconds();
  static const char* const text = std::getenv("SHIFTED_CLOCK_SECONDS");
  return text != nullptr && steady_seconds() - begin > 0.1 ? std::atol(text) : 0;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  const int code = real()(clock, result);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) result->tv_sec += shift_now();
  return code;
}

int gettimeofday(timeval* result, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *result = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

__attribute__((constructor)) void begin() { shift_now(); }

}  // extern "C"
