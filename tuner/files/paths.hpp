// Where attune keeps its files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attune {

// Returns $ATTUNE_DB, else $XDG_DATA_HOME/attune/wisdom.db, else ~/.local/share/attune/wisdom.db. Throws Error when
// neither variable nor home directory is known. The environment is ignored in a set-user-id process.
std::filesystem::path default_database_path();
// Returns $ATTUNE_CACHE, else $XDG_CACHE_HOME/attune, else ~/.cache/attune.
std::filesystem::path default_cache_path();
// Returns $ATTUNE_SITE_CACHE; nothing where it is unset, or in a set-user-id process.
std::optional<std::filesystem::path> site_cache_path();
// Returns $ATTUNE_LOG_MISSES; nothing where it is unset, or in a set-user-id process.
std::optional<std::filesystem::path> miss_log_path();

// Returns the folder of the locks by which all tuners of this user take turns, whatever their caches are. Makes it
// where it is absent. Returns "" and says `why` where it cannot be used.
std::filesystem::path usable_lock_folder(std::string& why);

// Creates `directory` (and its parents) with mode 0700 where absent. Throws Error, which names the variable that
// another place is named with.
void make_private_directory(const std::filesystem::path& directory, const char* variable);

}  // namespace attune
