// wisdom_from_json IN.json OUT.db: the records of `attune export --format json` as a wisdom database. The build of the
// example uses it; wisdom.json has made-up records of a made-up GPU.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/wisdom_store.hpp"

namespace {

using Json = nlohmann::ordered_json;

attune::Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

attune::Bindings bindings_of(const Json& json) {
  attune::Bindings bindings;
  for (const auto& [name, value] : json.items()) bindings.set(name, value_of(value));
  return bindings;
}

attune::Record record_of(const Json& json) {
  const Json& device = json.at("device");
  attune::Record record;
  record.uuid = json.at("uuid");
  record.key.kernel = json.at("kernel");
  record.key.code = json.at("code");
  record.key.contract = json.at("contract");
  record.space = json.at("space");
  record.key.device_class = device.at("class");
  record.key.problem = attune::Problem(bindings_of(json.at("problem")));
  record.device_name = device.at("name");
  record.compute_capability = device.at("compute_capability");
  record.multiprocessors = device.at("multiprocessors");
  record.device_uuid = device.at("uuid");
  record.driver = device.at("driver");
  record.configuration = attune::Configuration(bindings_of(json.at("configuration")));
  record.median_ns = json.at("median_ns");
  record.default_ns = json.at("default_ns");
  record.speedup = json.at("speedup");
  record.speedup_low = json.at("speedup_low");
  record.speedup_high = json.at("speedup_high");
  record.toolchain = json.at("toolchain");
  record.attune_version = json.at("attune_version");
  record.trials = json.at("trials");
  record.made_ms = json.at("made_ms");
  return record;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fputs("usage: wisdom_from_json IN.json OUT.db\n", stderr);
    return 2;
  }
  const Json all = Json::parse(std::ifstream(arguments[1], std::ios::binary));
  std::filesystem::remove(arguments[2]);
  attune::WisdomStore store(arguments[2]);
  for (const Json& record : all.at("records")) store.put_record(record_of(record));
} catch (const std::exception& error) {
  std::fprintf(stderr, "wisdom_from_json: %s\n", error.what());
  return 1;
}
