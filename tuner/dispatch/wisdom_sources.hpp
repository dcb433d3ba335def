// The sources of records around a Dispatcher, in the order in which they are asked: override file, database, site,
// folders. Bundles come last (docs/deploying.md#overlays).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/record.hpp"
#include "kernel/record_table.hpp"

namespace attune {

struct WisdomSource {
  enum class Kind { override_file, database, site, folder, bundle };
  Kind kind = Kind::database;
  std::shared_ptr<const RecordTable> table;
};

struct WisdomSources {
  std::vector<WisdomSource> list;  // without bundles
  // The digest that Wisdom::digest() must be, or "any". Then neither the override file nor the database is read. "":
  // none was agreed on.
  std::string agreed = {};
};

// Where wisdom is, besides the database and bundles.
struct WisdomPlaces {
  std::filesystem::path site = {};                  // "": $ATTUNE_SITE, else /etc/attune
  std::vector<std::filesystem::path> folders = {};  // of the application
  std::string agreed = {};                          // "": $ATTUNE_AGREE, else none
};

// Returns the sources. `database`: null where there is none. Opens nothing. Throws UsageError for an agreed digest that
// is none.
WisdomSources wisdom_sources(std::unique_ptr<const RecordTable> database, const WisdomPlaces& places);
// Returns no source but an agreed digest, for a dispatcher that knows only its bundles.
WisdomSources only_bundles(const WisdomPlaces& places);

// Returns where rows of a source come from: "the folder tuned/".
std::string place_of(const WisdomSource& source);

// Marks a record as what it is in a source of this kind, and says where it comes from.
void mark_origin(Record& record, const WisdomSource& source);

}  // namespace attune
