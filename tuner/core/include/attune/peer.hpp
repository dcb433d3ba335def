// A peer library is a shared library that exports attune_peers(). It holds routines that compute what kernels compute,
// such as those of a vendor. `attune bench --peers LIBRARY.so` compares kernels with them (docs/command_line.md#peers).
// Only plain C types cross this interface, so that any compiler may build the library, nvcc included. attune calls a
// peer from one thread at a time.
#pragma once

#include <cstddef>

namespace attune {

// The version of the interface below. attune refuses a library of another version.
inline constexpr int peer_interface = 2;

// One size, type or choice of the problem, as text: {"n", "4096"}, {"T", "float"}, {"OP", "Op::sum"}.
struct PeerValue {
  const char* name;
  const char* text;
};

// One argument of the kernel.
struct PeerArgument {
  const char* name;
  const char* type;          // "float"
  void* data;                // arrays: device memory; scalars, arrays by value: their bytes in host memory
  unsigned long long count;  // elements; 1 for a scalar
};

// What the peer has to compute. The pointers in it are valid only during the call. In `make`, the `data` of arrays in
// device memory is null.
struct PeerCall {
  const PeerValue* values;
  std::size_t value_count;
  const PeerArgument* arguments;  // in the kernel file's order
  std::size_t argument_count;
};

struct Peer {
  const char* kernel;  // the name of the kernel that it is compared with
  const char* name;    // the name in its row of the output, such as "cub"
  // Allocates what later calls need, such as temporary memory, and returns it as a state that is not null. For a
  // problem that the peer cannot compute, it returns null and sets `*why_not` to the reason, a text that stays valid
  // until the next call. The device's context is current, as in `enqueue`.
  void* (*make)(const PeerCall& call, const char** why_not);
  // Enqueues the work on `stream`, a CUstream of the driver (null: the legacy default stream). It must not wait,
  // because the stream may be being captured into a graph. All calls with one state have the same problem, but their
  // arrays may differ. Returns null, or a text that says what failed.
  const char* (*enqueue)(void* state, const PeerCall& call, void* stream);
  // Brings the result into the form of the kernel's result, for example if the library may number labels differently.
  // Like [[verify]] steps, it is not timed. In all else it behaves as `enqueue`. Null: the result needs no change.
  const char* (*finish)(void* state, const PeerCall& call, void* stream);
  // Frees the state. None of its work is in flight, and the device's context is not necessarily current.
  void (*destroy)(void* state);
};

struct PeerTable {
  int interface;  // peer_interface
  std::size_t count;
  const Peer* peers;
};

// Returns all peers of the library. Must not need a device, nor make a context current.
extern "C" const PeerTable* attune_peers();

}  // namespace attune
