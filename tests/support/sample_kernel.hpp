// A kernel for tests of core, built in C++.
#pragma once

#include "attune/kernel_spec.hpp"
#include "support/message_of.hpp"

namespace attune {

inline KernelSpec sample_kernel() {
  KernelSpec spec;
  spec.name = "sample";
  spec.source = {"sample.cu", "__global__ void sample() {}", {}};
  spec.problem = {{"n", ProblemKind::size, {}, 4096, {{"host", 256}}},
                  {"shift", ProblemKind::integer, {}, 0, {}},
                  {"T", ProblemKind::type, {"float", "half", "int32"}, {}, {}},
                  {"rows", ProblemKind::size, {}, {}, {}}};
  spec.parameters = {{"BLOCK", {256, 128, 512, 1024}},
                     {"VECTOR", {1, 2, 4}},
                     {"RATIO", {1.0, 0.5}},
                     {"FAST", {false, true}},
                     {"ORDER", {"Order::rows", "Order::columns"}}};
  spec.rules = {"BLOCK * VECTOR <= 1024", "VECTOR * sizeof(T) <= 8"};
  spec.arguments.resize(5);
  spec.arguments[0].name = "out";
  spec.arguments[0].type = "T";
  spec.arguments[0].role = Role::out;
  spec.arguments[0].size = "n * rows";
  spec.arguments[1].name = "n";
  spec.arguments[1].type = "int64";
  spec.arguments[2].name = "blocks";
  spec.arguments[2].type = "int32";
  spec.arguments[2].value = "ceil_div(n, BLOCK)";
  spec.arguments[3].name = "scratch";
  spec.arguments[3].type = "uint64";
  spec.arguments[3].role = Role::scratch;
  spec.arguments[3].size = "BLOCK * 2";
  spec.arguments[4].name = "factor";
  spec.arguments[4].type = "T";
  Step clear;
  clear.kind = StepKind::memset;
  clear.memset_argument = "out";
  clear.memset_value = 7;
  clear.when = "FAST";
  Step main;
  main.entry = "sample<T, BLOCK, VECTOR, ORDER>";
  main.grid = {"ceil_div(n, BLOCK * VECTOR)", "rows"};
  main.block = {"BLOCK / VECTOR", "VECTOR"};
  main.shared = Expression("BLOCK * sizeof(T)");
  main.arguments = {"out", "n", "blocks", "scratch", "factor"};
  spec.launch = {clear, main};
  Step reference;
  reference.entry = "sample_reference<T>";
  reference.grid = {"ceil_div(n, 256)"};
  reference.block = {"256"};
  reference.arguments = {"out", "n"};
  spec.reference = {reference};
  spec.fingerprints.space = "0123";
  return spec;
}

inline const Problem& sample_problem() {
  static const Problem problem = {{"n", 1000}, {"shift", -3}, {"T", "float"}, {"rows", 5}};
  return problem;
}

inline const Configuration& sample_configuration() {
  static const Configuration configuration = {
      {"BLOCK", 128}, {"VECTOR", 2}, {"RATIO", 0.5}, {"FAST", true}, {"ORDER", "Order::columns"}};
  return configuration;
}

// Returns the sample kernel with these values as the grid, block, shared or when of its main step.
inline KernelSpec sample_with(std::string_view field, const std::vector<Expression>& values) {
  KernelSpec spec = sample_kernel();
  Step& step = spec.launch[1];
  if (field == "grid") step.grid = values;
  if (field == "block") step.block = values;
  if (field == "shared") step.shared = values.at(0);
  if (field == "when") step.when = values.at(0);
  return spec;
}

}  // namespace attune
