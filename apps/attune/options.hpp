// Command-line options, by Boost.Program_options: each command states its own, with its page of help.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "command.hpp"
#include "core/regime.hpp"

namespace attune::cli {

// One command's options and what was given. Construct, add options, parse.
class Options {
 public:
  // `usage`: "attune tune KERNEL|FILE.cu [options]"; `examples`: lines shown below the options; `positional`: names of
  // what stands without a dash, in order ("kernel").
  Options(std::string usage, std::string examples, std::vector<std::string> positional = {});

  boost::program_options::options_description_easy_init add() { return description_.add_options(); }
  // Parses. True when only help was asked for (and printed). Throws UsageError with the nearest known option.
  bool parse(const Arguments& arguments);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  // The value given, or nothing.
  std::optional<std::string> text(const std::string& name) const;
  std::vector<std::string> list(const std::string& name) const;
  // A whole number within bounds, written as an expression ("2**20"). Throws UsageError.
  std::optional<long long> integer(const std::string& name, long long least, long long most) const;
  // "60", "60s", "1.5m", "2h" in seconds. Throws UsageError.
  std::optional<double> seconds(const std::string& name) const;
  // A positional that must be there. Throws UsageError.
  std::string required(const std::string& name) const;

 private:
  std::string help() const;
  std::string usage_, examples_;
  std::vector<std::string> positional_;
  boost::program_options::options_description description_;
  boost::program_options::variables_map values_;
};

// --device, else $ATTUNE_DEVICE, else "cuda".
std::string device_name(const Options& options);
// --db, else $ATTUNE_DB, else the user's own.
std::string database_path(const Options& options);
// --regime, else cold. Throws UsageError.
Regime regime_of(const Options& options);
// The limits for a device name; an architecture ("sm_90") needs no device.
DeviceInfo device_info_for(const std::string& device);
bool is_architecture(const std::string& device);

}  // namespace attune::cli
