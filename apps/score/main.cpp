// attune-score: scores how well strategies search, on recorded measurements. Its exit codes are those of attune.
#include <csignal>
#include <iostream>

#include "attune/error.hpp"
#include "base/visible_text.hpp"
#include "report.hpp"

namespace attune::cli {
namespace {

enum ExitCode { exit_done = 0, exit_error = 1, exit_usage = 2 };

std::string run(const ScoreRequest& request) {
  const Spaces spaces = load_spaces(request.files, request.threads);
  if (request.reference_trace) return reference_json(spaces);
  std::vector<Searches> searches = run_searches(request, spaces);
  for (const std::string& file : request.traces) {
    for (Searches& one : read_traces(file, spaces)) searches.push_back(std::move(one));
  }
  const Report report = make_report(request, spaces, searches);
  return request.json ? report_json(request, spaces, report) : report_text(request, spaces, report);
}

}  // namespace
}  // namespace attune::cli

int main(int count, char** values) {
  using namespace attune;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error with a message
  try {
    if (const auto request = cli::read_request(count, values))
      std::cout << visible_text(cli::run(*request)) << std::flush;
    if (!std::cout) throw Error("cannot write to standard output");
    return cli::exit_done;
  } catch (const UsageError& error) {
    std::cerr << "attune-score: " << message_text(error.what()) << "\n";
    return cli::exit_usage;
  } catch (const std::exception& error) {
    std::cerr << "attune-score: " << message_text(error.what()) << "\n";
    return cli::exit_error;
  }
}
