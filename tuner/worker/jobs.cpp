#include "worker/jobs.hpp"

namespace attune {
namespace {

template <typename T>
concept HasStatus = requires(T& answer) { answer.status; };

}  // namespace

Status* status_of(Answer& answer) noexcept {
  return std::visit(
      [](auto& held) -> Status* {
        if constexpr (HasStatus<decltype(held)>)
          return &held.status;
        else
          return nullptr;
      },
      answer);
}

}  // namespace attune
