#include "device/cuda/nvrtc_opened.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace attune::cuda {

NvrtcOpened::NvrtcOpened() : file_(memfd_create("attune-opened", MFD_CLOEXEC)) {
  if (file_ >= 0) options_ = {"-Xcudafe=-H", "-Xcudafe=--error_output=/proc/self/fd/" + std::to_string(file_)};
}

NvrtcOpened::~NvrtcOpened() {
  if (file_ >= 0) close(file_);
}

std::string NvrtcOpened::read() const {
  std::string names;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = pread(file_, bytes, sizeof bytes, static_cast<off_t>(names.size()))) > 0)
    names.append(bytes, static_cast<std::size_t>(count));
  return names;
}

}  // namespace attune::cuda
