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

// Appends a row. Adds to the index what the record shares with others. Throws UsageError where its problem has other
// names than the index.
void write_row(ByteWriter& page, RecordIndex& index, const Record& record);

// Returns the ordinals of a problem's values. Throws UsageError as write_row() does.
std::vector<std::int64_t> ordinals_to_write(RecordIndex& index, const Problem& problem);

// Reads the rows of a page of a group. Those for which `wanted(ordinals)` is false are passed over. Throws Error where
// the bytes are no rows of this index.
std::vector<Record> read_rows(std::span<const std::byte> page, const RecordIndex& index, const RecordGroup& group,
                              const std::function<bool(std::span<const std::int64_t>)>& wanted);

}  // namespace attune
