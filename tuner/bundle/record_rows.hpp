// The rows of pages of records: some 90 bytes each (docs/formats/bundle.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/byte_stream.hpp"
#include "bundle/record_index.hpp"
#include "core/record.hpp"

namespace attune {

constexpr std::size_t most_rows_of_page = 256;

// Appends a row to `page`, and adds to the index what the record may share with others. Throws UsageError if the
// record's problem has other names than the index.
void write_row(ByteWriter& page, RecordIndex& index, const Record& record);

// Returns the ordinals of a problem's values, after adding new values to the index. Throws UsageError as write_row()
// does.
std::vector<std::int64_t> ordinals_to_write(RecordIndex& index, const Problem& problem);

// Decides from the problem of a row and the ordinals of its values whether the rest of the row is read.
using WantedRow = std::function<bool(std::span<const std::int64_t> ordinals, std::vector<Binding>& problem)>;

// Reads the wanted rows from a page of a group. Throws Error if the bytes are not rows of this index.
std::vector<Record> read_rows(std::span<const std::byte> page, const RecordIndex& index, const RecordGroup& group,
                              const WantedRow& wanted);

}  // namespace attune
