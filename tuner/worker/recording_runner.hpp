// The runner of a recording: each instance fails or takes its time as recorded. It has no data and no device.
#pragma once

#include <memory>

#include "device/replay/replay.hpp"
#include "worker/runner.hpp"

namespace attune {

// Its runners find trials by InstanceLaunch::configuration. The recording's results are right as recorded, so that
// there is no reference. All testbeds of one replay share its clock.
std::unique_ptr<Testbed> recording_testbed(std::shared_ptr<Replay> replay);

}  // namespace attune
