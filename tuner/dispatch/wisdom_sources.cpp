#include "dispatch/wisdom_sources.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>

#include "attune/error.hpp"
#include "base/hexadecimal.hpp"
#include "base/mistrust.hpp"
#include "base/trusted_environment.hpp"
#include "dispatch/database_hook.hpp"
#include "files/paths.hpp"
#include "tuned/tuned_table.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

using Kind = WisdomSource::Kind;
constexpr std::array kind_names{"the override file", "the database", "the site", "the folder", "the bundle"};
constexpr std::size_t agreed_bytes = 32;

[[gnu::cold]] bool is_trusted(const fs::path& folder) {
  struct stat status {};
  return stat(folder.c_str(), &status) != 0 || mistrust(status).empty();
}

// Adds a folder of tuned files with or without a database, or one of both itself.
void add_site(std::vector<WisdomSource>& list, const fs::path& site) {
  std::error_code ignored;
  const bool is_database = site.extension() != tuned_extension && fs::is_regular_file(site, ignored);
  if (!is_database) list.push_back({Kind::site, std::make_shared<const TunedTable>(site, Trust::owned)});
  if (!is_database && !is_trusted(site)) return;  // the table of its texts says why
  if (const MakeDatabaseReader make = database_reader(); make != nullptr && site.extension() != tuned_extension)
    list.push_back({Kind::site, make(is_database ? site : site / "wisdom.db", true)});
}

std::string agreed_digest(const WisdomPlaces& places) {
  std::string agreed = places.agreed.empty() ? trusted_environment("ATTUNE_AGREE").value_or("") : places.agreed;
  const auto digest = bytes_of_hexadecimal(agreed);
  if (!agreed.empty() && agreed != "any" && !(digest && digest->size() == agreed_bytes))
    throw UsageError(
        fmt::format("`{}` is no digest of wisdom, which has 64 hexadecimal digits, nor `any` "
                    "(DispatcherOptions::agree, ATTUNE_AGREE); attune plan prints it",
                    agreed));
  return agreed;
}

}  // namespace

[[gnu::cold]] WisdomSources wisdom_sources(std::unique_ptr<const RecordTable> database, const WisdomPlaces& places) {
  WisdomSources sources{{}, agreed_digest(places)};
  const bool is_agreed = !sources.agreed.empty();
  if (const auto file = trusted_environment("ATTUNE_OVERRIDE"); file && !is_agreed)
    sources.list.push_back({Kind::override_file, std::make_shared<const TunedTable>(*file)});
  if (database != nullptr && !is_agreed) sources.list.push_back({Kind::database, std::move(database)});
  add_site(sources.list, places.site.empty() ? site_wisdom_path() : places.site);
  for (const fs::path& folder : places.folders)
    sources.list.push_back({Kind::folder, std::make_shared<const TunedTable>(folder)});
  return sources;
}

WisdomSources only_bundles(const WisdomPlaces& places) { return {{}, agreed_digest(places)}; }

[[gnu::cold]] std::string place_of(const WisdomSource& source) {
  return fmt::format("{} {}", kind_names[static_cast<std::size_t>(source.kind)], source.table->name());
}

[[gnu::cold]] void mark_origin(Record& record, const WisdomSource& source) {
  if (source.kind == Kind::override_file) record.origin = Origin::pinned;
  if (source.kind != Kind::database && record.origin == Origin::measured) record.origin = Origin::imported;
  record.source = place_of(source);
}

}  // namespace attune
