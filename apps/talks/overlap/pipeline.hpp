// The pipeline of the program `overlap`: chunks of an array go to the device, through a kernel, and back to the host.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attune/pipeline.hpp"
#include "attune/tunable.hpp"

namespace overlap {

using Milliseconds = std::chrono::duration<double, std::milli>;

// Milliseconds of the parts by themselves, each for all elements.
struct Parts {
  double alone_to_device, alone_to_host;  // copies of pinned memory, with nothing beside
  double to_device, to_host;              // the same, both at once
  double kernel;
};

class Pipeline {
 public:
  explicit Pipeline(const attune::Problem& problem);
  // Allocates and fills memory of every kind, so that no run has to wait for that.
  void allocate();
  // Runs all chunks once and waits. The first run of a configuration prepares it, which does not count. Throws what
  // Dispatcher::plan() throws.
  Milliseconds run(const attune::Configuration& configuration);
  // Returns which element of the last run's result is wrong, or "".
  std::string check() const;
  Parts parts(const attune::Configuration& configuration);

 private:
  // Pages of the host, both ways.
  struct Host {
    attune::HostBuffer<float> in, out;
  };
  // A stream with its memory on the device.
  struct Lane {
    attune::Stream stream;
    attune::Buffer<float> in, out;
    attune::Event done;
  };

  Host& host(const std::string& kind);
  void prepare(const attune::Configuration& configuration);
  void enqueue();
  void to_device(std::int64_t chunk) const;
  void compute(std::int64_t chunk) const;
  void to_host(std::int64_t chunk) const;
  std::int64_t chunks() const { return (n_ + chunk_ - 1) / chunk_; }
  std::int64_t size(std::int64_t chunk) const { return std::min(chunk_, n_ - chunk * chunk_); }
  const Lane& lane(std::int64_t chunk) const { return lanes_[static_cast<std::size_t>(chunk) % lanes_.size()]; }

  const std::int64_t n_, turns_;
  attune::Dispatcher gpu_;
  std::map<std::string, Host> hosts_;
  // Of the present configuration:
  attune::Configuration configuration_;
  std::int64_t chunk_ = 1;
  bool is_mapped_ = false, is_breadth_first_ = false;
  float shift_ = 0;
  Host* host_ = nullptr;
  std::vector<Lane> lanes_;
  std::optional<attune::Event> begin_;
  std::optional<attune::Plan> plan_, last_plan_;
  std::optional<attune::Graph> graph_;
};

attune::Work work(const attune::Problem& problem);
attune::DeviceInfo device();

// Returns the configuration of a program that copies all, computes all and copies all back.
attune::Configuration serial(const char* memory, const attune::Problem& problem);

}  // namespace overlap
