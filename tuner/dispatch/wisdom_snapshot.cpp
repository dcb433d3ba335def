#include "dispatch/wisdom_snapshot.hpp"

#include <fmt/format.h>

#include <exception>
#include <system_error>

#include "core/counted.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

// Applications look up while they start: a default serves until the file is free.
constexpr double lock_wait_seconds = 0.1;

}  // namespace

std::optional<std::vector<Record>> read_wisdom(const std::filesystem::path& database, const RecordKey& key,
                                               const std::function<void(const std::string&)>& warn) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(database, error);
  if (!is_there && !error) return std::vector<Record>();
  try {
    WisdomStore store(database, WisdomStore::Access::read_only, {.seconds = lock_wait_seconds});
    auto records = store.candidates(key);
    if (const auto damaged = store.damaged_rows(); damaged > 0) {
      warn(fmt::format("{} of {} in {} left out (tune again, or remove the file)", counted(damaged, "damaged record"),
                       key.kernel, database.string()));
    }
    return records;
  } catch (const DatabaseLocked& failure) {
    warn(fmt::format("no wisdom is read from {} yet: {}; using defaults", database.string(), failure.what()));
    return std::nullopt;
  } catch (const std::exception& failure) {
    warn(fmt::format("no wisdom is read from {}: {}; using defaults", database.string(), failure.what()));
    return std::vector<Record>();
  }
}

}  // namespace attune
