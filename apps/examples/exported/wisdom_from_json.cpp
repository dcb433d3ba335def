// wisdom_from_json IN.json OUT.db: the records of `attune export --format json` as a wisdom database. The build of the
// example uses it; wisdom.json has made-up records of a made-up GPU.
#include <concepts>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/record_fields.hpp"
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

void read(const Json& json, attune::Effort& effort) { effort = attune::effort_from_text(json.get<std::string>()); }
template <std::derived_from<attune::Bindings> T>
void read(const Json& json, T& bindings) {
  bindings = T(bindings_of(json));
}
void read(const Json& json, std::vector<attune::BoardResult>& boards) {
  for (const Json& one : json)
    attune::fields([&](const char* name, auto& value) { one.at(name).get_to(value); }, boards.emplace_back());
}
template <typename T>
void read(const Json& json, T& value) {
  json.get_to(value);
}

attune::Record record_of(const Json& json) {
  attune::Record record;
  const auto take = [&](const char* name, auto& value) {
    if (json.contains(name)) read(json.at(name), value);
  };
  attune::key_fields(take, record.key);
  attune::fields(take, record);
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
