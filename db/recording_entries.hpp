// The JSON of recordings: an object whose member `cache` (an object) or `results` (an array) holds one object for each
// row. Rows are handed out one at a time and not kept: they are nearly all of a file that may have 2 GiB. Pure.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace attune {

using OrderedJson = nlohmann::ordered_json;

// `place` names the row in messages: cache["16,1"], results[3].
using VisitEntry = std::function<void(const std::string& place, const OrderedJson& entry)>;

class RecordingEntries {
 public:
  // `text` is JSON, or what Python writes for it with NaN and Infinity, which is_no_number() knows. Throws
  // UsageError naming the position for what is neither, or is cut off elsewhere than in `cache`.
  RecordingEntries(std::string text, std::filesystem::path source);

  const std::filesystem::path& source() const noexcept { return source_; }
  // The members beside the rows, in the order of the file; `cache` and `results` are empty.
  const OrderedJson& head() const noexcept { return head_; }
  // Every row in the order of the file; where `cache` is cut off, the whole ones before the cut.
  void for_each(const VisitEntry& visit) const;

 private:
  using Callback = std::function<bool(int, nlohmann::detail::parse_event_t, OrderedJson&)>;
  bool parse(const Callback& callback, const std::function<std::string()>& where) const;
  std::string text_;
  std::filesystem::path source_;
  OrderedJson head_ = OrderedJson::object();
};

// The member of an object, or null; of anything else null.
const OrderedJson* find_member(const OrderedJson& object, const char* name);
// The text for a message: as JSON, cut where it is long.
std::string shown(const OrderedJson& value);
// Does it stand for Python's NaN, Infinity or -Infinity?
bool is_no_number(const OrderedJson& value);

}  // namespace attune
