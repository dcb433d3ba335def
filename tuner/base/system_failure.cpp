#include "base/system_failure.hpp"

#include <cerrno>
#include <cstring>

namespace attune {

const char* system_failure(int error) noexcept {
  switch (error) {
    case EMFILE:
      return "too many files are open in this process; raise its limit (ulimit -n)";
    case ENFILE:
      return "too many files are open on this machine; close some";
    case EFBIG:
      return "a file would be larger than this process may make one; raise its limit (ulimit -f)";
    case ENOSPC:
      return "the disk is full; make room";
    case EDQUOT:
      return "your share of the disk is used up; make room";
    default:
      return std::strerror(error);
  }
}

}  // namespace attune
