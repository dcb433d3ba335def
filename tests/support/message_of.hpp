// The message of an exception.
#pragma once

#include <string>

namespace attune {

// Returns what() of the exception of type E that `action` throws, or "no error".
template <typename E, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace attune
