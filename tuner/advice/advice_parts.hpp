// The kinds of advice_on(). Each function appends what it has evidence for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/advice.hpp"
#include "core/occupancy.hpp"

namespace attune {

// How the blocks of a launch lie on the device.
struct Residence {
  BlockUse use;
  Occupancy occupancy;
  std::uint64_t blocks = 0;       // of the grid
  double per_multiprocessor = 0;  // blocks of the grid
  double waves = 0;               // 1: the blocks fill all multiprocessors once
};
// Returns nothing where the trial has not stored the use of its launch, and for a device that is no GPU.
std::optional<Residence> residence_of(const Trial& trial, const AdviceFacts& facts);

// Return the share of the time that a launch loses, where all blocks take equally long, because its last wave is not
// full; 0 for less than one wave.
double tail_loss(double waves);

// A launch loses this much by its last wave before it is named. Blocks never take quite equally long, which fills some
// of the last wave; so less is not evident.
inline constexpr double notable_tail_loss = 0.1;

void advise_limiter(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_spills(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_tail(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_blocks(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_bytes_in_flight(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_occupancy(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_bank_stride(const AdviceFacts& facts, std::vector<Advice>& list);
void advise_leading_parameter(const AdviceFacts& facts, std::vector<Advice>& list);

}  // namespace attune
