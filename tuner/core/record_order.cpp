#include "core/record_order.hpp"

#include <map>
#include <string>
#include <utility>

namespace attune {
namespace {

constexpr auto efforts = static_cast<std::int64_t>(Effort::exhaustive) + 1;

std::string text_of(const RecordKey& key) {
  std::string text;
  for (const std::string& part : {key.kernel, key.code, key.contract, key.device_class, key.regime, key.objective})
    text += part + '\n';
  for (const auto& [name, value] : key.problem)  // 1024 and "1024" are two values of one text
    text += name + '=' + static_cast<char>('0' + static_cast<int>(value.kind())) + value.text() + '\n';
  return text;
}

}  // namespace

std::int64_t strength_of(const Record& record) {
  std::int64_t strength = 0;
  const auto then = [&](std::int64_t value, std::int64_t values) { strength = strength * values + value; };
  then(record.origin == Origin::pinned, 2);
  then(!record.superseded, 2);
  then(is_of_present_meaning(record.protocol), 2);
  then(record.origin == Origin::measured, 2);
  then(static_cast<std::int64_t>(record.effort), efforts);
  then(!record.partial, 2);
  then(!record.narrowed, 2);
  return strength;
}

bool is_stronger(const Record& a, const Record& b) {
  const std::int64_t of_a = strength_of(a), of_b = strength_of(b);
  if (of_a != of_b) return of_a > of_b;
  if (a.made_ms != b.made_ms) return a.made_ms > b.made_ms;
  return a.uuid < b.uuid;
}

std::vector<Record> strongest_of_each_key(std::vector<Record> records) {
  std::map<std::string, std::size_t> places;
  std::vector<Record> kept;
  for (Record& record : records) {
    const auto [place, is_first] = places.emplace(text_of(record.key), kept.size());
    if (is_first)
      kept.push_back(std::move(record));
    else if (is_stronger(record, kept[place->second]))
      kept[place->second] = std::move(record);
  }
  return kept;
}

}  // namespace attune
