// attune-worker: compiles and launches what a tuning session asks for by standard input (docs/command_line.md).
#include "worker/process/worker_program.hpp"

int main(int count, char** values) {
  if (const auto served = attune::worker_main(count, values, attune::WorkerSeams{})) return *served;
  return attune::run_worker({values + 1, values + count}, {});
}
