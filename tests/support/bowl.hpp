// A recording with one clear optimum, for tests of the layers above devices.
#pragma once

#include "recordings/recording_file.hpp"

namespace attune {

inline Recording bowl() { return load_recordings(ATTUNE_TEST_DATA "/recordings/bowl.json").at(0); }

}  // namespace attune
