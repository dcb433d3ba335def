// The exceptions of attune. Only a broken environment or a wrong request throws (no driver, database
// unreadable, disk full, bad kernel file, unknown name); the outcome of a trial is a Verdict, and absent
// wisdom is a Match. Every message says what, with which kernel / configuration / device, and what to do next.
#pragma once

#include <stdexcept>
#include <string>

namespace attune {

// Any failure of the environment. The command line prints what() and exits 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller asked for something that cannot be: unknown kernel, parameter or problem name, a size out of
// range, a wrong argument to Plan::launch. The command line exits 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The device has no room for an allocation of the stated size.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace attune
