#include "bundle/record_rows.hpp"

#include <algorithm>
#include <concepts>
#include <ranges>
#include <string_view>

#include "attune/error.hpp"
#include "base/hexadecimal.hpp"
#include "core/record_fields.hpp"

namespace attune {
namespace {

constexpr std::size_t uuid_bytes = 16, uuid_digits = 36, most_text_bytes = 256;

// Writes seven bits in each byte, the low ones first; the eighth bit says that more bytes follow.
void write_number(ByteWriter& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.number(static_cast<std::uint8_t>(value | 0x80));
  bytes.number(static_cast<std::uint8_t>(value));
}

std::uint64_t read_number(ByteReader& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.failed(); shift += 7) {
    const auto byte = bytes.number<std::uint8_t>();
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  bytes.fail();
  return 0;
}

// Numbers of both signs alternate, so that small numbers are short.
std::uint64_t unsigned_of(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t signed_of(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

template <typename T>
std::size_t place_in(std::vector<T>& table, const T& value) {
  const auto place = std::ranges::find(table, value);
  if (place != table.end()) return static_cast<std::size_t>(place - table.begin());
  table.push_back(value);
  return table.size() - 1;
}

// Writes a value: for an integer 0 and the integer itself, else its place in the table and 1 more.
void write_value(ByteWriter& bytes, RecordIndex& index, const Value& value) {
  write_number(bytes, value.is_integer() ? 0 : place_in(index.values, value) + 1);
  if (value.is_integer()) write_number(bytes, unsigned_of(value.integer()));
}

Value read_value(ByteReader& bytes, const RecordIndex& index, std::int64_t* ordinal = nullptr) {
  const std::uint64_t place = read_number(bytes);
  if (place == 0) {
    const std::int64_t value = signed_of(read_number(bytes));
    if (ordinal != nullptr) *ordinal = value;
    return value;
  }
  if (place > index.values.size()) {
    bytes.fail();
    return {};
  }
  if (ordinal != nullptr) *ordinal = static_cast<std::int64_t>(place - 1);
  return index.values[place - 1];
}

std::vector<std::string> names_of(const Bindings& bindings) {
  std::vector<std::string> names;
  for (const Binding& binding : bindings) names.push_back(binding.name);
  return names;
}

constexpr std::size_t dashes[] = {8, 13, 18, 23};  // of a uuid as text

// Returns the 16 bytes of "00112233-4455-...", or nothing for another text.
std::vector<std::byte> bytes_of_uuid(std::string text) {
  if (text.size() != uuid_digits) return {};
  for (const std::size_t dash : dashes | std::views::reverse) {
    if (text[dash] != '-') return {};
    text.erase(dash, 1);
  }
  return bytes_of_hexadecimal(text).value_or(std::vector<std::byte>());
}

std::string uuid_of(std::span<const std::byte> bytes) {
  std::string text = hexadecimal(bytes);
  for (const std::size_t dash : dashes)
    if (dash < text.size()) text.insert(dash, 1, '-');
  return text;
}

bool is_uuid(const char* field) { return std::string_view(field) == "uuid"; }

// Writes 0 and the 16 bytes of a uuid, or for any other text its length plus one and the text.
void write_uuid(ByteWriter& bytes, const std::string& text) {
  const std::vector<std::byte> plain = bytes_of_uuid(text);
  if (text.size() > most_text_bytes) throw UsageError("the uuid of a record has more than 256 bytes");
  write_number(bytes, plain.empty() ? text.size() + 1 : 0);
  bytes.raw(plain.empty() ? std::as_bytes(std::span(text)) : plain);
}

std::string read_uuid(ByteReader& bytes) {
  const std::uint64_t size = read_number(bytes);
  if (size == 0) return uuid_of(bytes.raw(uuid_bytes, uuid_bytes));
  const auto text = bytes.raw(size - 1, most_text_bytes);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// Writes the fields of a row that are not part of its key, except truth values.
class FieldWriter {
 public:
  FieldWriter(ByteWriter& bytes, RecordIndex& index) : bytes_(bytes), index_(index) {}
  void operator()(const char*, bool) {}
  void operator()(const char*, double value) { bytes_.real(value); }
  void operator()(const char* name, const std::string& value) {
    if (is_uuid(name)) return write_uuid(bytes_, value);
    write_number(bytes_, place_in(index_.texts, value));
  }
  void operator()(const char*, const Configuration& value) {
    write_number(bytes_, place_in(index_.configurations, names_of(value)));
    for (const Binding& binding : value) write_value(bytes_, index_, binding.value);
  }
  template <typename T>
  void operator()(const char*, const T& value) {
    write_number(bytes_, unsigned_of(static_cast<std::int64_t>(value)));
  }

 private:
  ByteWriter& bytes_;
  RecordIndex& index_;
};

class FieldReader {
 public:
  FieldReader(ByteReader& bytes, const RecordIndex& index) : bytes_(bytes), index_(index) {}
  void operator()(const char*, bool& value) {
    value = (flags_ & 1) != 0;
    flags_ >>= 1;
  }
  void operator()(const char*, double& value) { value = bytes_.real(); }
  void operator()(const char* name, std::string& value) {
    if (is_uuid(name)) {
      value = read_uuid(bytes_);
    } else if (const std::uint64_t place = read_number(bytes_); place < index_.texts.size()) {
      value = index_.texts[place];
    } else {
      bytes_.fail();
    }
  }
  void operator()(const char*, Configuration& value) {
    const std::uint64_t names = read_number(bytes_);
    if (names >= index_.configurations.size()) return bytes_.fail();
    std::vector<Binding> items;
    for (const std::string& name : index_.configurations[names]) items.push_back({name, read_value(bytes_, index_)});
    value = Configuration(std::move(items));
  }
  template <typename T>
  void operator()(const char*, T& value) {
    const std::int64_t stored = signed_of(read_number(bytes_));
    value = static_cast<T>(stored);
    if (static_cast<std::int64_t>(value) != stored) bytes_.fail();
  }

 private:
  ByteReader& bytes_;
  const RecordIndex& index_;
  std::uint64_t flags_ = read_number(bytes_);
};

// Returns the truth values of a record as bits, the first one lowest.
std::uint64_t flags_of(const Record& record) {
  std::uint64_t flags = 0;
  int bit = 0;
  application_fields(
      [&](const char*, const auto& value) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, bool>) flags |= std::uint64_t{value} << bit++;
      },
      record);
  return flags;
}

}  // namespace

std::vector<std::int64_t> ordinals_to_write(RecordIndex& index, const Problem& problem) {
  if (names_of(problem) != index.problem)
    throw UsageError("records of one kernel have problems of different names: " + problem.text());
  std::vector<std::int64_t> ordinals;
  for (const Binding& binding : problem)
    ordinals.push_back(binding.value.is_integer() ? binding.value.integer()
                                                  : static_cast<std::int64_t>(place_in(index.values, binding.value)));
  return ordinals;
}

void write_row(ByteWriter& page, RecordIndex& index, const Record& record) {
  ByteWriter row;
  for (const Binding& binding : record.key.problem) write_value(row, index, binding.value);
  write_number(row, flags_of(record));
  FieldWriter write(row, index);
  application_fields(write, record);
  const std::vector<std::byte> bytes = row.take();
  write_number(page, bytes.size());
  page.raw(bytes);
}

std::vector<Record> read_rows(std::span<const std::byte> page, const RecordIndex& index, const RecordGroup& group,
                              const WantedRow& wanted) {
  const auto refuse = [] {
    throw Error("a page of records does not fit its index: the bundle is damaged; export it again");
  };
  std::vector<Record> records;
  std::vector<std::int64_t> ordinals(index.problem.size());
  ByteReader pages(page);
  while (!pages.at_end()) {
    const std::uint64_t size = read_number(pages);
    ByteReader row(pages.raw(size, page.size()));
    if (pages.failed()) refuse();
    std::vector<Binding> problem;
    for (std::size_t i = 0; i < ordinals.size(); ++i)
      problem.push_back({index.problem[i], read_value(row, index, &ordinals[i])});
    if (!row.failed() && !wanted(ordinals, problem)) continue;
    Record record;
    record.key = {.kernel = group.kernel,
                  .code = index.code,
                  .contract = index.contract,
                  .device_class = group.device_class,
                  .problem = Problem(std::move(problem))};
    FieldReader read(row, index);
    application_fields(read, record);
    if (row.failed() || !row.at_end()) refuse();
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace attune
