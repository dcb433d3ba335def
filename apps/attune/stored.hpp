// What the wisdom database holds, for the commands that only read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "db/wisdom_store.hpp"
#include "options.hpp"

namespace attune::cli {

void add_database_option(Options& options);
// Returns which devices count as others, as a database says that may not exist yet.
std::vector<DeviceAlias> aliases_in(const std::filesystem::path& database);
// Returns a database for reading; nothing where there is none yet, or no name.
std::optional<WisdomStore> open_store_at(const std::filesystem::path& file);
// Returns the database of a command likewise. Throws Error where --db names one that is not there.
std::optional<WisdomStore> open_store(const Options& options);
// Returns it for writing. Throws Error when there is no database.
WisdomStore open_store_to_change(const Options& options);
// Returns the records of a kernel (all when empty). Damaged ones are left out, and said.
std::vector<Record> read_records(std::optional<WisdomStore>& store, const std::string& kernel = {});
// Prints how many rows were left out, if there are any.
void note_damage(const WisdomStore& store);

// Returns whether a command names a kernel by its file.
bool is_kernel_file(const std::string& given);
// Returns the name of a kernel that a command names: by its file, or by the name itself.
std::string kernel_name(const std::string& given);
// Returns a kernel by its built-in name.
std::optional<KernelSpec> builtin_kernel(const std::string& name);

// What is kept of a kernel, by its name.
struct StoredCounts {
  std::int64_t records = 0, sessions = 0, trials = 0;
};
// Returns "2 records, 57 trials in 3 sessions".
std::string kept_text(const StoredCounts& kept);
// Returns all kernels of the database.
std::map<std::string, StoredCounts> read_kept(std::optional<WisdomStore>& store);
// Returns what to do instead, if the database knows the name as that of a callable, by its newest session; else "".
std::string why_no_kernel(WisdomStore& store, const std::string& name);
// Returns the kernel that a command names. Throws what load_kernel() does. Of a kernel that the database knows by name,
// the error says that its text is in its file. `files`: receives the files that were read, unless it is null.
KernelSpec find_kernel(const Options& options, const std::string& given,
                       std::vector<std::filesystem::path>* files = nullptr);
// Throws UsageError for a name that is neither a file, nor built in, nor in the database.
void require_known_or_builtin(const std::string& given, std::optional<WisdomStore>& store);
// Throws UsageError for a name that is not in the database.
void require_known(const std::string& kernel, const std::map<std::string, StoredCounts>& kept);

// Returns the newest session of a kernel with trials, for these values of the problem and this kind or name of device;
// "" is any device. `given`: how the user names the kernel, for the message. Throws UsageError where there is none.
SessionRow newest_session(WisdomStore& store, const std::string& kernel, const Bindings& problem,
                          const std::string& device, const std::string& given);

}  // namespace attune::cli
