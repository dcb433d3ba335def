// Generates a self-contained C++17 header of one kernel, which selects the tuned configuration for a problem on a
// device and computes what to launch. The header needs nothing of attune. Pure; any thread. For users: docs/exports.md.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/cover.hpp"
#include "core/record.hpp"

namespace attune {

struct HeaderTerms {
  const KernelSpec& spec;          // must outlive the terms
  std::vector<Record> records;     // of its code and contract, and of `objective`; others are left out
  std::vector<Cover> covers = {};  // of its code and contract, of `objective` and `regime`; others are left out
  std::string regime = "cold", objective = "time";
  // The problems for which the header is meant, each given in part: "T=float". Names that are left out are free; an
  // empty list means all problems. The header refuses other types and choices. `records` is not narrowed.
  std::vector<Bindings> problems = {};
  std::string name_space = {};  // "": attune_export_<kernel>
  bool with_templates = false;  // with launch(), for which nvcc instantiates the kernel's own templates
  std::string attune_version = {};
};

// Returns the header's text. Throws UsageError naming what a header cannot have: a kernel in the Python dialect, or a
// name space that is not an identifier. With templates these are also tunable options, tensor maps, `requires`, and
// sizes in entries that no problem binds.
std::string exported_header(const HeaderTerms& terms);

}  // namespace attune
