// The parts of front matter while it is drafted. Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "draft/cuda_file.hpp"
#include "draft/host_expression.hpp"

namespace attune::draft {

// `KEY = VALUE  # MARK`. A mark begins with "CHECK: " or "FILL IN: "; "" for what is known.
struct Line {
  std::string key, value, mark;
};

constexpr std::int64_t most_threads = 1024;  // of a block, on every GPU

struct Parts {
  const CudaFile& file;
  const Kernel& kernel;
  const Launch* launch = nullptr;  // the first of the kernel; null if the file has none
  std::vector<Line> problem = {}, parameters = {}, step = {}, arguments = {};
  std::vector<std::string> rules = {};
  std::vector<std::string> notes = {};            // comments below the parameters
  std::map<std::string, std::string> names = {};  // of the code, and what front matter calls them
  std::vector<std::string> sizes = {};
  std::vector<std::string> block = {};  // its dimensions, as front matter has them
  bool has_macros = false;              // among the parameters

  // Returns an expression of the host code or the kernel in attune's words, or nothing.
  std::optional<std::string> expression(const std::string& code) const;
  std::optional<std::int64_t> value(const std::string& code) const;
  // Returns the name, changed as little as makes it new and allowed in front matter.
  std::string new_name(const std::string& wanted) const;
  // Returns attune's name of a type of the code: of its table, or of the problem. "" for any other.
  std::string type(const std::string& spelling) const;
  // Returns whether the kernel asks for a dimension: ("blockIdx", 1) for blockIdx.y.
  bool uses(const char* variable, int dimension) const;

  // Returns whether grid, block or shared memory of the launch name the word.
  bool launch_mentions(const std::string& word) const;

 private:
  std::optional<Meaning> meaning(const std::string& name) const;
  bool is_taken(const std::string& name) const;
};

// Returns a text in quotes, as TOML has it.
std::string quoted(const std::string& text);
std::string quoted_list(const std::vector<std::string>& texts);

// These fill in the parts, in this order.
void draft_parameters(Parts& parts);  // types of the problem, parameters
void draft_sizes(Parts& parts);       // the rest of the problem
void draft_step(Parts& parts);        // entry, grid, block, shared memory
void draft_arguments(Parts& parts);

}  // namespace attune::draft
