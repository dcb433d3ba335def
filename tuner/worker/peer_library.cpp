#include "worker/peer_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <span>
#include <utility>

#include "attune/error.hpp"
#include "attune/peer.hpp"

namespace attune {
namespace {

using PeerEntry = const PeerTable* (*)();
using PeerFunction = const char* (*)(void* state, const PeerCall& call, void* stream);

std::span<const Peer> peers_of(const std::filesystem::path& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw UsageError(fmt::format("cannot load the peer library {}: {}", library.native(), dlerror()));
  const auto entry = reinterpret_cast<PeerEntry>(dlsym(handle, "attune_peers"));
  if (entry == nullptr)
    throw UsageError(
        fmt::format("{} is no peer library: it exports no attune_peers() (see attune/peer.hpp)", library.native()));
  const PeerTable* const table = entry();
  if (table == nullptr) throw UsageError(fmt::format("{} is no peer library: it has no table", library.native()));
  if (table->interface != peer_interface)
    throw UsageError(fmt::format("the peer library {} has interface {}, and this attune has {}: build it again",
                                 library.native(), table->interface, peer_interface));
  return {table->peers, table->count};
}

const Peer& find_peer(const PeerSetup& setup) {
  for (const Peer& peer : peers_of(setup.library))
    if (peer.kernel == setup.kernel && peer.name == setup.name) return peer;
  throw UsageError(fmt::format("{} has no peer `{}` of {}", setup.library, setup.name, setup.kernel));
}

// A peer, made for one problem at its first run.
class MadePeer {
 public:
  MadePeer(const Peer& peer, const PeerSetup& setup, const std::vector<ArgumentSetup>& arguments)
      : peer_(peer), setup_(setup), described_(arguments) {
    for (const NamedText& value : setup_.values) values_.push_back({value.name.c_str(), value.text.c_str()});
    for (const ArgumentSetup& argument : described_)
      arguments_.push_back(
          {argument.name.c_str(), argument.type.c_str(), nullptr, argument.role == Role::scalar ? 1 : argument.count});
  }
  MadePeer(const MadePeer&) = delete;
  MadePeer& operator=(const MadePeer&) = delete;
  ~MadePeer() {
    if (state_ != nullptr) peer_.destroy(state_);
  }

  // `function`: Peer::enqueue or Peer::finish.
  Status run(PeerFunction function, void* const* parameters, StreamHandle stream) {
    if (Status status = make(parameters); !status.ok()) return status;
    set_data(parameters, true);
    const char* const failure = function(state_, call(), stream);
    if (failure == nullptr) return {};
    return {Verdict::launch_error, fmt::format("{}: {}", peer_.name, failure), false};
  }

 private:
  PeerCall call() const { return {values_.data(), values_.size(), arguments_.data(), arguments_.size()}; }

  void set_data(void* const* parameters, bool arrays) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (described_[i].role == Role::scalar || described_[i].by_value)
        arguments_[i].data = parameters[i];
      else if (arrays && is_array(described_[i].role))
        std::memcpy(&arguments_[i].data, parameters[i], sizeof(void*));
    }
  }

  Status make(void* const* parameters) {
    if (state_ != nullptr) return {};
    set_data(parameters, false);
    const char* why_not = nullptr;
    state_ = peer_.make(call(), &why_not);
    if (state_ != nullptr) return {};
    return {Verdict::restricted, fmt::format("{}: {}", peer_.name, why_not != nullptr ? why_not : "no reason given"),
            false};
  }

  const Peer& peer_;
  const PeerSetup setup_;
  const std::vector<ArgumentSetup> described_;
  std::vector<PeerValue> values_;
  std::vector<PeerArgument> arguments_;
  void* state_ = nullptr;
};

class PeerRoutine final : public Routine {
 public:
  PeerRoutine(std::shared_ptr<MadePeer> made, PeerFunction function) : made_(std::move(made)), function_(function) {}
  Status enqueue(void* const* parameters, StreamHandle stream) override {
    return made_->run(function_, parameters, stream);
  }

 private:
  const std::shared_ptr<MadePeer> made_;
  const PeerFunction function_;
};

}  // namespace

std::vector<std::string> peer_names(const std::filesystem::path& library, std::string_view kernel) {
  std::vector<std::string> names;
  for (const Peer& peer : peers_of(library))
    if (peer.kernel == kernel) names.emplace_back(peer.name);
  return names;
}

PeerRoutines make_peer_routines(const PeerSetup& setup, const std::vector<ArgumentSetup>& arguments) {
  const Peer& peer = find_peer(setup);
  const auto made = std::make_shared<MadePeer>(peer, setup, arguments);
  PeerRoutines routines{std::make_shared<PeerRoutine>(made, peer.enqueue), nullptr};
  if (peer.finish != nullptr) routines.finish = std::make_shared<PeerRoutine>(made, peer.finish);
  return routines;
}

}  // namespace attune
