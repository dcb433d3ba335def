// What is known of a kernel elsewhere and may help a search, in order. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "attune/search_space.hpp"
#include "core/record.hpp"
#include "kernel/ladder.hpp"

namespace attune {

// Returns the records of the same code and kind of device, likeliest to help first:
//   the record of this very problem and device, if a session searches it again;
//   other problems on this class of device, with equal types first, then by the sum of squared log2 ratios;
//   other devices, of the same compute capability first, then the nearer problem, the nearer compute capability
//   and the nearer number of multiprocessors.
std::vector<Record> ranked_for_warm_start(const MatchRequest& request, std::span<const Record> records);

// Returns the steps of the kernel's ladders, in their order, each once, without those illegal in `space`. The ladders'
// authors know the kernel, and a search that begins with the ladders is never worse than them.
std::vector<Row> ladder_rows(const KernelSpec& spec, const SearchSpace& space);

}  // namespace attune
