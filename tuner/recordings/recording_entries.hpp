// The JSON of recordings: an object whose member `cache` (an object) or `results` (an array) has one object per row.
// The rows make up nearly all of a file of up to 2 GiB, so they are passed on one at a time and not kept. Pure.
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
  // `text` is JSON, or Python's variant with NaN and Infinity, which is_no_number() recognises. Throws UsageError
  // naming the position for other text, and for text that is cut off outside `cache`.
  RecordingEntries(std::string text, std::filesystem::path source);

  const std::filesystem::path& source() const noexcept { return source_; }
  // Returns the members of the object in the order of the file. `cache` and `results` are empty there.
  const OrderedJson& head() const noexcept { return head_; }
  // Calls `visit` with every row in the order of the file. If `cache` is cut off, only the whole rows before the cut
  // are visited.
  void for_each(const VisitEntry& visit) const;

 private:
  using Callback = std::function<bool(int, nlohmann::detail::parse_event_t, OrderedJson&)>;
  bool parse(const Callback& callback, const std::function<std::string()>& where) const;
  std::string text_;
  std::filesystem::path source_;
  OrderedJson head_ = OrderedJson::object();
};

// Returns the member of an object, or null if there is none or `object` is another kind of value.
const OrderedJson* find_member(const OrderedJson& object, const char* name);
// Returns the JSON text of a value for a message, cut if it is long.
std::string shown(const OrderedJson& value);
// Returns whether the value stands for Python's NaN, Infinity or -Infinity.
bool is_no_number(const OrderedJson& value);

}  // namespace attune
