#include "subject/instance.hpp"

#include <utility>

namespace attune {

InstanceLaunch instance_launch(const Instance& instance, const Image& image, int attempt) {
  InstanceLaunch launch{instance.id, instance.text, attempt, instance.steps};
  launch.steps.image = image;
  return launch;
}

InstanceLaunch peer_launch(const Instance& instance, const Image& image, PeerSetup peer, InstanceId id) {
  InstanceLaunch launch{id, peer.name, 1, instance.steps};
  std::vector<ResolvedStep>& steps = launch.steps.steps;
  steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(launch.steps.untimed));
  launch.steps.image = image;
  launch.steps.peer = std::move(peer);
  return launch;
}

}  // namespace attune
