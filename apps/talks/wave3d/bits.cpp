#include "wave3d/bits.hpp"

namespace wave3d {

using attune::Configuration;

// The pipeline's values that serve one GPU.
static const Configuration plainest{
    {"EXCHANGE", "copy"}, {"PRIORITY", "high"}, {"DEPTH", 1}, {"CUT", "border"}, {"GRAPH", false}};

std::vector<std::uint64_t> sums_of(Wave& wave, const Configuration& configuration) {
  wave.begin();
  wave.use(configuration);
  wave.run();
  wave.wait();
  return wave.sums();
}

Configuration alone(Configuration configuration) {
  for (const auto& [name, value] : plainest) configuration.set(name, value);
  return configuration;
}

Configuration storing(Configuration configuration) {
  configuration = alone(std::move(configuration));
  configuration.set("EXCHANGE", "store");
  return configuration;
}

std::string difference(const std::vector<std::uint64_t>& several, const std::vector<std::uint64_t>& one) {
  for (std::size_t z = 0; z < one.size(); ++z)
    if (z >= several.size() || several[z] != one[z])
      return "plane " + std::to_string(z) + " differs from that of one GPU";
  return {};
}

}  // namespace wave3d
