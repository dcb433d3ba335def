// NvrtcOpened: the files that NVRTC opens in a compile, by its own list. Its front end writes that, as other compilers
// of the Edison Design Group do, to a file that its options name: one in memory.
#pragma once

#include <string>
#include <vector>

namespace attune::cuda {

class NvrtcOpened {
 public:
  NvrtcOpened();
  ~NvrtcOpened();
  NvrtcOpened(const NvrtcOpened&) = delete;
  NvrtcOpened& operator=(const NvrtcOpened&) = delete;

  // Returns the options of the compile to list; none where the system has no such file.
  const std::vector<std::string>& options() const noexcept { return options_; }
  // Returns the list: a line for each file, and for each header that was given in memory, after as many blanks as it is
  // deep. Nothing when NVRTC made none.
  std::string read() const;

 private:
  const int file_;
  std::vector<std::string> options_;
};

}  // namespace attune::cuda
