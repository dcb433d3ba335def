// The output of `attune space` for a search space, as text or as JSON lines. Results go to standard output, warnings to
// standard error.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "attune/search_space.hpp"
#include "attune/space_audit.hpp"

namespace attune::cli {

struct AskedSpace {
  std::string name;     // of the kernel, or of the T1 document
  std::string problem;  // "n=1000 T=float"; empty for a T1 document, like `device`
  std::string device;
  SearchSpace space;
  std::string title() const;  // "reduce for n=1000 T=float on NVIDIA H200"
};

// Each returns an ExitCode.
int show_space(const AskedSpace& asked, bool json);
int show_count(const AskedSpace& asked, bool json);
int show_list(const AskedSpace& asked, SpaceSize most, bool json);                        // in index order
int show_sample(const AskedSpace& asked, SpaceSize most, std::uint64_t seed, bool json);  // uniform, none twice
int show_audit(const AskedSpace& asked, bool json);
// Shows whether the values in `wished` ("A=1 B=2") occur in a legal configuration. Throws UsageError for unknown ones.
int show_why(const AskedSpace& asked, const std::string& wished, bool json);

// Warns on standard error of rules left out of the counts, and of counts beyond 128 bits.
void warn_of_bounds(const SearchSpace& space);

// Common to the views.
void print_json(const nlohmann::ordered_json& line);
// Returns {"type": type, "name", "problem", "device", "legal", "cartesian", "exact", "saturated", "uncounted"}.
nlohmann::ordered_json space_json(const AskedSpace& asked, const char* type);
std::string size_text(const SearchSpace& space);              // "5", "at most 5,000", "at least 340,282,..."
std::string legal_line(const SearchSpace& space);             // "5 legal configurations of 6 combinations (83.3 %)"
std::string share_text(double fraction);                      // "16.67 %"; never 0 or 100 by rounding
std::string joined_values(const std::vector<Value>& values);  // "1, 2, 4", cut when there are very many

}  // namespace attune::cli
