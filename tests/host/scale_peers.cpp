// A peer library of the kernel `scale` for the host device: peers that are right, wrong, decline, fail, or whose result
// is brought into the kernel's form.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "attune/peer.hpp"

namespace attune {
namespace {

// A peer has the problem's values when it is made, and arrays when it is called.
struct State {
  unsigned long long n;
};

const char* value_of(const PeerCall& call, const char* name) {
  for (std::size_t i = 0; i < call.value_count; ++i)
    if (std::strcmp(call.values[i].name, name) == 0) return call.values[i].text;
  return "";
}

void* make(const PeerCall& call, const char** why_not) {
  if (std::strcmp(value_of(call, "T"), "float") == 0 && std::strcmp(call.arguments[0].type, "float") == 0 &&
      call.arguments[1].data == nullptr)
    return new State{std::strtoull(value_of(call, "n"), nullptr, 10)};
  *why_not = "it has float alone";
  return nullptr;
}

void destroy(void* state) { delete static_cast<State*>(state); }

template <int factor>
const char* multiply(void* state, const PeerCall& call, void*) {
  const unsigned long long n = static_cast<State*>(state)->n;
  long long passed = 0;
  std::memcpy(&passed, call.arguments[2].data, sizeof passed);
  if (call.arguments[0].count != n || passed != static_cast<long long>(n)) return "the call is of another problem";
  float* const y = static_cast<float*>(call.arguments[0].data);
  const float* const x = static_cast<const float*>(call.arguments[1].data);
  for (unsigned long long i = 0; i < n; ++i) y[i] = factor * x[i];
  return nullptr;
}

const char* fail(void*, const PeerCall&, void*) { return "out of order"; }

// Slowly: times that had it in them would show it.
const char* halve(void*, const PeerCall& call, void*) {
  float* const y = static_cast<float*>(call.arguments[0].data);
  for (unsigned long long i = 0; i < call.arguments[0].count; ++i) y[i] /= 2;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return nullptr;
}

const Peer peers[] = {{"scale", "right", make, multiply<3>, nullptr, destroy},
                      {"scale", "wrong", make, multiply<4>, nullptr, destroy},
                      {"other", "of another", make, multiply<3>, nullptr, destroy},
                      {"scale", "failing", make, fail, nullptr, destroy},
                      {"scale", "finished", make, multiply<6>, halve, destroy},
                      {"scale", "badly finished", make, multiply<6>, fail, destroy}};
const PeerTable table = {peer_interface, sizeof peers / sizeof *peers, peers};

}  // namespace
}  // namespace attune

extern "C" const attune::PeerTable* attune::attune_peers() { return &table; }
