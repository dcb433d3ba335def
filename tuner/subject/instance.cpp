#include "subject/instance.hpp"

#include <utility>

namespace attune {

std::shared_ptr<Instance> plain_instance(InstanceId id, const Configuration& configuration) {
  auto made = std::make_shared<Instance>();
  made->id = id;
  made->configuration = configuration;
  made->text = configuration.text();
  made->shapes.resize(1);
  return made;
}

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
