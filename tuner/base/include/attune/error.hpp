// The exceptions of attune. They report a broken environment (no driver, an unreadable database, a full disk) or a
// wrong request (a bad kernel file, an unknown name). A trial's outcome is a Verdict and absent wisdom is a Match:
// neither throws. Every message names what failed, the kernel, configuration or device, and the next step.
#pragma once

#include <stdexcept>
#include <string>

namespace attune {

// Any failure of the environment. The command line prints what() and exits 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The request itself is wrong: an unknown kernel, parameter or problem name, a size out of range, a wrong argument to
// Plan::launch. The command line exits 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The device has no room for an allocation of the stated size.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// This process is of no use any more, because a kernel faulted or the device was lost: a fresh process has to go on.
class BrokenProcess : public Error {
 public:
  using Error::Error;
};

}  // namespace attune
