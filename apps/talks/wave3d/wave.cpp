#include "wave3d/wave.hpp"

#include <cstdlib>
#include <string_view>

#include "attune/error.hpp"
#include "attune_embedded/begin.hpp"
#include "attune_embedded/store.hpp"
#include "attune_embedded/sums.hpp"
#include "attune_embedded/wave3d.hpp"
#include "command.hpp"

namespace wave3d {

using attune::Configuration;

bool is_on_host() {
  const char* const device = std::getenv("ATTUNE_DEVICE");
  return device != nullptr && std::string_view(device) == "host";
}

std::vector<attune::Dispatcher*> gpus(std::int64_t count) {
  static std::vector<std::unique_ptr<attune::Dispatcher>> opened;
  std::vector<attune::Dispatcher*> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (i == opened.size()) {
      attune::DispatcherOptions options;
      options.device = is_on_host() ? "host" : "cuda:" + std::to_string(i);
      auto gpu = std::make_unique<attune::Dispatcher>(options);
      gpu->add(attune_embedded::wave3d);
      gpu->add(attune_embedded::store);
      gpu->add(attune_embedded::begin);
      gpu->add(attune_embedded::sums);
      opened.push_back(std::move(gpu));
    }
    all.push_back(opened[i].get());
  }
  return all;
}

bool allow_neighbours(const Shape& shape) {
  const std::vector<attune::Dispatcher*> all = gpus(shape.gpus);
  bool are_peers = true;
  for (std::size_t i = shape.ring ? 0 : 1; all.size() > 1 && i < all.size(); ++i)
    are_peers = attune::allow_peers(*all[(i > 0 ? i : all.size()) - 1], *all[i]) && are_peers;
  return are_peers;
}

// What one GPU has. Streams: `inner` orders its steps; borders and what is sent to each side run beside.
struct Wave::Slab {
  Slab(attune::Dispatcher& of, std::size_t place, const Shape& shape)
      : gpu(of),
        index(place),
        fields{attune::Buffer<float>(of, size(shape)), attune::Buffer<float>(of, size(shape))},
        v2(of, size(shape)),
        flags(of, static_cast<std::size_t>(most_tiles(shape) * 2)),
        inner(of),
        border(of),
        sides{attune::Stream(of), attune::Stream(of)},
        ready(of),
        done{attune::Event(of), attune::Event(of), attune::Event(of), attune::Event(of)},
        sent{attune::Event(of), attune::Event(of), attune::Event(of), attune::Event(of)},
        joined(of) {}
  static std::size_t size(const Shape& shape) { return static_cast<std::size_t>(shape.area() * shape.depth()); }
  // Of the smallest tiles that the kernel has. Its launch refuses fewer flags than the kernel's file says.
  static std::int64_t most_tiles(const Shape& shape) { return (shape.nx + 31) / 32 * ((shape.ny + 7) / 8); }
  attune::Stream* streams(int i) { return i < 2 ? &sides[static_cast<std::size_t>(i)] : i == 2 ? &border : &inner; }

  attune::Dispatcher& gpu;
  std::size_t index;
  std::array<attune::Buffer<float>, 2> fields;
  attune::Buffer<float> v2;
  attune::Buffer<std::int64_t> flags;  // by side and tile: the last step whose planes a neighbour has stored here
  attune::Stream inner, border;
  std::array<attune::Stream, 2> sides;
  attune::Event ready;                // all steps but a block's last are done
  std::array<attune::Event, 4> done;  // by part, of this step and the one before: the border is the part 0
  std::array<attune::Event, 4> sent;  // by part and side
  attune::Event joined;
  std::vector<Step> wide;  // the steps of a block before its last, which compute ghosts too
  std::optional<Step> border_step, inner_step;
  std::vector<Step> parts;            // by rows
  std::optional<attune::Plan> whole;  // that stores to the neighbours
};

Wave::Wave(const Shape& shape) : shape_(shape), are_peers_(allow_neighbours(shape)) {
  for (attune::Dispatcher* const gpu : gpus(shape.gpus))
    slabs_.push_back(std::make_unique<Slab>(*gpu, slabs_.size(), shape));
}

Wave::~Wave() = default;

Wave::Slab* Wave::neighbour(const Slab& slab, int side) {
  const std::size_t count = slabs_.size(), other = slab.index + (side == 0 ? count - 1 : 1);
  const bool is_beyond = side == 0 ? slab.index == 0 : slab.index + 1 == count;
  return is_beyond && !shape_.ring ? nullptr : slabs_[other % count].get();
}

Wave::Step Wave::step(Slab& slab, Range range) {
  if (range.rows == 0) range.rows = shape_.ny;
  const attune::Problem problem{{"nx", shape_.nx},      {"ny", shape_.ny},      {"nz", shape_.depth()},
                                {"first", range.first}, {"count", range.count}, {"ranges", range.ranges},
                                {"apart", range.apart}, {"row", range.row},     {"rows", range.rows}};
  return {slab.gpu.plan("wave3d", problem, of_kernel()), range};
}

Configuration Wave::of_kernel() const {
  return talks::part_of(configuration_, {"BLOCK_X", "BLOCK_Y", "VECTOR", "ITEMS", "AHEAD", "CACHE", "ZCHUNK"});
}

// Before the last step of a block, the planes that it still needs are computed where the neighbour computes them too.
void Wave::make_steps(Slab& slab) {
  const bool below = neighbour(slab, 0) != nullptr, above = neighbour(slab, 1) != nullptr;
  const std::int64_t sides = below + above, planes = shape_.planes, edge = radius * depth_;
  slab.wide.clear();
  slab.parts.clear();
  slab.border_step.reset();
  slab.inner_step.reset();
  slab.whole.reset();
  if (exchange_ == "store") {
    const attune::Problem problem{{"nx", shape_.nx}, {"ny", shape_.ny}, {"planes", planes}, {"ghosts", ghosts}};
    slab.whole = slab.gpu.plan("wave3d_store", problem, of_kernel());
    slab.flags.copy_from(std::vector<std::int64_t>(slab.flags.size(), 0), slab.inner);
    return;
  }
  if (split_ > 0) {
    slab.parts.push_back(step(slab, {ghosts, planes, 1, 0, 0, split_}));
    slab.parts.push_back(step(slab, {ghosts, planes, 1, 0, split_, shape_.ny - split_}));
    return;
  }
  for (std::int64_t k = 1; k < depth_; ++k) {
    const std::int64_t more = radius * (depth_ - k);
    slab.wide.push_back(step(slab, {ghosts - (below ? more : 0), planes + sides * more}));
  }
  if (sides > 0 && planes <= sides * edge)
    slab.border_step = step(slab, {ghosts, planes});
  else if (sides == 2)
    slab.border_step = step(slab, {ghosts, edge, 2, planes - edge});
  else if (sides == 1)
    slab.border_step = step(slab, {below ? ghosts : ghosts + planes - edge, edge});
  if (sides == 0 || planes > sides * edge)
    slab.inner_step = step(slab, {ghosts + (below ? edge : 0), planes - sides * edge});
}

void Wave::open_nccl() {
  if (nccl_ || slabs_.size() < 2 || !Nccl::is_there() || is_on_host()) return;
  nccl_ = std::make_unique<Nccl>(slabs_.size());
}

void Wave::use(const Configuration& configuration) {
  wait();
  graph_.reset();
  configuration_ = configuration;
  exchange_ = configuration.at("EXCHANGE").name();
  if (exchange_ == "store" && !are_peers_) throw attune::UsageError("EXCHANGE=store needs GPUs that reach each other");
  step_ = 0;
  depth_ = static_cast<int>(configuration.at("DEPTH").integer());
  const std::int64_t height = configuration.at("BLOCK_Y").integer() * configuration.at("ITEMS").integer();
  split_ = configuration.at("CUT").name() == "rows" ? (shape_.ny / 2 + height - 1) / height * height : 0;
  if (split_ >= shape_.ny) throw attune::UsageError("CUT=rows needs more rows than two blocks have");
  const auto priority =
      configuration.at("PRIORITY").name() == "high" ? attune::Priority::high : attune::Priority::normal;
  for (const auto& slab : slabs_) {
    slab->border = attune::make_stream(slab->gpu, priority);
    for (attune::Stream& side : slab->sides) side = attune::make_stream(slab->gpu, priority);
    make_steps(*slab);
  }
  if (exchange_ == "nccl") open_nccl();
  if (exchange_ == "nccl" && !nccl_) throw attune::UsageError("NCCL needs two GPUs at least, and libnccl.so.2");
  if (configuration.at("GRAPH").boolean()) graph_.emplace(slabs_[0]->gpu, slabs_[0]->inner, [this] { enqueue_run(); });
}

void Wave::begin() {
  wait();
  const std::int64_t area = shape_.area();
  for (const auto& slab : slabs_) {
    const attune::Plan plan = slab->gpu.plan("wave3d_begin", {{"area", area}, {"nz", shape_.depth()}});
    const std::int64_t before = static_cast<std::int64_t>(slab->index) * shape_.planes - ghosts;
    plan.launch(slab->inner, slab->fields[0], slab->fields[1], slab->v2, area, shape_.depth(), before,
                shape_.planes * shape_.gpus, shape_.ring);
    slab->inner.synchronize();
  }
  now_ = 0;
}

void Wave::launch(Slab& slab, const Step& step, int now, attune::StreamHandle stream) {
  const auto here = static_cast<std::size_t>(now);
  attune::Buffer<float>&u = slab.fields[here], &other = slab.fields[1 - here];
  const Range& range = step.range;
  step.plan.launch(stream, other, u, other, slab.v2, shape_.nx, shape_.ny, shape_.depth(), range.first, range.count,
                   range.apart, range.row, range.rows);
}

// One launch for all planes. It waits for the neighbours' ones of the step before, and no event ties GPUs together.
void Wave::launch_whole(Slab& slab) {
  const auto here = static_cast<std::size_t>(now_);
  Slab* const below = neighbour(slab, 0);
  Slab* const above = neighbour(slab, 1);
  Slab &lower = below != nullptr ? *below : slab, &upper = above != nullptr ? *above : slab;
  attune::Buffer<float>&u = slab.fields[here], &other = slab.fields[1 - here];
  const int sides = (below != nullptr ? 1 : 0) + (above != nullptr ? 2 : 0);
  slab.whole->launch(slab.inner, other, u, other, slab.v2, lower.fields[1 - here], upper.fields[1 - here], shape_.nx,
                     shape_.ny, shape_.planes, ghosts, slab.flags, lower.flags, upper.flags, sides, step_);
}

void Wave::run() { graph_ ? graph_->launch(slabs_[0]->inner) : enqueue_run(); }

// All streams begin after the first slab's `inner`, and that waits for all in the end, but where flags order all.
void Wave::enqueue_run() {
  for (int done = 0; exchange_ == "store" && done < run_steps; ++done) {
    ++step_;
    for (const auto& slab : slabs_) launch_whole(*slab);
    now_ = 1 - now_;
  }
  if (exchange_ == "store") return;
  Slab& first = *slabs_[0];
  if (!is_alone()) first.joined.record(first.inner);
  for (const auto& slab : slabs_)
    for (int i = 0; i < 4 && !is_alone(); ++i) first.joined.hold(*slab->streams(i));
  for (int done = 0; done < run_steps; done += depth_) {
    for (const auto& slab : slabs_) split_ > 0 ? advance_by_rows(*slab, done == 0) : advance(*slab, done == 0);
    if (exchange_ == "nccl")
      exchange_by_nccl();
    else
      for (const auto& slab : slabs_) exchange(*slab);
    now_ = (now_ + depth_) % 2;
  }
  for (const auto& slab : slabs_)
    for (int i = 0; i < 4 && !is_alone(); ++i) {
      slab->joined.record(*slab->streams(i));
      slab->joined.hold(first.inner);
    }
}

// Planes of both neighbours have come, and its own have gone.
void Wave::hold_exchange(Slab& slab, std::size_t part, attune::StreamHandle stream) {
  for (std::size_t side = 0; side < 2; ++side) {
    Slab* const other = neighbour(slab, static_cast<int>(side));
    if (other == nullptr) continue;
    other->sent[2 * part + 1 - side].hold(stream);
    slab.sent[2 * part + side].hold(stream);
  }
}

// Enqueues the steps of a block: between them nothing is exchanged.
void Wave::advance(Slab& slab, bool is_first) {
  const bool is_deep = depth_ > 1;
  int now = now_;
  if (!slab.border_step) {  // alone
    for (int i = 0; i < depth_; ++i, now = 1 - now)
      launch(slab, i + 1 < depth_ ? slab.wide[static_cast<std::size_t>(i)] : *slab.inner_step, now, slab.inner);
    return;
  }
  if (!is_first) slab.done[0].hold(slab.inner);
  if (!is_first && is_deep) hold_exchange(slab, 0, slab.inner);
  for (const Step& step : slab.wide) {
    launch(slab, step, now, slab.inner);
    now = 1 - now;
  }
  slab.ready.record(slab.inner);
  slab.ready.hold(slab.border);
  if (!is_first && !is_deep) hold_exchange(slab, 0, slab.border);
  launch(slab, *slab.border_step, now, slab.border);
  slab.done[0].record(slab.border);
  if (slab.inner_step) launch(slab, *slab.inner_step, now, slab.inner);
}

// Rows are cut in two parts, and one part's planes are sent while the other one is computed. No point of a part needs a
// ghost of the other one's rows, because a star has no diagonals.
void Wave::advance_by_rows(Slab& slab, bool is_first) {
  const auto now = static_cast<std::size_t>(now_);
  const bool is_ahead = configuration_.at("PRIORITY").name() == "high";  // else the parts follow each other
  for (std::size_t part = 0; part < 2; ++part) {
    const attune::Stream& stream = is_ahead && part == 0 ? slab.border : slab.inner;
    if (!is_first) {
      slab.done[2 * (1 - now) + 1 - part].hold(stream);  // of the step before
      hold_exchange(slab, part, stream);
    }
    launch(slab, slab.parts[part], now_, stream);
    slab.done[2 * now + part].record(stream);
  }
}

// Sends planes `from` to `to` of a field, counted from the side's end of the slab inwards, to the neighbour's ghosts:
// of parts by rows their rows.
void Wave::send(Slab& slab, int side, int field, std::int64_t from, std::int64_t to, std::size_t part) {
  const std::int64_t end = ghosts + shape_.planes, area = shape_.area();
  const std::int64_t source = side == 0 ? ghosts + from : end - to, target = side == 0 ? end + from : ghosts - to;
  const auto of = static_cast<std::size_t>(field);
  const float* const planes = slab.fields[of].data() + source * area;
  float* const place = neighbour(slab, side)->fields[of].data() + target * area;
  if (split_ == 0) return move(slab, side, (to - from) * area, place, planes);
  const std::int64_t row = part == 0 ? 0 : split_, rows = part == 0 ? split_ : shape_.ny - split_;
  for (std::int64_t z = 0; z < to - from; ++z) {
    const std::int64_t first = z * area + row * shape_.nx;
    move(slab, side, rows * shape_.nx, place + first, planes + first);
  }
}

void Wave::move(Slab& slab, int side, std::int64_t count, float* place, const float* planes) {
  const attune::Stream& stream = slab.sides[static_cast<std::size_t>(side)];
  const auto size = static_cast<std::size_t>(count);
  if (exchange_ == "nccl") {
    Slab& other = *neighbour(slab, side);
    nccl_->send(slab.index, planes, size, other.index, slab.sides[0]);
    nccl_->receive(other.index, place, size, slab.index, other.sides[0]);
  } else {
    attune::copy(slab.gpu, place, planes, 4 * size, stream);
  }
}

// The neighbour computes four ghosts of the step before the last by itself, and needs more of them from depth 3 on.
void Wave::exchange(Slab& slab) {
  const int last = (now_ + depth_) % 2;
  const std::size_t parts = split_ > 0 ? 2 : 1, done = split_ > 0 ? 2 * static_cast<std::size_t>(now_) : 0;
  for (int side = 0; side < 2; ++side) {
    Slab* const other = neighbour(slab, side);
    if (other == nullptr) continue;
    const attune::Stream& stream = slab.sides[static_cast<std::size_t>(side)];
    if (depth_ > 1) other->ready.hold(stream);  // its steps have read the ghosts that come
    if (depth_ > 2) {
      slab.ready.hold(stream);
      send(slab, side, 1 - last, radius, radius * (depth_ - 1));
    }
    for (std::size_t part = 0; part < parts; ++part) {
      slab.done[done + part].hold(stream);
      send(slab, side, last, 0, radius * depth_, part);
      slab.sent[2 * part + static_cast<std::size_t>(side)].record(stream);
    }
  }
}

void Wave::exchange_by_nccl() {
  const int last = (now_ + depth_) % 2;
  const std::size_t parts = split_ > 0 ? 2 : 1, done = split_ > 0 ? 2 * static_cast<std::size_t>(now_) : 0;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const auto& slab : slabs_) slab->done[done + part].hold(slab->sides[0]);
    nccl_->together([&] {
      for (const auto& slab : slabs_)
        for (int side = 0; side < 2; ++side) {
          if (neighbour(*slab, side) == nullptr) continue;
          if (depth_ > 2) send(*slab, side, 1 - last, radius, radius * (depth_ - 1));
          send(*slab, side, last, 0, radius * depth_, part);
        }
    });
    for (const auto& slab : slabs_)
      for (std::size_t side = 0; side < 2; ++side) slab->sent[2 * part + side].record(slab->sides[0]);
  }
}

void Wave::wait() {
  for (const auto& slab : slabs_) slab->inner.synchronize();
}

std::vector<std::uint64_t> Wave::sums() {
  std::vector<std::uint64_t> all;
  for (const auto& slab : slabs_) {
    const attune::Plan plan = slab->gpu.plan("wave3d_sums", {{"area", shape_.area()}, {"nz", shape_.planes}});
    const attune::Buffer<std::uint64_t> sums(slab->gpu, static_cast<std::size_t>(shape_.planes));
    const float* const u = slab->fields[static_cast<std::size_t>(now_)].data() + ghosts * shape_.area();
    plan.launch(slab->inner, sums, u, shape_.area());
    for (const std::uint64_t sum : sums.to_vector(slab->inner)) all.push_back(sum);
  }
  return all;
}

double Wave::copy_ms() {
  if (slabs_.size() == 1) return 0;
  double best = 1e300;
  const attune::Stream& stream = slabs_[0]->sides[1];
  attune::Event begin(slabs_[0]->gpu), end(slabs_[0]->gpu);
  for (int i = 0; i < 6; ++i) {
    begin.record(stream);
    attune::copy(slabs_[0]->gpu, slabs_[1]->fields[0].data(), slabs_[0]->fields[0].data(),
                 static_cast<std::size_t>(4 * radius * shape_.area()), stream);
    end.record(stream);
    end.synchronize();
    best = std::min(best, end.since(begin).count());
  }
  return best;
}

}  // namespace wave3d
