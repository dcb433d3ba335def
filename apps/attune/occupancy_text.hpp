// What a launch step takes of a multiprocessor, as lines, a table, curves and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/image.hpp"
#include "core/occupancy.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "kernel/instantiate.hpp"

namespace attune::cli {

struct StepUse {
  std::string entry;
  LaunchShape shape;
  ResourceUsage usage;
  BlockUse block() const;
};
// Returns the launch steps of an image, those that take the same of the same entry once. Returns none for PTX, whose
// registers are not known.
std::vector<StepUse> step_uses(const Image& image, std::span<const ResolvedStep> steps);

struct CurvePoint {
  std::uint64_t amount = 0;
  int blocks = 0;
  double share = 0;
};
// Returns the occupancy at evenly spaced amounts of threads, registers or shared bytes, up to the most that a block may
// have, when all else stays.
std::vector<CurvePoint> occupancy_curve(Limiter over, const BlockUse& use, const MultiprocessorLimits& limits);
// Returns the curve as a chart of 80 columns at most, where `o` and an arrow mark the present amount.
std::string curve_text(Limiter over, const BlockUse& use, const MultiprocessorLimits& limits);
// Returns a table of what a block takes, and of how many blocks each limit allows.
std::string limits_table(const BlockUse& use, const MultiprocessorLimits& limits);
nlohmann::ordered_json occupancy_json(const BlockUse& use, const MultiprocessorLimits& limits);

// Returns what occupancy_text() does for a record, by what a trial of its configuration has stored. Returns "" where
// that is not the use of one launch: several launch steps, [[verify]] steps in the same image, no GPU.
std::string recorded_occupancy(const Record& record, const KernelSpec& spec, const Trial& trial);

}  // namespace attune::cli
