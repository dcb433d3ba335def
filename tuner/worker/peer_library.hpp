// Reads peer libraries (attune/peer.hpp), and makes a peer a routine of the device. A library stays loaded until the
// process ends.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// Returns the names of a kernel's peers, in the library's order. Throws UsageError when the file is no peer library.
std::vector<std::string> peer_names(const std::filesystem::path& library, std::string_view kernel);

struct PeerRoutines {
  std::shared_ptr<Routine> work;    // what is timed
  std::shared_ptr<Routine> finish;  // brings the result into the kernel's form; null: it has that form already
};

// Returns the routines of a peer. The peer itself is made at their first call, because the device's context is current
// then. The routines return the verdict `restricted` for a problem that the peer cannot do, and `launch_error` when the
// peer fails. Throws UsageError when the library has no such peer.
PeerRoutines make_peer_routines(const PeerSetup& setup, const std::vector<ArgumentSetup>& arguments);

}  // namespace attune
