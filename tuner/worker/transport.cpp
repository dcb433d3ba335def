#include "worker/transport.hpp"

namespace attune {

Received receive_answer(Transport& worker, TimeLimit to_begin, TimeLimit limit, TimeLimit of_reference,
                        std::optional<std::chrono::steady_clock::time_point>& begun) {
  const auto has_started = [](const Received& received) {
    return received.end == Received::End::replied && std::holds_alternative<Started>(received.reply.answer);
  };
  Received received = worker.receive(to_begin);
  if (received.end != Received::End::replied) return received;
  begun = std::chrono::steady_clock::now();
  if (has_started(received)) received = worker.receive(limit);
  if (has_started(received)) received = worker.receive(of_reference);
  return received;
}

}  // namespace attune
