#include "bundle/record_rows.hpp"

#include <algorithm>
#include <ranges>

#include "attune/error.hpp"
#include "core/hexadecimal.hpp"

namespace attune {
namespace {

constexpr std::size_t uuid_bytes = 16, uuid_digits = 36;
constexpr unsigned effort_bits = 0x0f, partial_bit = 0x10, unstable_bit = 0x20, plain_uuid_bit = 0x40;

// Seven bits a byte, the low ones first; the eighth says that more follow.
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

// Signs alternate, so that small numbers are short.
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

// A value is an integer (a flag, then itself) or its place in the table.
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

void write_uuid(ByteWriter& bytes, const std::vector<std::byte>& plain, const std::string& text) {
  if (!plain.empty()) return bytes.raw(plain);
  write_number(bytes, text.size());
  bytes.raw(std::as_bytes(std::span(text)));
}

std::string read_uuid(ByteReader& bytes, bool is_plain) {
  if (is_plain) return uuid_of(bytes.raw(uuid_bytes, uuid_bytes));
  const auto text = bytes.raw(read_number(bytes), most_rows_of_page);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// Reads what follows the problem.
void read_rest(ByteReader& bytes, const RecordIndex& index, Record& record) {
  const std::uint64_t names = read_number(bytes);
  if (names >= index.configurations.size()) return bytes.fail();
  std::vector<Binding> items;
  for (const std::string& name : index.configurations[names]) items.push_back({name, read_value(bytes, index)});
  record.configuration = Configuration(std::move(items));
  const std::uint64_t origin = read_number(bytes);
  if (origin >= index.origins.size()) return bytes.fail();
  const RecordOrigin& of = index.origins[origin];
  record.device_name = of.device_name;
  record.multiprocessors = of.multiprocessors;
  record.toolchain = of.toolchain;
  record.driver = of.driver;
  record.attune_version = of.attune_version;
  record.protocol = of.protocol;
  const auto flags = bytes.number<std::uint8_t>();
  record.effort = static_cast<Effort>(flags & effort_bits);
  if (record.effort > Effort::exhaustive) return bytes.fail();
  record.partial = (flags & partial_bit) != 0;
  record.unstable = (flags & unstable_bit) != 0;
  record.uuid = read_uuid(bytes, (flags & plain_uuid_bit) != 0);
  record.median_ns = bytes.real();
  record.default_ns = bytes.real();
  record.speedup = bytes.real();
  record.trials = signed_of(read_number(bytes));
  record.made_ms = signed_of(read_number(bytes));
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
  write_number(row, place_in(index.configurations, names_of(record.configuration)));
  for (const Binding& binding : record.configuration) write_value(row, index, binding.value);
  write_number(row, place_in(index.origins, RecordOrigin{record.device_name, record.multiprocessors, record.toolchain,
                                                         record.driver, record.attune_version, record.protocol}));
  const std::vector<std::byte> uuid = bytes_of_uuid(record.uuid);
  row.number(static_cast<std::uint8_t>(static_cast<unsigned>(record.effort) | (record.partial ? partial_bit : 0) |
                                       (record.unstable ? unstable_bit : 0) | (uuid.empty() ? 0 : plain_uuid_bit)));
  write_uuid(row, uuid, record.uuid);
  row.real(record.median_ns);
  row.real(record.default_ns);
  row.real(record.speedup);
  write_number(row, unsigned_of(record.trials));
  write_number(row, unsigned_of(record.made_ms));
  const std::vector<std::byte> bytes = row.take();
  write_number(page, bytes.size());
  page.raw(bytes);
}

std::vector<Record> read_rows(std::span<const std::byte> page, const RecordIndex& index, const RecordGroup& group,
                              const std::function<bool(std::span<const std::int64_t>)>& wanted) {
  const auto refuse = [] { throw Error("a page of records does not fit its index"); };
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
    if (!row.failed() && !wanted(ordinals)) continue;
    Record record;
    read_rest(row, index, record);
    if (row.failed() || !row.at_end()) refuse();
    record.key = {group.kernel,
                  index.code,
                  index.contract,
                  group.device_class,
                  Problem(std::move(problem)),
                  group.regime,
                  group.objective,
                  generation_of(record.protocol)};
    record.compute_capability = group.compute_capability;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace attune
