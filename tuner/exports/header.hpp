// A self-contained C++17 header of one kernel: it selects the tuned configuration for a problem on a device, and
// computes what to launch. It needs nothing of attune. Pure; any thread. For users: docs/exports.md.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/record.hpp"

namespace attune {

struct HeaderTerms {
  const KernelSpec& spec;       // must outlive the terms
  std::vector<Record> records;  // of its code and contract, and of `objective`; others are left out
  std::string regime = "cold", objective = "time";
  // The problems that are meant, in part: "T=float". Names that are left out are free. None: all. Other types and
  // choices are refused by the header; `records` is not narrowed.
  std::vector<Bindings> problems = {};
  std::string name_space = {};  // "": attune_export_<kernel>
  bool with_templates = false;  // with launch(), by which nvcc instantiates the kernel's own templates
  std::string attune_version = {};
};

// Returns the header's text. Throws UsageError for what a header cannot have, naming it: a kernel in the Python
// dialect, a name space that is no identifier; with templates also tunable options, tensor maps, `requires`, and sizes
// in entries that no problem binds.
std::string exported_header(const HeaderTerms& terms);

}  // namespace attune
