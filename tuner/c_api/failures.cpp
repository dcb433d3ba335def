#include "c_api/failures.hpp"

#include <fmt/format.h>

#include <new>

#include "attune/error.hpp"
#include "attune/policy.hpp"

namespace attune::c_api {
namespace {

// The message of the last failure of a thread. If there is no memory for the message, it is a constant.
class LastError {
 public:
  void set(const char* function, const char* what, const char* hint) noexcept {
    try {
      text_ = fmt::format("{}: {}{}", function, what, hint);
      shown_ = text_.c_str();
    } catch (...) {
      shown_ = "out of memory, for the message too";
    }
  }
  const char* text() const noexcept { return shown_; }

 private:
  std::string text_;
  const char* shown_ = "";
};

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

}  // namespace

attune_status status_of_exception(const char* function) noexcept {
  const auto keep = [&](attune_status status, const char* what, const char* hint = "") {
    last_error().set(function, what, hint);
    return status;
  };
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(ATTUNE_USAGE_ERROR, error.what());
  } catch (const NotPrepared& error) {
    return keep(ATTUNE_NOT_PREPARED, error.what(), " (in C: attune_dispatcher_prepare())");
  } catch (const OutOfMemory& error) {
    return keep(ATTUNE_OUT_OF_MEMORY, error.what());
  } catch (const std::bad_alloc&) {
    return keep(ATTUNE_OUT_OF_MEMORY, "the host has no memory for it");
  } catch (const std::exception& error) {
    return keep(ATTUNE_ERROR, error.what());
  } catch (...) {
    return keep(ATTUNE_ERROR, "something that is no std::exception was thrown");
  }
}

void refuse_null(const void* pointer, const char* what) {
  if (pointer == nullptr) throw UsageError(fmt::format("`{}` is null", what));
}

std::string text_of(const char* text, const char* what) {
  refuse_null(text, what);
  return text;
}

}  // namespace attune::c_api

const char* attune_last_error(void) { return attune::c_api::last_error().text(); }
