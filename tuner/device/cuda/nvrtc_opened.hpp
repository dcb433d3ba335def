// NvrtcOpened: the list of the files that NVRTC opens in a compile. NVRTC's front end, like other compilers of the
// Edison Design Group, writes this list to a file that its options name; here it is a file in memory.
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

  // Returns the options with which a compile writes the list; none where the system has no files in memory.
  const std::vector<std::string>& options() const noexcept { return options_; }
  // Returns the list: one line for each file and for each header that was given in memory, after as many blanks as its
  // depth of inclusion. Empty when NVRTC wrote no list.
  std::string read() const;

 private:
  const int file_;
  std::vector<std::string> options_;
};

}  // namespace attune::cuda
