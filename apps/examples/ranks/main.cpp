// Ranks that agree: all launch the same configuration from the same compiled code. Rank 0 reads the wisdom and
// compiles; every rank uses its bundle. ATTUNE_DEVICE=host mpirun -n 2 ranks runs it without a GPU.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune_embedded/smooth.hpp"

static const std::size_t n = 1 << 20;
static const std::vector<attune::Problem> problems{{{"n", n}, {"T", "float"}}};

// Reads the database of this rank and compiles what is missing.
static std::vector<std::byte> make_bundle() {
  attune::Dispatcher gpu;
  gpu.add(attune_embedded::smooth);
  gpu.prepare("smooth", problems);
  return gpu.bundle();
}

static std::vector<std::byte> from_rank_0(std::vector<std::byte> bytes) {
  auto size = static_cast<std::uint64_t>(bytes.size());
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  bytes.resize(size);
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  return bytes;
}

static bool all_have(const std::string& hash, int ranks) {
  std::string all(hash.size() * static_cast<std::size_t>(ranks), ' ');
  const int digits = static_cast<int>(hash.size());
  MPI_Allgather(hash.data(), digits, MPI_CHAR, all.data(), digits, MPI_CHAR, MPI_COMM_WORLD);
  for (std::size_t place = 0; place < all.size(); place += hash.size())
    if (all.compare(place, hash.size(), hash) != 0) return false;
  return true;
}

static bool smooths(attune::Dispatcher& gpu, const attune::Plan& plan) {
  std::vector<float> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<float>(i * i % 1000);
  const attune::Buffer<float> in(gpu, host), out(gpu, n);
  plan.launch(nullptr, out, in, n);
  gpu.synchronize();
  const std::vector<float> result = out.to_vector();
  for (std::size_t i = 0; i < n; ++i)
    if (result[i] != (host[i > 0 ? i - 1 : i] + 2 * host[i] + host[std::min(i + 1, n - 1)]) / 4) return false;
  return true;
}

static bool run(int rank, int ranks) {
  const attune::Bundle bundle =
      attune::Bundle::owning(from_rank_0(rank == 0 ? make_bundle() : std::vector<std::byte>{}), "the bundle of rank 0");
  attune::Dispatcher gpu(bundle);  // of no database. Several GPUs per node: name this rank's in DispatcherOptions
  const attune::Plan plan = gpu.plan("smooth", problems[0]);
  const bool agree = all_have(bundle.hash(), ranks);
  const bool correct = smooths(gpu, plan);
  std::printf("rank %d: %s (%s), bundle %.8s: %s, %s\n", rank, plan.configuration().text().c_str(),
              std::string(to_text(plan.match().rung)).c_str(), bundle.hash().c_str(),
              agree ? "all have it" : "OTHERS HAVE ANOTHER", correct ? "correct" : "WRONG");
  const int good = agree && correct;
  int all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all_good != 0;
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool good = false;
  try {
    good = run(rank, ranks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranks: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // others may wait for this one
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
