// Which of the algorithms of a library is the fastest, as measured when a Work is made; and what owns handles.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "peer.hpp"

namespace attune::peers {

// What a library makes and destroys.
template <typename T, auto destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value_ != nullptr) destroy(value_);
  }
  T* to_make() noexcept { return &value_; }
  operator T() const noexcept { return value_; }

 private:
  T value_ = nullptr;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

inline std::size_t l2_bytes() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDevAttrL2CacheSize");
  return static_cast<std::size_t>(bytes);
}

// Returns the algorithm that takes the shortest time when `run` enqueues it. Each round times every algorithm once, so
// that a clock which changes is fair to all. Before each call memory of twice the L2 cache is written: the arrays come
// from global memory, and the host is ahead of the device. `run` returns whether the algorithm can run: what cannot is
// left out.
template <typename Algorithm, typename Run>
Algorithm fastest(const std::vector<Algorithm>& algorithms, cudaStream_t stream, Run run) {
  constexpr int rounds = 7;  // the median of which counts
  struct Candidate {
    Algorithm algorithm;
    std::vector<float> milliseconds;
  };
  std::vector<Candidate> candidates;
  for (const Algorithm& algorithm : algorithms) candidates.push_back({algorithm, {}});
  const TemporaryMemory flushed(2 * l2_bytes());
  const Event begin, end;
  const auto time = [&](Candidate& candidate) {
    check(cudaMemsetAsync(flushed.data(), 0, flushed.bytes(), stream), "cudaMemsetAsync");
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    const bool runs = run(candidate.algorithm);
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "an algorithm of the library");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    candidate.milliseconds.push_back(milliseconds);
    return runs;
  };
  // The first call of each loads its code, and is not counted.
  std::vector<Candidate> known;
  for (Candidate& candidate : candidates)
    if (time(candidate)) known.push_back({candidate.algorithm, {}});
  candidates = std::move(known);
  if (candidates.empty()) throw Failed("no algorithm of the library runs");
  for (int round = 0; round < rounds; ++round)
    for (Candidate& candidate : candidates)
      if (!time(candidate)) throw Failed("an algorithm of the library ran once and not again");
  for (Candidate& candidate : candidates) std::ranges::sort(candidate.milliseconds);
  return std::ranges::min_element(candidates, {}, [](const Candidate& one) { return one.milliseconds[rounds / 2]; })
      ->algorithm;
}

}  // namespace attune::peers
