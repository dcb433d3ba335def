// Command-line options, by Boost.Program_options: each command has its own, with its page of help.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "command.hpp"
#include "core/regime.hpp"

namespace attune::cli {

// What an option takes, by its name in the help.
inline auto* named_value(const char* name) { return boost::program_options::value<std::string>()->value_name(name); }
// The same of an option that may be given several times.
inline auto* named_values(const char* name) {
  return boost::program_options::value<std::vector<std::string>>()->composing()->value_name(name);
}

// One command's options and their values. Construct, add options, parse.
class Options {
 public:
  // `usage`: "attune tune KERNEL|FILE.cu [options]". `examples`: lines below the options. `positional`: names of the
  // arguments without a dash, in order ("kernel"). A last one "kernels..." takes all that follow, as a list.
  Options(std::string usage, std::string examples, std::vector<std::string> positional = {});

  boost::program_options::options_description_easy_init add() { return description_.add_options(); }
  // Parses. Returns true when only help was requested, which it prints. Throws UsageError with the nearest known
  // option.
  bool parse(const Arguments& arguments);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  // Returns the given value, or nothing.
  std::optional<std::string> text(const std::string& name) const;
  std::vector<std::string> list(const std::string& name) const;
  // Returns a whole number within bounds, written as an expression ("2**20"). Throws UsageError.
  std::optional<long long> integer(const std::string& name, long long least, long long most) const;
  // Returns "60", "60s", "1.5m" or "2h" in seconds. Throws UsageError.
  std::optional<double> seconds(const std::string& name) const;
  // Returns a positional. Throws UsageError when it is missing.
  std::string required(const std::string& name) const;
  std::vector<std::string> required_list(const std::string& name) const;

 private:
  std::string help() const;
  std::string usage_, examples_;
  std::vector<std::string> positional_;
  std::string rest_;  // the name of the list of further ones; "": there is none
  boost::program_options::options_description description_;
  boost::program_options::variables_map values_;
};

// Returns --device, else $ATTUNE_DEVICE, else "cuda".
std::string device_name(const Options& options);
// Prints "attune: TEXT" on standard error: what is waited for.
void note_on_stderr(const std::string& text);
// Returns the folder of the locks. Returns "", and says so, when the cache folder cannot be written: neither turns nor
// cached images are needed.
std::filesystem::path usable_lock_folder();
// Returns --db, else $ATTUNE_DB, else the user's own. Throws Error where the user has no place for files.
std::string database_path(const Options& options);
// Returns the same for a command that only looks wisdom up. Where the user has no place for files, says once that there
// is no wisdom, and returns "".
std::string database_to_read(const Options& options);
// Returns --cache, else $ATTUNE_CACHE, else the user's own. Throws Error where the user has no place for files.
std::filesystem::path cache_path(const Options& options);
// Returns the command that shows the space which this one asks for.
std::string space_command(const Options& options, const std::string& problem);
// Returns --regime, else cold. Throws UsageError.
Regime regime_of(const Options& options);
// Returns the limits for a device name; an architecture ("sm_90") needs no device.
DeviceInfo device_info_for(const std::string& device);
bool is_architecture(const std::string& device);

}  // namespace attune::cli
