// Instance: one configuration of a subject with everything resolved that compiling and running it need. It is made once
// and then shared. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

struct Instance {
  InstanceId id = 0;  // among the instances of one session
  Configuration configuration;
  std::string text;                   // configuration.text()
  std::vector<LaunchShape> shapes;    // of each launch that is timed, in order
  std::optional<ImageRequest> image;  // what must be compiled before the instance can run; nothing: nothing must
  std::string image_key;              // image_key() of that request; instances with equal keys share one image
  double made_ms = 0;                 // what making the instance took, where nothing is compiled
  StepsSetup steps;                   // the instance's part of a job, without the image
};

// An instance with its image.
struct ReadyInstance {
  std::shared_ptr<const Instance> instance;
  Image image;  // empty where the instance needs none
};

// Makes an instance of one launch of which no more is known than its configuration.
std::shared_ptr<Instance> plain_instance(InstanceId id, const Configuration& configuration);

// Returns the instance as a job takes it.
InstanceLaunch instance_launch(const Instance& instance, const Image& image, int attempt = 1);

// Returns a peer in the place of the instance's launches, under the number `id`: the instance's [[verify]] steps bring
// the peer's result into a form to compare. `image`: the instance's.
InstanceLaunch peer_launch(const Instance& instance, const Image& image, PeerSetup peer, InstanceId id);

}  // namespace attune
