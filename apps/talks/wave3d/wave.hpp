// The wave equation on a grid that is cut along z: each GPU has a slab of planes, with planes of its neighbours
// (ghosts) at both ends. Borders are computed first, so that they travel while the rest is computed; or each block
// stores its part of them in the neighbour's memory. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attune/pipeline.hpp"
#include "wave3d/nccl.hpp"

namespace wave3d {

constexpr std::int64_t radius = 4;   // planes on either side that a point needs
constexpr std::int64_t deepest = 4;  // steps between two exchanges, at most
constexpr std::int64_t ghosts = radius * deepest;
constexpr int run_steps = 16;  // of Wave::run(); a multiple of 2 * deepest, so that the fields' roles return

struct Shape {
  std::int64_t nx, ny, planes, gpus;  // `planes`: of each GPU
  bool ring = false;                  // the last plane of the grid is the first one's neighbour; else zeros lie beyond
  std::int64_t area() const { return nx * ny; }
  std::int64_t depth() const { return planes + 2 * ghosts; }  // planes of a slab
};

bool is_on_host();  // ATTUNE_DEVICE=host

// Returns dispatchers of the first `count` GPUs, with the programs' kernels; opened once. ATTUNE_DEVICE=host: of the
// host. Throws attune::Error where there are fewer.
std::vector<attune::Dispatcher*> gpus(std::int64_t count);

// Lets neighbours reach each other's memory, and returns whether all can. Throws attune::Error.
bool allow_neighbours(const Shape& shape);

class Wave {
 public:
  explicit Wave(const Shape& shape);  // throws OutOfMemory, Error
  ~Wave();
  void open_nccl();  // where it is there: it takes seconds, which use() would need otherwise
  // Makes plans and streams of this configuration. Throws what Dispatcher::plan() throws.
  void use(const attune::Configuration& configuration);
  void begin();                       // sets the fields of the first step
  void run();                         // enqueues run_steps steps
  void wait();                        // for all that was enqueued
  std::vector<std::uint64_t> sums();  // a number for each plane of the whole grid, which tells its bits
  double copy_ms();                   // milliseconds of one exchange by itself
  const Shape& shape() const noexcept { return shape_; }

 private:
  // Some planes: `count` from `first` on, and as many again `apart` planes later, where there are two ranges. Of each,
  // some rows; 0: all.
  struct Range {
    std::int64_t first, count, ranges = 1, apart = 0, row = 0, rows = 0;
  };
  struct Step {
    attune::Plan plan;
    Range range;
  };
  struct Slab;

  Slab* neighbour(const Slab& slab, int side);  // 0: below, 1: above; null: none
  Step step(Slab& slab, Range range);
  attune::Configuration of_kernel() const;
  void make_steps(Slab& slab);
  void launch(Slab& slab, const Step& step, int now, attune::StreamHandle stream);
  void launch_whole(Slab& slab);
  void enqueue_run();
  void advance(Slab& slab, bool is_first);
  void advance_by_rows(Slab& slab, bool is_first);
  void hold_exchange(Slab& slab, std::size_t part, attune::StreamHandle stream);
  void exchange(Slab& slab);
  void exchange_by_nccl();
  void send(Slab& slab, int side, int field, std::int64_t from, std::int64_t to, std::size_t part = 0);
  void move(Slab& slab, int side, std::int64_t count, float* place, const float* planes);
  bool is_alone() const { return shape_.gpus == 1 && !shape_.ring; }

  const Shape shape_;
  const bool are_peers_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  attune::Configuration configuration_;
  std::string exchange_;
  std::int64_t step_ = 0;  // since use(), of EXCHANGE=store
  int depth_ = 1;
  std::int64_t split_ = 0;  // rows of the first of two parts; 0: there is one part, the borders
  int now_ = 0;             // the field that holds the present step; the other one holds the step before
  std::unique_ptr<Nccl> nccl_;
  std::optional<attune::Graph> graph_;
};

}  // namespace wave3d
