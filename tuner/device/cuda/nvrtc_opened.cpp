#include "device/cuda/nvrtc_opened.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

namespace attune::cuda {
namespace {

constexpr std::string_view of_nvrtc = "__nv_";  // the names of its own texts

}  // namespace

NvrtcOpened::NvrtcOpened() : file_(memfd_create("attune-opened", MFD_CLOEXEC)) {
  if (file_ >= 0) options_ = {"-Xcudafe=-H", "-Xcudafe=--error_output=/proc/self/fd/" + std::to_string(file_)};
}

NvrtcOpened::~NvrtcOpened() {
  if (file_ >= 0) close(file_);
}

// A line for each, after as many blanks as it is deep.
std::optional<std::vector<std::string>> NvrtcOpened::read() const {
  std::vector<std::string> names;
  std::string name;
  char bytes[4096];
  off_t at = 0;
  for (ssize_t count = 0; (count = pread(file_, bytes, sizeof bytes, at)) > 0; at += count)
    for (const char c : std::string_view(bytes, static_cast<std::size_t>(count)))
      if (c != '\n' && (c != ' ' || !name.empty())) {
        name += c;
      } else if (c == '\n') {
        if (!name.starts_with(of_nvrtc)) names.push_back(std::move(name));
        name.clear();
      }
  if (at == 0) return std::nullopt;
  return names;
}

}  // namespace attune::cuda
