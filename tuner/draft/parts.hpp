// The parts of front matter while it is drafted. Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "draft/cuda_file.hpp"

namespace attune::draft {

// `KEY = VALUE  # MARK`. A mark begins with "CHECK: " or "FILL IN: "; "" for what is known.
struct Line {
  std::string key, value, mark;
};

constexpr std::int64_t most_threads = 1024;  // of a block, on every GPU

struct DraftParts {
  const CudaFile& file;
  const KernelFunction kernel;
  const Launch* launch = nullptr;  // the first of the kernel; null if the file has none
  std::vector<Line> problem = {}, parameters = {}, step = {}, arguments = {};
  std::map<std::string, std::string> names = {};  // of the code, and what front matter calls them
  Texts sizes = {};                               // of the problem
  Texts template_arguments = {};                  // of the entry; "": not known
  Texts outputs = {};                             // types of the arrays that are written
  bool has_macros = false;                        // among the parameters

  // Returns an expression of the host code or the kernel in attune's words, or nothing.
  std::optional<std::string> expression(const std::string& code) const;
  // Returns its value, or nothing where names are left.
  std::optional<std::int64_t> value(const std::string& code) const;
  // Returns what a constant, a local variable of the launch or a dimension of one (`block.x`) is set to; "" if unknown.
  std::string definition(const std::string& name) const;
  // Returns what stands for a name in the end, through constants and variables: "0.5f", "float"; else the name.
  std::string resolved(std::string name) const;
  // Returns the names in host code, and those in what its variables are set to.
  Texts names_in(const std::string& code) const;
  // Returns the name, changed as little as makes it new and allowed in front matter.
  std::string new_name(const std::string& wanted) const;
  // Returns attune's name of a type of the code: of its table, or of the problem. "" for any other.
  std::string type(const std::string& spelling) const;
  // Returns what the launch passes for a parameter; "" if nothing tells.
  std::string passed(std::size_t index) const;
  // Returns whether the launch passes the counter of a loop, on which neither its grid nor its block depends.
  bool passes_counter(std::size_t index) const;
  // Returns whether the kernel, or what it calls, asks for a dimension: ("blockIdx", 1) for blockIdx.y.
  bool uses(const char* variable, int dimension) const;
};

// Returns the value of an expression of attune without names, or nothing.
std::optional<std::int64_t> constant_value(const std::string& expression);

// Returns a text in quotes, as TOML has it.
std::string quoted(const std::string& text);
std::string quoted_list(const Texts& texts);

// These fill in the parts, in this order.
void draft_parameters(DraftParts& parts);  // types of the problem, parameters
void draft_sizes(DraftParts& parts);       // the rest of the problem
void draft_step(DraftParts& parts);        // entry, grid, block, shared memory
void draft_arguments(DraftParts& parts);

}  // namespace attune::draft
