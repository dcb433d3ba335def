#include "tuned/tuned_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/digest.hpp"
#include "base/enum_texts.hpp"
#include "base/identifier.hpp"
#include "core/bindings_json.hpp"
#include "core/device_class.hpp"
#include "core/record_fields.hpp"

namespace attune {
namespace {

constexpr std::string_view format_line = "attune tuned 1";
constexpr std::size_t name_digits = 8;  // of the class key's digest in the name of a file

// Returns the fields of a line of a record or a cover. The configurations and the key stand beside them.
Bindings line_fields(const auto& made) {
  std::vector<Binding> fields;
  application_fields(
      [&]<typename T>(const char* name, const T& field) {
        if constexpr (std::is_enum_v<T>)
          fields.push_back({name, Value(to_text(field))});
        else if constexpr (!std::same_as<T, Configuration> && !std::same_as<T, std::vector<Configuration>>)
          fields.push_back({name, Value(field)});
      },
      made);
  return Bindings(std::move(fields));
}

// Sets a field if the value is of its kind. Returns whether it is.
template <typename T>
bool take_value(const Value& value, T& field) {
  if constexpr (std::same_as<T, bool>) {
    return value.is_boolean() && (field = value.boolean(), true);
  } else if constexpr (std::same_as<T, double>) {
    if (value.is_integer()) return field = static_cast<double>(value.integer()), true;
    return value.is_real() && (field = value.real(), true);
  } else if constexpr (std::same_as<T, std::string>) {
    return value.is_name() && (field = value.name(), true);
  } else if constexpr (std::is_enum_v<T>) {
    for (int i = 0; value.is_name() && i < enum_size<T>(); ++i)
      if (to_text(static_cast<T>(i)) == value.name()) return field = static_cast<T>(i), true;
    return false;
  } else if constexpr (std::integral<T>) {
    if (!value.is_integer() || !std::in_range<T>(value.integer())) return false;
    return field = static_cast<T>(value.integer()), true;
  } else {
    return false;
  }
}

// Takes the value for one field after another. A function for each kind of fields, not for each field: libattune.so is
// to stay small.
struct FieldTaker {
  const Binding& given;
  bool is_taken = false;
  template <typename T>
  [[gnu::noinline]] void operator()(const char* name, T& field) {
    if (given.name == name) is_taken = take_value(given.value, field);
  }
};

// Returns the name of a field that the record or cover does not have, or that is of another kind; "": all were taken.
std::string take_fields(const Bindings& given, auto& made) {
  for (const Binding& one : given) {
    FieldTaker take{one};
    application_fields(take, made);
    if (!take.is_taken) return one.name;
  }
  return {};
}

// Removes an object and the space after it.
std::optional<Bindings> take_object(std::string_view& rest) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (is_quoted && rest[i] == '\\')
      ++i;
    else if (rest[i] == '"')
      is_quoted = !is_quoted;
    else if (rest[i] == '}' && !is_quoted) {
      auto object = bindings_of_json(rest.substr(0, i + 1));
      rest.remove_prefix(i + 1);
      if (rest.starts_with(' ')) rest.remove_prefix(1);
      return object;
    }
  }
  return std::nullopt;
}

// Returns the objects of a line, or none where it has anything else.
std::vector<Bindings> objects_of(std::string_view rest) {
  std::vector<Bindings> objects;
  while (!rest.empty()) {
    auto one = take_object(rest);
    if (!one) return {};
    objects.push_back(*std::move(one));
  }
  return objects;
}

// Calls visit(word, text) for each line of the header that stands for a text of the record.
void header_texts(const auto& visit, Is<Record> auto& record) {
  visit("kernel", record.key.kernel);
  visit("code", record.key.code);
  visit("contract", record.key.contract);
  visit("class", record.key.device_class);
  visit("device", record.device_name);
}

void header_numbers(const auto& visit, Is<Record> auto& record) {
  visit("cc", record.compute_capability);
  visit("multiprocessors", record.multiprocessors);
}

// Returns whether a later version may call a kind of lines so. What a merge leaves behind (`<<<<<<<`) is no such word.
bool is_kind(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

bool reads_number(std::string_view text, int& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size();
}

// Returns a cover with what a header says.
Cover cover_under(const Record& base) {
  Cover cover;
  cover.key = base.key;
  cover.device_name = base.device_name;
  return cover;
}

// Reads one line after another. The header's lines hold for all that follow.
class TunedReader {
 public:
  explicit TunedReader(TunedText& found) : found_(found) {}

  // Returns why the line is left out, or "".
  std::string take(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    const std::string_view word = line.substr(0, line.find(' '));
    const std::string_view rest = line.substr(std::min(line.size(), word.size() + 1));
    const bool is_cover = word == "cover";
    if (is_cover || word == "record") {
      const RecordKey& key = base_.key;
      if (key.kernel.empty() || key.code.empty() || key.contract.empty() || key.device_class.empty())
        return fmt::format("a {} stands before kernel, code, contract and class", word);
      return is_cover ? take_cover(objects_of(rest)) : take_record(objects_of(rest));
    }
    bool is_known = false, is_sound = true;
    header_texts([&](std::string_view name, std::string& text) { is_known |= name == word && (text = rest, true); },
                 base_);
    header_numbers(
        [&](std::string_view name, int& number) {
          if (name != word) return;
          is_known = true;
          is_sound = reads_number(rest, number);
        },
        base_);
    if (!is_known && !is_kind(word)) return "it is neither a record nor a line of another kind";
    if (!is_known) ++found_.unknown;
    return is_sound ? "" : fmt::format("`{}` is no number", rest);
  }

 private:
  std::string take_record(std::vector<Bindings> objects) {
    Record record = base_;
    if (objects.size() != 2 && objects.size() != 3)
      return "it is no `record {problem} {configuration} {fields}` as attune writes it";
    objects.resize(3);
    if (const std::string wrong = take_fields(objects[2], record); !wrong.empty()) return wrong_field(wrong);
    record.key.problem = Problem(std::move(objects[0]));
    record.configuration = Configuration(std::move(objects[1]));
    found_.records.push_back(std::move(record));
    return {};
  }

  std::string take_cover(std::vector<Bindings> objects) {
    if (objects.empty()) return "it is no `cover {configuration} ... {fields}` as attune writes it";
    Cover cover = cover_under(base_);
    if (const std::string wrong = take_fields(objects.back(), cover); !wrong.empty()) return wrong_field(wrong);
    try {
      for (const std::string* const text : {&cover.tree, &cover.measured}) Expression{*text};
    } catch (const Error& error) {
      return error.what();
    }
    objects.pop_back();
    for (Bindings& one : objects) cover.configurations.emplace_back(std::move(one));
    found_.covers.push_back(std::move(cover));
    return {};
  }

  static std::string wrong_field(const std::string& name) {
    return fmt::format("the field `{}` is unknown or of another kind", name);
  }

  TunedText& found_;
  Record base_;
};

// Of one kernel and device class.
struct TunedGroup {
  std::vector<const Record*> records;
  std::vector<const Cover*> covers;
};

// Returns what a header has of the newest record or cover.
Record newest_of(const TunedGroup& group) {
  std::optional<Record> newest;
  const auto take = [&](Record record) {
    const auto age = [](const Record& one) { return std::tie(one.made_ms, one.key.code, one.key.contract); };
    if (!newest || age(*newest) < age(record)) newest = std::move(record);
  };
  for (const Record* const one : group.records) take(*one);
  for (const Cover* const one : group.covers) {
    Record record;
    record.key = one->key;
    record.device_name = one->device_name;
    record.made_ms = one->made_ms;
    take(std::move(record));
  }
  return *newest;
}

// Returns what the lines of a file do not repeat.
Record base_of(const TunedGroup& group) {
  Record base;
  const Record record = newest_of(group);
  const RecordKey& key = record.key;
  base.key = {key.kernel, key.code, key.contract, key.device_class, {}};
  const auto device = device_of_class(key.device_class, {});
  base.device_name = device ? device->name : record.device_name;
  base.compute_capability = device ? device->compute_capability : record.compute_capability;
  base.multiprocessors = device ? device->multiprocessors : record.multiprocessors;
  return base;
}

std::string tuned_file_name(const Record& base) {
  std::string device;
  for (const char c : base.device_name) {
    if (is_digit(c) || (is_letter(c) && c != '_'))
      device += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!device.empty() && device.back() != '-')
      device += '-';
  }
  if (!device.ends_with('-')) device += '-';
  return fmt::format("{}.{}{}{}", base.key.kernel, device, sha256(base.key.device_class).substr(0, name_digits),
                     tuned_extension);
}

bool is_before(const Record* a, const Record* b) {
  const auto is_less = [](const Binding& left, const Binding& right) {
    return std::tie(left.name, left.value) < std::tie(right.name, right.value);
  };
  const Problem &of_a = a->key.problem, &of_b = b->key.problem;
  if (std::ranges::lexicographical_compare(of_a, of_b, is_less)) return true;
  if (std::ranges::lexicographical_compare(of_b, of_a, is_less)) return false;
  return std::tie(a->key.regime, a->key.objective, a->uuid) < std::tie(b->key.regime, b->key.objective, b->uuid);
}

std::string header_text(const Record& base) {
  std::string text = fmt::format("{}\n", format_line);
  header_texts(
      [&](std::string_view word, const std::string& value) {
        if (std::ranges::any_of(value, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
          throw UsageError(fmt::format("the {} of a record has a control character; no line can hold it", word));
        text += fmt::format("{} {}\n", word, value);
      },
      base);
  header_numbers([&](std::string_view word, int value) { text += fmt::format("{} {}\n", word, value); }, base);
  return text + '\n';
}

// Returns the fields that are not the defaults, as an object.
std::string own_fields(const Bindings& fields, const Bindings& defaults) {
  std::vector<Binding> own;
  for (const Binding& field : fields)
    if (defaults.at(field.name) != field.value) own.push_back(field);
  return bindings_json(Bindings(std::move(own)));
}

std::string tuned_text(TunedGroup group, const Record& base) {
  const auto is_old = [&](const auto* one) {
    return one->key.code != base.key.code || one->key.contract != base.key.contract;
  };
  std::erase_if(group.records, is_old);
  std::erase_if(group.covers, is_old);
  std::ranges::sort(group.records, is_before);
  std::ranges::sort(group.covers, {},
                    [](const Cover* one) { return std::tie(one->key.regime, one->key.objective, one->made_ms); });
  std::string text = header_text(base);
  const Bindings defaults = line_fields(base);
  for (const Record* const one : group.records)
    text += fmt::format("record {} {} {}\n", bindings_json(one->key.problem), bindings_json(one->configuration),
                        own_fields(line_fields(*one), defaults));
  const Bindings of_covers = line_fields(cover_under(base));
  for (const Cover* const one : group.covers) {
    text += "cover ";
    for (const Configuration& configuration : one->configurations) text += bindings_json(configuration) + ' ';
    text += own_fields(line_fields(*one), of_covers) + '\n';
  }
  return text;
}

}  // namespace

[[gnu::cold]] TunedText read_tuned_text(std::string_view text, const std::string& name) {
  TunedText found;
  TunedReader reader(found);
  for (int number = 1; number == 1 || !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line != format_line)
      throw Error(fmt::format(
          "{} is no tuned file of this version of attune: its first line is not `{}`; attune export --format "
          "tuned FOLDER writes such files",
          name, format_line));
    if (number == 1) continue;
    if (const std::string why = reader.take(line); !why.empty())
      found.damage.push_back(fmt::format("{}:{}: {}", name, number, why));
  }
  return found;
}

std::map<std::string, std::string> tuned_files(std::span<const Record> records, std::span<const Cover> covers) {
  std::map<std::tuple<std::string, std::string>, TunedGroup> groups;
  for (const Record& one : records) groups[{one.key.kernel, one.key.device_class}].records.push_back(&one);
  for (const Cover& one : covers) groups[{one.key.kernel, one.key.device_class}].covers.push_back(&one);
  std::map<std::string, std::string> files;
  for (auto& [key, group] : groups) {
    const Record base = base_of(group);
    files.emplace(tuned_file_name(base), tuned_text(std::move(group), base));
  }
  return files;
}

}  // namespace attune
