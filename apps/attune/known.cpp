#include "known.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "attune/error.hpp"
#include "command.hpp"
#include "db/wisdom_store.hpp"
#include "json_lines.hpp"
#include "session/recall.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

std::vector<Record> records_for(const KnownRequest& request, const DeviceInfo& device) {
  std::error_code unknown;  // whatever else keeps it from being read, the store says
  if (!std::filesystem::exists(request.database, unknown) && !unknown) return {};
  WisdomStore store(request.database, WisdomStore::Access::read_only);
  RecordKey key;
  key.kernel = request.spec.name;
  key.code = request.spec.fingerprints.code;
  key.contract = request.spec.fingerprints.contract;
  key.device_class = device.class_key();
  key.regime = std::string(to_text(request.regime));
  key.objective = request.objective;
  std::vector<Record> records = store.candidates(key);
  if (store.damaged_rows() > 0)
    std::cerr << fmt::format("attune: {} damaged records in {} were left out; tune those problems again\n",
                             store.damaged_rows(), request.database);
  return records;
}

void print_json(const KnownRequest& request, const Problem& problem, const DeviceInfo& device, const Match& match) {
  nlohmann::ordered_json line;
  line["type"] = "match";
  line["kernel"] = request.spec.name;
  line["problem"] = to_json(problem);
  line["device"] = to_json(device);
  line["effort"] = request.effort.name;
  line["rung"] = to_text(match.rung);
  line["why"] = match.why;
  line["configuration"] = to_json(match.configuration);
  line["speedup"] = match.speedup;
  line["record_problem"] = match.record_problem;
  std::cout << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
}

void print_text(const KnownRequest& request, const Problem& problem, const DeviceInfo& device, const Match& match) {
  fmt::print(
      "{} for {} on {}: effort {}, nothing is measured\n  configuration  {}\n  rung           {}\n  why            "
      "{}\n",
      request.spec.name, problem.text(), device.name, request.effort.name, match.configuration.text(),
      to_text(match.rung), match.why);
  if (match.rung == Rung::none) return;
  fmt::print("  recorded for   {}\n  speed-up       {} over the default\n", match.record_problem,
             ratio_text(match.speedup));
}

}  // namespace

int show_known(const KnownRequest& request, const std::vector<Problem>& problems, Device& device) {
  const std::vector<Record> records = records_for(request, device.info());
  int code = exit_done;
  for (const Problem& problem : problems) {
    try {
      const MatchRequest wanted{request.spec,     problem, device.info(), request.kernel, to_text(request.regime),
                                request.objective};
      const Match match = recall(request.effort, wanted, records, device);
      (request.json ? print_json : print_text)(request, problem, device.info(), match);
    } catch (const Error& error) {  // of this problem; the others may have an answer
      std::cerr << "attune: " << error.what() << "\n";
      code = exit_error;
    }
  }
  std::fflush(stdout);
  return code;
}

}  // namespace attune::cli
