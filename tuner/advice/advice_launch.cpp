// Advice on how a launch lies on the device: its waves, its blocks, its bytes in flight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/advice_parts.hpp"
#include "base/counted.hpp"

namespace attune {
namespace {

// The heuristics of NVIDIA's talks (for instance M. Harris, Optimizing CUDA, SC 2007): two blocks on each
// multiprocessor, so that one computes while another waits, and a hundred blocks, so that the next GPU is filled too.
constexpr double heuristic_blocks_each = 2;
constexpr double heuristic_blocks = 100;

// Time from a load to its data while memory is busy. By Little's law bytes in flight are latency times rate: an H200
// reaches its copy rate of 4.27 TB/s with 48 KiB in flight on each of 132 multiprocessors.
constexpr double busy_latency_ns = 1500;
// Memory that reaches this share of its ceiling has enough bytes in flight.
constexpr double busy_memory = 0.8;
constexpr double widest_access = 16;  // bytes of one load of a thread

bool meets_heuristics(const Residence& residence) {
  return residence.per_multiprocessor >= heuristic_blocks_each &&
         static_cast<double>(residence.blocks) >= heuristic_blocks;
}

}  // namespace

std::optional<Residence> residence_of(const Trial& trial, const AdviceFacts& facts) {
  const DeviceInfo& device = facts.device;
  const std::optional<MultiprocessorLimits> limits = multiprocessor_limits(device);
  const std::optional<BlockUse> use = block_use_of(trial, facts.has_verify_steps);
  if (!limits || !use || device.multiprocessors <= 0) return std::nullopt;
  Residence residence;
  residence.use = *use;
  residence.occupancy = occupancy_of(residence.use, *limits);
  if (residence.occupancy.blocks <= 0) return std::nullopt;
  residence.blocks = trial.shapes.front().blocks();
  residence.per_multiprocessor = static_cast<double>(residence.blocks) / device.multiprocessors;
  residence.waves = residence.per_multiprocessor / residence.occupancy.blocks;
  return residence;
}

double tail_loss(double waves) { return waves <= 1 ? 0 : 1 - waves / std::ceil(waves); }

void advise_tail(const AdviceFacts& facts, std::vector<Advice>& list) {
  const std::optional<Residence> residence = residence_of(*facts.best, facts);
  if (!residence || tail_loss(residence->waves) < notable_tail_loss) return;
  const double last = residence->waves - std::floor(residence->waves);
  list.push_back(
      {"tail",
       fmt::format("the last wave of blocks fills {:.0f} % of the device: if all blocks take equally long, a grid that "
                   "fills its waves gains up to {:.2f}x",
                   100 * last, 1 / (1 - tail_loss(residence->waves))),
       fmt::format("a loss of {:.0f} % or more", 100 * notable_tail_loss),
       fmt::format("{} in {:.2f} waves of {} x {}", counted(static_cast<std::int64_t>(residence->blocks), "block"),
                   residence->waves, residence->occupancy.blocks, facts.device.multiprocessors)});
}

void advise_blocks(const AdviceFacts& facts, std::vector<Advice>& list) {
  const std::optional<Residence> residence = residence_of(*facts.best, facts);
  if (!residence) return;
  const bool is_met = meets_heuristics(*residence);
  const Trial* other = nullptr;  // the fastest on the other side of the heuristics
  for (const Trial& trial : facts.trials) {
    if (trial.verdict != Verdict::ok) continue;
    if (other != nullptr && trial.measurement.median_ns >= other->measurement.median_ns) continue;
    const std::optional<Residence> its = residence_of(trial, facts);
    if (its && meets_heuristics(*its) != is_met) other = &trial;
  }
  std::string evidence = fmt::format("{}, {:.3g} for each multiprocessor, {:.2f} waves",
                                     counted(static_cast<std::int64_t>(residence->blocks), "block"),
                                     residence->per_multiprocessor, residence->waves);
  if (other != nullptr)
    evidence += fmt::format("; the fastest that {} them takes {:.2f} times as long", is_met ? "does not meet" : "meets",
                            other->measurement.median_ns / facts.best->measurement.median_ns);
  list.push_back(
      {"blocks",
       is_met ? "this configuration meets the heuristics of block counts"
       : other == nullptr
           ? "no configuration of this session meets the heuristics of block counts: smaller blocks, or less work "
             "for each, may fill the device"
           : "this configuration has fewer blocks than the heuristics want",
       fmt::format("heuristics: {:g} blocks for each of the {} multiprocessors, and {:g} in all", heuristic_blocks_each,
                   facts.device.multiprocessors, heuristic_blocks),
       std::move(evidence)});
}

void advise_bytes_in_flight(const AdviceFacts& facts, std::vector<Advice>& list) {
  const std::optional<Residence> residence = residence_of(*facts.best, facts);
  const auto ceiling = std::ranges::find(facts.ceilings, facts.memory, &Ceiling::name);
  const double seconds = facts.best->measurement.median_ns * 1e-9;
  if (!residence || ceiling == facts.ceilings.end() || !facts.bytes || !(seconds > 0)) return;
  const double reached = *facts.bytes / seconds / ceiling->value;
  // Where arithmetic is nearer its ceiling, memory may be idle.
  if (reached >= busy_memory || !facts.bound || facts.bound->ceiling != facts.memory) return;
  const double wanted = busy_latency_ns * 1e-9 * ceiling->value / facts.device.multiprocessors;
  const double blocks = std::min(residence->per_multiprocessor, static_cast<double>(residence->occupancy.blocks));
  const double threads = blocks * residence->use.threads;
  const double of_thread = *facts.bytes / (static_cast<double>(residence->blocks) * residence->use.threads);
  if (threads * widest_access >= wanted && threads * of_thread >= wanted) return;
  const bool is_small = threads * of_thread < wanted;
  list.push_back(
      {"in flight",
       is_small
           ? "too few bytes can be in flight: even if a thread asks for all it moves at once, memory is not filled; "
             "more threads, or more work for each, gain"
           : fmt::format("one access of {:g} bytes per thread does not fill memory: each thread wants {:.0f} bytes in "
                         "flight, so several accesses before the first use",
                         widest_access, std::ceil(wanted / threads)),
       fmt::format(
           "{:.1f} KiB for each multiprocessor, which are {:g} us times the measured {} ceiling, while less than "
           "{:.0f} % of this ceiling is reached",
           wanted / 1024, busy_latency_ns * 1e-3, facts.memory, 100 * busy_memory),
       fmt::format(
           "{:.0f} % of the ceiling is reached; {:.0f} threads on a multiprocessor move {:.3g} bytes each, {:.1f} KiB "
           "together",
           100 * reached, threads, of_thread, threads * of_thread / 1024)});
}

}  // namespace attune
