// The command line, whose workers fail as the script in $ATTUNE_FAULTS says; what they do is written to a file beside
// it: `worker device`, `try ATTEMPT CONFIGURATION` when it is loaded, `launch ATTEMPT CONFIGURATION` the first time
// since, `compile ATTEMPT EXPRESSION`.
#include <cstdlib>
#include <iostream>

#include "apps/attune/worker.hpp"
#include "faults/fault_log.hpp"
#include "faults/faulty_compiler.hpp"
#include "faults/faulty_testbed.hpp"

int main(int count, char** values) {
  using namespace attune;
  using namespace attune::test;
  const char* const file = std::getenv("ATTUNE_FAULTS");
  if (file == nullptr) {
    std::cerr << "ATTUNE_FAULTS names no script\n";
    return 2;
  }
  const std::string path = file;
  const FaultLog log(path + ".log");
  const auto compiling = std::make_shared<int>(1);
  WorkerSeams seams;
  seams.testbed = [&](std::unique_ptr<Testbed> testbed) {
    log.add("worker device");
    return make_faulty_testbed(std::move(testbed), path);
  };
  seams.compiler = [&](std::shared_ptr<Compiler> compiler) {
    log.add("worker compile");
    return make_faulty_compiler(std::move(compiler), path, compiling);
  };
  seams.compiling = [&](const Compile& images) {
    *compiling = images.attempt;
    for (const ImageRequest& request : images.requests)
      for (const std::string& expression : request.expressions)
        log.add("compile " + std::to_string(images.attempt) + " " + expression);
  };
  return cli::run_command_line(count, values, seams);
}
