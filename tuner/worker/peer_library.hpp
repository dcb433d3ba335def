// Peer libraries (attune/peer.hpp): what is in one, and a peer as a routine of the device. A library stays loaded until
// the process ends.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// Returns the names of the peers of a kernel, in the library's order. Throws UsageError for what is no peer library.
std::vector<std::string> peer_names(const std::filesystem::path& library, std::string_view kernel);

struct PeerRoutines {
  std::shared_ptr<Routine> work;    // is timed
  std::shared_ptr<Routine> finish;  // brings its result into the kernel's form; null: it is in that form
};

// Returns the peer, which is made by its first call: the device's context is current then. Its status is `restricted`
// for a problem that it cannot do, and `launch_error` for what fails. Throws UsageError when it is not in its library.
PeerRoutines make_peer_routines(const PeerSetup& setup, const std::vector<ArgumentSetup>& arguments);

}  // namespace attune
