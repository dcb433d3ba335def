#include "base/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "attune/error.hpp"
#include "base/system_failure.hpp"

namespace attune {

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe: ") + system_failure(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace attune
