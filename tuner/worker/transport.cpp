#include "worker/transport.hpp"

namespace attune {

Received receive_answer(Transport& worker, TimeLimit to_begin, TimeLimit limit,
                        std::optional<std::chrono::steady_clock::time_point>& begun) {
  Received received = worker.receive(to_begin);
  if (received.end != Received::End::replied) return received;
  begun = std::chrono::steady_clock::now();
  if (std::holds_alternative<Started>(received.reply.answer)) received = worker.receive(limit);
  return received;
}

}  // namespace attune
