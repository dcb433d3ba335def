// The peers of each file; table.cpp lists them.
#pragma once

#include <vector>

#include "attune/peer.hpp"

namespace attune::peers {

std::vector<Peer> cub_reduce();
std::vector<Peer> cub_scan();
std::vector<Peer> cub_histogram();
std::vector<Peer> cub_transform();
std::vector<Peer> cublas();
std::vector<Peer> cublas_gemm();
std::vector<Peer> cusparse();
std::vector<Peer> npp();

}  // namespace attune::peers
