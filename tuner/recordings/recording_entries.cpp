#include "recordings/recording_entries.hpp"

#include <fmt/format.h>

#include <string_view>

#include "attune/error.hpp"
#include "recordings/recording_text.hpp"

namespace attune {
namespace {

using Event = OrderedJson::parse_event_t;

constexpr int max_depth = 64;              // recordings have 4
constexpr std::size_t max_members = 4096;  // of the head, and of a row (parameters, metrics): a linear search

constexpr std::string_view row_members[] = {"cache", "results"};

bool holds_rows(std::string_view member) {
  return std::find(std::begin(row_members), std::end(row_members), member) != std::end(row_members);
}

// Python's json module writes NaN and Infinity, which are not JSON. Each is replaced by an impossible text of equal
// length, so that positions in messages stay right.
constexpr std::string_view no_number = "\"\x7F\"";

void blank_python_constants(std::string& text) {
  const std::string_view view = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    text.replace(from, to - from, std::string(no_number) + std::string(to - from - no_number.size(), ' '));
    return to - 1;
  };
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (view[i] == '"') {
      for (++i; i < view.size() && view[i] != '"'; ++i) i += view[i] == '\\';
    } else if (view[i] == 'N' && view.substr(i, 3) == "NaN") {
      i = blank(i, i + 3);
    } else if (view[i] == 'I' && view.substr(i, 8) == "Infinity") {
      i = blank(i > 0 && view[i - 1] == '-' ? i - 1 : i, i + 8);
    }
  }
}

// Returns "[json.exception.parse_error.101] parse error at line 1, column 2: ..." from "line" on.
std::string without_prefix(std::string_view message) {
  const auto place = message.find("line ");
  const auto bracket = message.find("] ");
  if (place != std::string_view::npos) return cut_short(std::string(message.substr(place)));
  return cut_short(std::string(bracket == std::string_view::npos ? message : message.substr(bracket + 2)));
}

// Returns the parser's error without its prefix, or attune's own words for errors other than syntax.
std::string reason(const OrderedJson::exception& error) {
  constexpr int number_overflow = 406;
  const std::string_view message = error.what();
  const auto quote = message.find('\'');
  if (error.id != number_overflow || quote == std::string_view::npos) return without_prefix(message);
  return cut_short(fmt::format("the number {} is beyond 1.8e308, the largest that is read",
                               message.substr(quote + 1, message.rfind('\'') - quote - 1)));
}

// Where the parser is: the member of the outer object, and the row in the member.
class ParserPlace {
 public:
  // Follows one event. Throws UsageError for nesting and numbers of members that no recording needs and that would take
  // long to read.
  void follow(int depth, Event event, const OrderedJson& parsed) {
    if (depth > max_depth) throw UsageError(fmt::format("nested more than {} deep, which no recording is", max_depth));
    if (event == Event::object_start && depth <= 2) members_ = depth == 2 ? 0 : members_;
    const bool begins = event == Event::object_start || event == Event::array_start || event == Event::value;
    if (depth == 2 && begins) row_ = rows_++;
    if (event != Event::key) return;
    if (depth == 1) {
      member_ = parsed.get_ref<const std::string&>();
      row_ = rows_ = 0;
    }
    if (depth == 2 && holds_rows(member_)) {
      key_ = parsed;
    } else if (++members_ > max_members) {
      throw UsageError(fmt::format("more than {} members beside the rows or in {}", max_members, text()));
    }
  }
  const std::string& member() const noexcept { return member_; }
  // Returns the name of the row, or of the member if it has no rows.
  std::string text() const {
    if (!holds_rows(member_)) return member_.empty() ? "it" : shown(member_);
    return fmt::format("{}[{}]", member_, member_ == "cache" ? shown(key_) : std::to_string(row_));
  }

 private:
  std::string member_;
  OrderedJson key_;
  std::size_t row_ = 0, rows_ = 0;  // in `results`: the present row, and how many rows have begun
  std::size_t members_ = 0;
};

}  // namespace

const OrderedJson* find_member(const OrderedJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string shown(const OrderedJson& value) {
  std::string text = value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  constexpr std::string_view name = "NaN or Infinity";
  for (std::size_t i = text.find(no_number); i != std::string::npos; i = text.find(no_number, i + name.size()))
    text.replace(i, no_number.size(), name);
  return cut_short(std::move(text));
}

bool is_no_number(const OrderedJson& value) {
  return value.is_string() && value.get_ref<const std::string&>() == no_number.substr(1, 1);
}

// Returns false when the text ends too early.
bool RecordingEntries::parse(const Callback& callback, const std::function<std::string()>& where) const {
  try {
    [[maybe_unused]] const OrderedJson rest = OrderedJson::parse(text_, callback);
    return true;
  } catch (const OrderedJson::parse_error& error) {
    if (error.byte > text_.size()) return false;
    throw UsageError(fmt::format("this is no JSON: {}", without_prefix(error.what())));
  } catch (const OrderedJson::exception& error) {
    throw UsageError(fmt::format("{}: {}", where(), reason(error)));
  }
}

RecordingEntries::RecordingEntries(std::string text, std::filesystem::path source)
    : text_(std::move(text)), source_(std::move(source)) {
  blank_python_constants(text_);
  ParserPlace place;
  bool is_object = false;
  const bool whole = parse(
      [&](int depth, Event event, OrderedJson& parsed) {
        place.follow(depth, event, parsed);
        if (depth == 0) is_object = is_object || event == Event::object_start;
        const bool starts = event == Event::object_start || event == Event::array_start;
        if (depth == 2 && starts && holds_rows(place.member())) return false;
        if (depth != 1 || event == Event::key || !is_object) return true;
        if (starts) {
          head_[place.member()] = event == Event::object_start ? OrderedJson::object() : OrderedJson::array();
        } else if (!holds_rows(place.member())) {
          head_[place.member()] = std::move(parsed);
        }
        return true;
      },
      [&] { return place.text(); });
  if (!is_object) throw UsageError("expected a JSON object {..} with the rows of a recording");
  if (whole || place.member() == "cache") return;
  throw UsageError(fmt::format("it ends in the middle of `{}`; copy it again", cut_short(place.member())));
}

void RecordingEntries::for_each(const VisitEntry& visit) const {
  ParserPlace place;
  parse(
      [&](int depth, Event event, OrderedJson& parsed) {
        place.follow(depth, event, parsed);
        if (depth != 2 || !holds_rows(place.member())) return true;
        if (event == Event::value || event == Event::array_end) {
          throw UsageError(fmt::format("{}: expected an object with a row, found {}", place.text(), shown(parsed)));
        }
        if (event != Event::object_end) return true;
        visit(place.text(), parsed);
        return false;
      },
      [&] { return place.text(); });
}

}  // namespace attune
