// What the parts of dispatch_bench share: medians of batches, interleaved.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace attune::bench {

inline double now_ns() {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Contender {
  std::string name;
  std::function<void(int launches)> run;
  std::vector<double> ns = {};  // of one launch, by sample
};

// Takes turns, so that a slow moment meets all.
inline void interleave(std::vector<Contender>& contenders, int samples, int launches) {
  for (int sample = 0; sample < samples; ++sample)
    for (Contender& contender : contenders) {
      const double begin = now_ns();
      contender.run(launches);
      contender.ns.push_back((now_ns() - begin) / launches);
    }
}

int run_idle(int launches);       // no device below the seam
int run_memory(int problems);     // what a known problem costs
int run_on_gpu(int launches);     // beside raw launches
int run_records(int records);     // look-ups in a large database
int run_sizes(int source_bytes);  // first launches of other sizes

// What a fresh process takes, each in one of its own; on $ATTUNE_DEVICE, else a GPU. `fresh_processes` runs them.
int run_cold(const std::string& cache);         // each first thing
int run_nvrtc(bool by_attune);                  // the compile of a first launch: by NVRTC alone, or as attune does it
int run_prepare(const std::string& folder);     // for run_background(): wisdom, and the image of another configuration
int run_background(const std::string& folder);  // a first launch while the best image is not there

}  // namespace attune::bench
