#include "worker/compile_server.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "attune/error.hpp"
#include "base/user_limits.hpp"
#include "worker/device_server.hpp"

namespace attune {
namespace {

// The limit of processor time for one image, in multiples of its deadline, because a compiler may have several threads.
// By it the operating system ends an endless compile even if the coordinator cannot.
constexpr double deadlines = 10;
constexpr rlim_t rounding_seconds = 2;  // user and system time are each counted in whole seconds

}  // namespace

void limit_processor_time(std::size_t images) {
  rusage used{};
  rlimit limit{};
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
  const double allowed =
      deadlines * compile_limit_seconds().value_or(default_compile_limit_seconds) * static_cast<double>(images);
  const rlim_t wanted = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                        static_cast<rlim_t>(std::ceil(allowed)) + rounding_seconds;
  limit.rlim_cur = std::min<rlim_t>(wanted, processor_limit_seconds().value_or(wanted));
  setrlimit(RLIMIT_CPU, &limit);
}

void shorten_log(std::string& log) {
  if (log.size() <= log_bytes) return;
  const std::size_t left_out = log.size() - log_bytes;
  log.resize(log_bytes);
  log += "\n... (" + std::to_string(left_out) + " bytes more)";
}

Reply CompileServer::answer(const Job& job) {
  Reply reply;
  try {
    reply.answer = std::visit([this](const auto& held) { return handle(held); }, job);
  } catch (const std::bad_alloc&) {
    throw;  // the memory limit was hit: this process is useless
  } catch (const std::exception&) {
    reply.answer = failure_of_current_exception();
  }
  return reply;
}

Answer CompileServer::handle(const OpenCompiler&) {
  return CompilerFacts{compiler_->toolchain(), compiler_->preferred_batch(), compiler_->disturbs_timing()};
}

Answer CompileServer::handle(const Compile& job) {
  if (compiling_) compiling_(job);
  CompileAnswer compiled{compiler_->compile(job.requests)};
  for (CompileOutcome& outcome : compiled.outcomes) shorten_log(outcome.log);
  return compiled;
}

template <typename Other>
Answer CompileServer::handle(const Other&) {
  throw Error("a compile worker has no device");
}

}  // namespace attune
