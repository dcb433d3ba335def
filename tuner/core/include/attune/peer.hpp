// A peer library: rivals of kernels, such as the routines of a vendor, for `attune bench --peers LIBRARY.so`. It is a
// shared library that exports attune_peers(); docs/command_line.md#peers says how it is used. Plain C types alone cross
// the border, so any compiler may build it, nvcc too. One thread at a time calls a peer.
#pragma once

#include <cstddef>

namespace attune {

// The interface below. A library of another version is refused.
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
  void* data;                // an array: device memory. A scalar, an array by value: its bytes, in host memory
  unsigned long long count;  // elements; 1 of a scalar
};

// What is to be computed. The pointers in it are valid during the call. In `make`, arrays have no data.
struct PeerCall {
  const PeerValue* values;
  std::size_t value_count;
  const PeerArgument* arguments;  // in the kernel file's order
  std::size_t argument_count;
};

struct Peer {
  const char* kernel;  // the name of the kernel that it rivals
  const char* name;    // of its row, such as "cub"
  // Allocates what calls need, such as temporary memory. Returns a state, not null. For a problem that it cannot do it
  // returns null, and `why_not` points to the reason, which stays valid until the next call. The device's context is
  // current, here and in `enqueue`.
  void* (*make)(const PeerCall& call, const char** why_not);
  // Enqueues the work on a stream, a CUstream of the driver (null: the legacy default stream), and waits for nothing:
  // the stream may be recorded to a graph. Every call of one state has the same problem; its arrays may be others.
  // Returns null, or what failed.
  const char* (*enqueue)(void* state, const PeerCall& call, void* stream);
  // Brings the result into the form of the kernel's, as `enqueue` otherwise. It is not timed, as [[verify]] steps are
  // not. For a library whose labels, say, are others by contract. Null: the result is in that form.
  const char* (*finish)(void* state, const PeerCall& call, void* stream);
  // Frees the state. Nothing of it is under way, and the device's context may not be current.
  void (*destroy)(void* state);
};

struct PeerTable {
  int interface;  // peer_interface
  std::size_t count;
  const Peer* peers;
};

// Returns all peers of the library. It needs no device, and makes none current.
extern "C" const PeerTable* attune_peers();

}  // namespace attune
