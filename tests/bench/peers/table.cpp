// The table of peers: a new file is one line in `all` and one in table.hpp.
#include "table.hpp"

namespace attune::peers {
namespace {

constexpr std::vector<Peer> (*all[])() = {cub_reduce, cub_scan,    cub_histogram, cub_transform,
                                          cublas,     cublas_gemm, cusparse,      npp};

std::vector<Peer> make() {
  std::vector<Peer> made;
  for (const auto of_file : all)
    for (const Peer& peer : of_file()) made.push_back(peer);
  return made;
}

}  // namespace
}  // namespace attune::peers

extern "C" const attune::PeerTable* attune::attune_peers() {
  static const std::vector<Peer> made = peers::make();
  static const PeerTable table{peer_interface, made.size(), made.data()};
  return &table;
}
