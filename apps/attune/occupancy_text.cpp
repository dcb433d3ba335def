#include "occupancy_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>

#include "table.hpp"

namespace attune::cli {
namespace {

constexpr std::uint64_t curve_columns = 64;
constexpr int curve_rows = 8;
constexpr std::uint64_t label_columns = 16;
constexpr const char* curve_margin = "        ";

constexpr std::array all_limiters = {Limiter::threads, Limiter::blocks, Limiter::registers, Limiter::shared};

std::string json_name(Limiter limiter) { return limiter == Limiter::shared ? "shared" : std::string(to_text(limiter)); }

std::uint64_t amount_of(Limiter over, const BlockUse& use) {
  if (over == Limiter::shared) return use.shared_bytes;
  return static_cast<std::uint64_t>(over == Limiter::registers ? use.registers : use.threads);
}

BlockUse with_amount(Limiter over, BlockUse use, std::uint64_t amount) {
  if (over == Limiter::shared)
    use.shared_bytes = amount;
  else
    (over == Limiter::registers ? use.registers : use.threads) = static_cast<int>(amount);
  return use;
}

std::uint64_t most_of(Limiter over, const MultiprocessorLimits& limits) {
  if (over == Limiter::shared) return limits.shared_per_block;
  return static_cast<std::uint64_t>(over == Limiter::registers ? limits.max_registers_per_thread
                                                               : limits.max_threads_per_block);
}

// The column of an amount is the first whose own amount is not less.
std::uint64_t column_of(std::uint64_t amount, std::uint64_t most) {
  return amount == 0 ? 0 : std::min((amount * curve_columns + most - 1) / most, curve_columns) - 1;
}

std::string marked_text(std::uint64_t column, std::uint64_t amount) {
  const std::string text = fmt::format("now {}", amount);
  return column < curve_columns / 2 ? fmt::format("{:{}}^ {}\n", "", column, text)
                                    : fmt::format("{:>{}} ^\n", text, column - 1);
}

}  // namespace

BlockUse StepUse::block() const { return block_use(shape, usage); }

std::vector<StepUse> step_uses(const Image& image, std::span<const ResolvedStep> steps) {
  std::vector<StepUse> uses;
  for (const ResolvedStep& step : steps) {
    const ImageFunction* const function = step.kind == StepKind::launch ? image.find(step.expression) : nullptr;
    if (function == nullptr || image.is_ptx()) continue;
    const bool is_known = std::ranges::any_of(uses, [&](const StepUse& use) {
      return use.entry == step.expression && use.shape.block == step.shape.block &&
             use.shape.shared_bytes == step.shape.shared_bytes;
    });
    if (!is_known) uses.push_back({step.expression, step.shape, function->usage});
  }
  return uses;
}

std::vector<CurvePoint> occupancy_curve(Limiter over, const BlockUse& use, const MultiprocessorLimits& limits) {
  std::vector<CurvePoint> points;
  for (std::uint64_t i = 1; i <= curve_columns; ++i) {
    const std::uint64_t amount = most_of(over, limits) * i / curve_columns;
    const Occupancy then = occupancy_of(with_amount(over, use, amount), limits);
    points.push_back({amount, then.blocks, then.share()});
  }
  return points;
}

std::string curve_text(Limiter over, const BlockUse& use, const MultiprocessorLimits& limits) {
  std::vector<CurvePoint> points = occupancy_curve(over, use, limits);
  const std::uint64_t now = amount_of(over, use), column = column_of(now, most_of(over, limits));
  const Occupancy present = occupancy_of(use, limits);
  points[column] = {now, present.blocks, present.share()};
  std::string text =
      fmt::format("occupancy over {}\n", over == Limiter::threads     ? "threads per block"
                                         : over == Limiter::registers ? "registers per thread"
                                                                      : "bytes of shared memory per block");
  for (int row = curve_rows; row > 0; --row) {
    std::string line = row % 2 == 0 ? fmt::format("  {:>3} % ", 100 * row / curve_rows) : curve_margin;
    line += '|';
    for (std::uint64_t i = 0; i < curve_columns; ++i) {
      const bool is_full = std::lround(points[i].share * curve_rows) >= row;
      const bool is_little = row == 1 && points[i].blocks > 0;
      line += is_full ? (i == column ? 'o' : '#') : is_little ? '.' : ' ';
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("{}+{}\n{} ", curve_margin, std::string(curve_columns, '-'), curve_margin);
  for (std::uint64_t i = label_columns; i <= curve_columns; i += label_columns)
    text += fmt::format("{:>{}}", most_of(over, limits) * i / curve_columns, label_columns);
  return text + "\n" + curve_margin + " " + marked_text(column, now);
}

std::string limits_table(const BlockUse& use, const MultiprocessorLimits& limits) {
  const Occupancy occupancy = occupancy_of(use, limits);
  std::vector<Cells> rows = {{"limit", "takes", "of", "blocks"}};
  const auto add = [&](Limiter limiter, const std::string& takes, std::uint64_t all) {
    const int blocks = occupancy.by(limiter);
    rows.push_back({std::string(to_text(limiter)), takes, std::to_string(all),
                    blocks == INT_MAX ? "any" : std::to_string(blocks)});
  };
  const auto whole = [](int count) { return static_cast<std::uint64_t>(count); };
  add(Limiter::threads, std::to_string(use.threads), whole(limits.max_threads));
  add(Limiter::blocks, "1", whole(limits.max_blocks));
  add(Limiter::registers, fmt::format("{} a thread", use.registers), whole(limits.registers));
  add(Limiter::shared,
      limits.shared_reserved == 0 ? fmt::format("{} bytes", use.shared_bytes)
                                  : fmt::format("{} + {} bytes", use.shared_bytes, limits.shared_reserved),
      limits.shared_bytes);
  return table_text(rows);
}

nlohmann::ordered_json occupancy_json(const BlockUse& use, const MultiprocessorLimits& limits) {
  const Occupancy now = occupancy_of(use, limits);
  nlohmann::ordered_json json = {
      {"threads", use.threads},    {"registers", use.registers}, {"shared_bytes", use.shared_bytes},
      {"occupancy", now.share()},  {"blocks", now.blocks},       {"warps", now.warps},
      {"max_warps", now.max_warps}};
  for (const Limiter limiter : all_limiters) {
    const int blocks = now.by(limiter);
    json["blocks_by"][json_name(limiter)] =
        blocks == INT_MAX ? nlohmann::ordered_json() : nlohmann::ordered_json(blocks);
  }
  for (const Limiter limiter : now.limiters) json["limiters"].push_back(json_name(limiter));
  json["next"] = nullptr;
  if (const auto step = next_step(use, limits))
    json["next"] = {{"of", step->limiter == Limiter::blocks ? "threads" : json_name(step->limiter)},
                    {"amount", step->amount},
                    {"blocks", step->blocks},
                    {"warps", step->warps}};
  return json;
}

std::string recorded_occupancy(const Record& record, const KernelSpec& spec, const Trial& trial) {
  const bool is_of_gpu = record.key.device_class.starts_with("cuda|");
  const auto limits = is_of_gpu ? multiprocessor_limits(record.compute_capability) : std::nullopt;
  const auto use = block_use_of(trial, !spec.verify.empty());
  return limits && use ? occupancy_text(*use, *limits) : "";
}

}  // namespace attune::cli
