// Where attune keeps its files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attune {

// Returns $ATTUNE_DB, else $XDG_DATA_HOME/attune/wisdom.db, else ~/.local/share/attune/wisdom.db. Throws Error when
// neither a variable nor the home directory is known. A set-user-id process ignores the environment.
std::filesystem::path default_database_path();
// Returns $ATTUNE_CACHE, else $XDG_CACHE_HOME/attune, else ~/.cache/attune.
std::filesystem::path default_cache_path();
// Returns $ATTUNE_SITE_CACHE; nothing if it is unset, and in a set-user-id process.
std::optional<std::filesystem::path> site_cache_path();
// Returns $ATTUNE_SITE, else /etc/attune. A set-user-id process ignores the environment.
std::filesystem::path site_wisdom_path();
// Returns $ATTUNE_LOG_MISSES; nothing if it is unset, and in a set-user-id process.
std::optional<std::filesystem::path> miss_log_path();

// Returns the folder of the locks by which all tuners of this user take turns, whichever caches they use. Creates the
// folder if it is absent. Returns "" and sets `why` if it cannot be used.
std::filesystem::path usable_lock_folder(std::string& why);

// Creates `directory` and its parents with mode 0700 if they are absent. Throws Error, which names `variable` as the
// way to choose another place.
void make_private_directory(const std::filesystem::path& directory, const char* variable);

}  // namespace attune
