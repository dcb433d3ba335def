#include "core/record_order.hpp"

#include <map>
#include <string>
#include <utility>

namespace attune {
namespace {

constexpr auto efforts = static_cast<std::int64_t>(Effort::exhaustive) + 1;

// Calls then(value, values, why) for each criterion, the first one first. Of two records the one with the greater value
// of the first criterion in which they differ is stronger. `values`: the number of values, from 0 on. `why`: why a
// record with less does not serve.
void criteria(const Record& record, const auto& then) {
  then(record.origin == Origin::pinned, 2, "another record is pinned");
  then(!record.superseded, 2, "another configuration beat it in the same rounds");
  then(is_of_present_meaning(record.protocol), 2, "its times do not mean what times mean at present");
  then(record.origin == Origin::measured, 2, "another record was measured here");
  then(static_cast<std::int64_t>(record.effort), efforts, "another search had more effort");
  then(!record.partial, 2, "its search was cut short");
  then(!record.narrowed, 2, "its search was narrowed");
}

}  // namespace

std::string key_text(const RecordKey& key) {
  std::string text;
  for (const std::string* const part :
       {&key.kernel, &key.code, &key.contract, &key.device_class, &key.regime, &key.objective})
    text += *part + '\n';
  for (const auto& [name, value] : key.problem)  // 1024 and "1024" are two values of one text
    text += name + '=' + static_cast<char>('0' + static_cast<int>(value.kind())) + value.text() + '\n';
  return text;
}

std::int64_t strength_of(const Record& record) {
  std::int64_t strength = 0;
  criteria(record, [&](std::int64_t value, std::int64_t values, const char*) { strength = strength * values + value; });
  return strength;
}

std::string why_weaker(const Record& weaker, const Record& stronger) {
  std::vector<std::int64_t> wanted;
  criteria(stronger, [&](std::int64_t value, std::int64_t, const char*) { wanted.push_back(value); });
  std::string first;
  auto next = wanted.begin();
  criteria(weaker, [&](std::int64_t value, std::int64_t, const char* why) {
    if (first.empty() && value < *next) first = why;
    ++next;
  });
  if (!first.empty()) return first;
  return weaker.made_ms < stronger.made_ms ? "another record is newer" : "another record was made at the same time";
}

bool is_stronger(const Record& a, const Record& b) {
  const std::int64_t of_a = strength_of(a), of_b = strength_of(b);
  if (of_a != of_b) return of_a > of_b;
  if (a.made_ms != b.made_ms) return a.made_ms > b.made_ms;
  return a.uuid < b.uuid;
}

std::vector<Record> strongest_of_each_key(std::vector<Record> records, Ties ties) {
  std::map<std::string, std::size_t> places;
  std::vector<Record> kept;
  for (Record& record : records) {
    const auto [place, is_first] = places.emplace(key_text(record.key), kept.size());
    if (is_first)
      kept.push_back(std::move(record));
    else if (Record& present = kept[place->second];
             ties == Ties::to_the_first ? strength_of(record) > strength_of(present) : is_stronger(record, present))
      present = std::move(record);
  }
  return kept;
}

}  // namespace attune
