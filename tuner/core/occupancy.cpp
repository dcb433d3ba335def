#include "core/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>

#include "base/counted.hpp"
#include "base/enum_texts.hpp"

namespace attune {
namespace {

constexpr EnumTexts<Limiter> limiter_texts("threads", "blocks", "registers", "shared memory");
constexpr int warp_threads = 32;

template <typename Number>
Number rounded_up(Number count, Number unit) {
  return (count + unit - 1) / unit * unit;
}

std::string limited_text(const Occupancy& occupancy) {
  std::string text;
  for (const Limiter limiter : occupancy.limiters)
    text += (text.empty() ? ", limited by " : " and ") + std::string(to_text(limiter));
  return text;
}

int blocks_by_registers(const BlockUse& use, int warps, const MultiprocessorLimits& limits) {
  if (use.registers == 0) return INT_MAX;
  if (use.registers > limits.max_registers_per_thread) return 0;
  const int all_warps = rounded_up(warps, limits.warp_unit);
  if (limits.registers_by_block)
    return limits.registers / rounded_up(all_warps * warp_threads * use.registers, limits.register_unit);
  const int of_warp = rounded_up(warp_threads * use.registers, limits.register_unit);
  if (of_warp * all_warps > limits.registers_per_block) return 0;
  return limits.registers / limits.warp_unit / of_warp * limits.warp_unit / warps;
}

int blocks_by_shared(const BlockUse& use, const MultiprocessorLimits& limits) {
  if (use.shared_bytes > limits.shared_per_block) return 0;
  const std::uint64_t of_block = rounded_up(use.shared_bytes + limits.shared_reserved, limits.shared_unit);
  return of_block == 0 ? INT_MAX : static_cast<int>(limits.shared_bytes / of_block);
}

std::optional<OccupancyStep> step_of(Limiter limiter, const BlockUse& use, const MultiprocessorLimits& limits,
                                     const Occupancy& now) {
  const std::int64_t threads = rounded_up(use.threads, warp_threads);
  const auto shared = static_cast<std::int64_t>(rounded_up(use.shared_bytes, limits.shared_unit));
  for (std::int64_t n = 1;; ++n) {
    BlockUse other = use;
    std::int64_t amount = 0;
    if (limiter == Limiter::registers) {
      amount = use.registers - n;
      other.registers = static_cast<int>(amount);
    } else if (limiter == Limiter::shared) {
      amount = shared - n * static_cast<std::int64_t>(limits.shared_unit);
      other.shared_bytes = static_cast<std::uint64_t>(amount);
    } else {
      amount = threads + (limiter == Limiter::blocks ? n : -n) * warp_threads;
      other.threads = static_cast<int>(amount);
    }
    const bool is_none = limiter == Limiter::shared ? amount < 0 : amount <= 0;
    if (is_none || (limiter == Limiter::blocks && amount > limits.max_threads_per_block)) return std::nullopt;
    const Occupancy then = occupancy_of(other, limits);
    if (then.warps > now.warps)
      return OccupancyStep{limiter, static_cast<std::uint64_t>(amount), then.blocks, then.warps};
  }
}

}  // namespace

Occupancy occupancy_of(const BlockUse& use, const MultiprocessorLimits& limits) {
  const int warps = rounded_up(std::max(use.threads, 1), warp_threads) / warp_threads;
  Occupancy result;
  result.max_warps = limits.max_warps;
  result.blocks_by = {use.threads > limits.max_threads_per_block ? 0 : limits.max_warps / warps, limits.max_blocks,
                      blocks_by_registers(use, warps, limits), blocks_by_shared(use, limits)};
  result.blocks = std::ranges::min(result.blocks_by);
  result.warps = result.blocks * warps;
  for (const Limiter limiter : {Limiter::threads, Limiter::blocks, Limiter::registers, Limiter::shared})
    if (result.by(limiter) == result.blocks) result.limiters.push_back(limiter);
  return result;
}

std::optional<OccupancyStep> next_step(const BlockUse& use, const MultiprocessorLimits& limits) {
  const Occupancy now = occupancy_of(use, limits);
  for (const Limiter limiter : now.limiters)
    if (const auto step = step_of(limiter, use, limits, now)) return step;
  return std::nullopt;
}

std::string_view to_text(Limiter limiter) noexcept { return limiter_texts[limiter]; }

std::string to_text(const Occupancy& occupancy) {
  return fmt::format("{} %{}", std::lround(100 * occupancy.share()), limited_text(occupancy));
}

std::string to_text(const OccupancyStep& step, const Occupancy& now) {
  const std::string_view unit = step.limiter == Limiter::registers ? "registers"
                                : step.limiter == Limiter::shared  ? "bytes of shared memory"
                                                                   : "threads";
  if (step.blocks > now.blocks)
    return fmt::format("{} {}: {} instead of {}", step.amount, unit, counted(std::int64_t{step.blocks}, "block"),
                       now.blocks);
  return fmt::format("{} {}: {} instead of {}", step.amount, unit, counted(std::int64_t{step.warps}, "warp"),
                     now.warps);
}

BlockUse block_use(const LaunchShape& shape, const ResourceUsage& usage) {
  return {static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]), usage.registers,
          usage.shared_static + shape.shared_bytes};
}

std::optional<BlockUse> block_use_of(const Trial& trial, bool has_verify_steps) {
  constexpr int most_registers = 255;
  if (trial.shapes.size() != 1 || trial.usage.registers == 0 || has_verify_steps) return std::nullopt;
  if (trial.usage.registers < 0 || trial.usage.registers > most_registers) return std::nullopt;  // no compiler's
  const auto& block = trial.shapes.front().block;
  constexpr std::uint32_t most_threads = 1024;
  for (const std::uint32_t extent : block)
    if (extent == 0 || extent > most_threads) return std::nullopt;
  return block_use(trial.shapes.front(), trial.usage);
}

std::string occupancy_text(const BlockUse& use, const MultiprocessorLimits& limits) {
  const Occupancy now = occupancy_of(use, limits);
  const auto step = next_step(use, limits);
  return fmt::format("{} % ({} of {}){}{}", std::lround(100 * now.share()), counted(std::int64_t{now.blocks}, "block"),
                     counted(std::int64_t{use.threads}, "thread"), limited_text(now),
                     step ? "; " + to_text(*step, now) : "");
}

}  // namespace attune
