// Spreads work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace attune::cli {

// Runs work(0) ... work(count - 1), each once, in any order. It uses up to `threads` threads, at least one. After an
// exception no more work begins; the first exception is rethrown when all threads have ended.
void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

}  // namespace attune::cli
