// plant_faults DB KERNEL PROBLEM FAULT...: changes the record that serves a problem, as a driver's update, a hardware
// fault or another program might, for benchmarks of `attune tune --revalidate`. PROBLEM is the beginning of its text;
// "" is each. FAULT: stale (of another driver), doubled (times), slower (a configuration that is slower than the
// default, in the first record that has one among its trials), NAME=VALUE (in the configuration). Prints what it did.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/uuid.hpp"
#include "db/wisdom_store.hpp"

namespace {

using namespace attune;

// Returns the configuration whose time is nearest to 1.05 times the default's, of those that are slower by 3 % or more;
// an empty one if there is none.
Configuration slower_one(const Record& record, WisdomStore& store) {
  Configuration found;
  double nearest = 0;
  for (const Trial& trial : store.known_trials(record.key, record.space)) {
    const double off = trial.anchor_ns > 0 ? trial.measurement.median_ns / trial.anchor_ns : 0;
    if (trial.verdict != Verdict::ok || off < 1.03 || (nearest > 0 && std::abs(off - 1.05) >= std::abs(nearest - 1.05)))
      continue;
    found = trial.configuration;
    nearest = off;
  }
  return found;
}

void plant(Record& record, const std::string& fault, WisdomStore& store) {
  if (fault == "stale") {
    record.driver = "another";
  } else if (fault == "doubled") {
    record.median_ns *= 2;
    record.default_ns *= 2;
  } else if (fault == "slower") {
    record.configuration = slower_one(record, store);
  } else {
    for (const auto& [name, value] : parse_bindings(fault)) record.configuration.set(name, value);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 5) throw Error("usage: plant_faults DB KERNEL PROBLEM FAULT...");
  WisdomStore store(arguments[1]);
  int planted = 0;
  for (Record record : store.records(arguments[2])) {
    if (record.key.problem.text().rfind(arguments[3], 0) != 0) continue;
    const std::string before = record.uuid;
    record.uuid = make_uuid();
    ++record.made_ms;
    for (int i = 4; i < count; ++i) plant(record, arguments[i], store);
    if (record.configuration.empty()) continue;
    if (!store.put_record(record, before)) throw Error("another record serves " + record.key.problem.text());
    std::printf("%s %s: %s\n", record.key.kernel.c_str(), record.key.problem.text().c_str(), arguments[4]);
    ++planted;
    if (std::string(arguments[4]) == "slower") break;
  }
  return planted > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::fprintf(stderr, "plant_faults: %s\n", error.what());
  return EXIT_FAILURE;
}
