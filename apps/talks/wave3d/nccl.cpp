#include "wave3d/nccl.hpp"

#include <dlfcn.h>

#include <string>

#include "attune/error.hpp"

namespace wave3d {
namespace {

constexpr int nccl_float = 7;  // ncclFloat32

struct Functions {
  int (*init_all)(void** communicators, int count, const int* devices) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*begin)() = nullptr;
  int (*end)() = nullptr;
  int (*send)(const void*, std::size_t, int type, int peer, void*, attune::StreamHandle) = nullptr;
  int (*receive)(void*, std::size_t, int type, int peer, void*, attune::StreamHandle) = nullptr;
  const char* (*text)(int) = nullptr;
};

template <typename F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// Null where there is no NCCL. It is never unloaded.
const Functions* nccl() {
  static const Functions* const loaded = []() -> const Functions* {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    static Functions all;
    const bool is_whole = find(library, "ncclCommInitAll", all.init_all) &&
                          find(library, "ncclCommDestroy", all.destroy) && find(library, "ncclGroupStart", all.begin) &&
                          find(library, "ncclGroupEnd", all.end) && find(library, "ncclSend", all.send) &&
                          find(library, "ncclRecv", all.receive) && find(library, "ncclGetErrorString", all.text);
    return is_whole ? &all : nullptr;
  }();
  return loaded;
}

void check(int result, const char* doing) {
  if (result != 0) throw attune::Error(std::string(doing) + " failed: NCCL: " + nccl()->text(result));
}

}  // namespace

bool Nccl::is_there() noexcept { return nccl() != nullptr; }

Nccl::Nccl(std::size_t gpus) : communicators_(gpus) {
  if (!is_there()) throw attune::Error("there is no libnccl.so.2 on the path of libraries");
  std::vector<int> devices;
  for (std::size_t i = 0; i < gpus; ++i) devices.push_back(static_cast<int>(i));
  check(nccl()->init_all(communicators_.data(), static_cast<int>(gpus), devices.data()), "making communicators");
}

Nccl::~Nccl() {
  for (void* const communicator : communicators_) nccl()->destroy(communicator);
}

void Nccl::together(const std::function<void()>& exchange) const {
  check(nccl()->begin(), "beginning a group");
  try {
    exchange();
  } catch (...) {
    nccl()->end();  // else later calls would be of this group
    throw;
  }
  check(nccl()->end(), "exchanging planes");
}

void Nccl::send(std::size_t gpu, const float* from, std::size_t count, std::size_t to,
                attune::StreamHandle stream) const {
  check(nccl()->send(from, count, nccl_float, static_cast<int>(to), communicators_[gpu], stream), "sending planes");
}

void Nccl::receive(std::size_t gpu, float* to, std::size_t count, std::size_t from, attune::StreamHandle stream) const {
  check(nccl()->receive(to, count, nccl_float, static_cast<int>(from), communicators_[gpu], stream),
        "receiving planes");
}

}  // namespace wave3d
