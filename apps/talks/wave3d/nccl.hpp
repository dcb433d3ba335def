// The part of NCCL that exchanges planes, from libnccl.so.2, which is loaded where it is found ($LD_LIBRARY_PATH).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "attune/stream_handle.hpp"

namespace wave3d {

class Nccl {
 public:
  static bool is_there() noexcept;
  explicit Nccl(std::size_t gpus);  // of the devices 0 and up, in their primary contexts. Throws attune::Error
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  // Does together what `exchange` sends and receives. These enqueue, and throw attune::Error.
  void together(const std::function<void()>& exchange) const;
  void send(std::size_t gpu, const float* from, std::size_t count, std::size_t to, attune::StreamHandle stream) const;
  void receive(std::size_t gpu, float* to, std::size_t count, std::size_t from, attune::StreamHandle stream) const;

 private:
  std::vector<void*> communicators_;
};

}  // namespace wave3d
