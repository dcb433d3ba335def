// Times callables of Python in turn, as the tuner times configurations: by the device's own clock, cold or warm, with
// everything enqueued ahead of the device.
#pragma once

#include <nanobind/nanobind.h>

#include "attune/dispatcher.hpp"

namespace attune::python {

// Times callables that enqueue their work on the default stream of `device` and do not wait. Takes rounds, each one
// sample of every callable, until the intervals of the ratios are settled as a session's are, or for `seconds`.
// `flush`: ahead of each sample the caches are filled with other data. Returns a dictionary: rounds, half_width, and
// rows, one for each callable: median_ns, median_ns_low, median_ns_high, speedup, speedup_low, speedup_high over the
// first callable. Called with the GIL held, which is released between the calls. Throws what a callable raises, and
// Error for a failure of the device.
nanobind::dict time_in_turn(Device& device, nanobind::list callables, bool flush, double seconds);

}  // namespace attune::python
