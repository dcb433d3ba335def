// The tables of a generated header: configurations, records, fall-backs. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exports/header.hpp"

namespace attune {

struct TableRecord {
  Record record;                  // its problem in the order of [problem]
  std::size_t configuration = 0;  // its position in ExportTables::configurations
};

struct TableCover {
  Cover cover;
  // Of each of its configurations, the position in ExportTables::configurations; nothing for unlisted values.
  std::vector<std::optional<std::size_t>> positions;
};

struct ExportTables {
  std::vector<Configuration> configurations;  // each once
  std::vector<TableRecord> records;           // the stronger first (core/record_order.hpp)
  std::vector<std::size_t> fall_backs;        // positions of configurations; the first is the default
  std::vector<TableCover> covers;             // in the order in which they are asked
};

// Returns the tables. Records and covers that never apply are left out: those of another code, contract or objective,
// or with unlisted values.
ExportTables make_tables(const HeaderTerms& terms);

// Returns the values of the names that decide what is compiled: types, choices, and, if `with_entry_names`, names in
// entries. There is one result for each combination that `problems` admit. Throws UsageError for a size in an entry
// that no problem binds, and for more than 4,096 combinations.
std::vector<Bindings> type_combinations(const KernelSpec& spec, std::span<const Bindings> problems,
                                        bool with_entry_names);

// Returns the values of a problem that decide what is compiled: types, choices, and, if `with_entry_names`, names in
// entries. Other sizes are left out.
Bindings compiled_part(const KernelSpec& spec, const Bindings& problem, bool with_entry_names);

// Returns whether the problem does not contradict `part`: names that both bind have equal values.
bool is_admitted(const Bindings& problem, const Bindings& part);

}  // namespace attune
