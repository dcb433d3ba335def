// Work spread over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace attune::cli {

// work(0) ... work(count - 1), each once, on so many threads (at least one; fewer where the system gives no more), in
// any order. Rethrows the first exception
// once all threads have ended; work not begun by then is left out.
void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

}  // namespace attune::cli
