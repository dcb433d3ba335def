// A recording of another tool as a session and a record of attune. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "db/wisdom_join.hpp"
#include "space/recording.hpp"

namespace attune {

// What a recording is of, which its file does not say in attune's terms.
struct ImportTarget {
  KernelSpec spec;
  Problem problem;  // complete
  DeviceInfo device;
  std::string regime = "cold";
  std::map<std::string, std::string> names = {};  // parameters: the file's name, the kernel's name
};

// Reads "block_size_x=BLOCK,tile=ITEMS". Throws UsageError for other text, a name that is given twice, and a name that
// the kernel does not have.
std::map<std::string, std::string> parse_names(const KernelSpec& spec, const std::string& text);

struct RecordedParts {
  WisdomParts parts;               // one session; one record, of the fastest configuration, if any is right
  std::vector<std::string> notes;  // a sentence each: what was left out, and what was taken in place of what is missing
};

// Returns the configurations that are legal for the kernel on the device, with their times and verdicts. The times have
// no present meaning (protocol 0). A parameter that the kernel lacks is left out if it has one value; the kernel's
// parameters that the file lacks have their first values. Equal input gives equal uuids. Throws UsageError for another
// parameter that the kernel lacks, and if no configuration is left.
RecordedParts parts_of(const Recording& recording, const ImportTarget& target);

}  // namespace attune
