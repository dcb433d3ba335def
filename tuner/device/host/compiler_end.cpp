#include "device/host/compiler_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

#include "base/user_limits.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

bool says_one_of(const ProcessResult& result, std::span<const std::string_view> signs) {
  return result.exit_code != 0 && std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
           return result.output.find(sign) != std::string::npos;
         });
}

}  // namespace

bool is_out_of_memory(const ProcessResult& result) {
  constexpr std::string_view signs[] = {"memory exhausted", "out of memory allocating", "cc1plus: out of memory"};
  return says_one_of(result, signs) ||
         (result.exit_code != 0 && result.output.find(std::strerror(ENOMEM)) != std::string::npos);
}

bool crashed(const ProcessResult& result) {
  constexpr int of_a_shell = 128;  // plus the signal: the code of a script whose compiler was killed
  if (result.signal != 0 || result.exit_code > of_a_shell) return true;
  constexpr std::string_view signs[] = {"internal compiler error", "signal terminated program",
                                        "terminated with signal", "due to signal", "PLEASE submit a bug report"};
  return says_one_of(result, signs);
}

bool is_ended_by_limit(const ProcessResult& result) {
  if (result.timed_out) return false;
  if (is_ended_by_processor_limit(result.signal, result.processor_seconds)) return true;
  for (const int number : {SIGXCPU, SIGKILL})
    if (is_ended_by_processor_limit(number, result.processor_seconds) &&
        result.output.find(fmt::format("{} signal terminated program", strsignal(number))) != std::string::npos)
      return true;
  return false;
}

bool is_out_of_room(const ProcessResult& result, const fs::path& place) {
  if (result.exit_code == 0) return false;
  for (const int error : {ENOSPC, EDQUOT})
    if (result.output.find(std::strerror(error)) != std::string::npos) return true;
  std::error_code unknown;
  const fs::space_info room = fs::space(place, unknown);
  return !unknown && room.available == 0;
}

}  // namespace attune
