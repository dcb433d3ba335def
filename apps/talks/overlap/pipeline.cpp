#include "overlap/pipeline.hpp"

#include <algorithm>
#include <cmath>

#include "attune_embedded/overlap.hpp"
#include "command.hpp"

namespace overlap {
namespace {

using attune::Configuration;

float value_at(std::int64_t i) { return static_cast<float>(i % 8191) * 0.125f; }

attune::HostMemoryKind kind_of(const std::string& memory) {
  if (memory == "pageable") return attune::HostMemoryKind::pageable;
  if (memory == "write_combined") return attune::HostMemoryKind::write_combined;
  return memory == "mapped" ? attune::HostMemoryKind::mapped : attune::HostMemoryKind::pinned;
}

Milliseconds since(std::chrono::steady_clock::time_point begin) { return std::chrono::steady_clock::now() - begin; }

}  // namespace

Pipeline::Pipeline(const attune::Problem& problem)
    : n_(problem.at("n").integer()), turns_(problem.at("turns").integer()) {
  gpu_.add(attune_embedded::overlap);
}

Pipeline::Host& Pipeline::host(const std::string& memory) {
  const auto known = hosts_.find(memory);
  if (known != hosts_.end()) return known->second;
  // The CPU reads what comes back.
  const auto back = memory == "write_combined" ? attune::HostMemoryKind::pinned : kind_of(memory);
  const auto size = static_cast<std::size_t>(n_);
  Host made{{gpu_, size, kind_of(memory)}, {gpu_, size, back}};
  for (std::int64_t i = 0; i < n_; ++i) made.in.data()[i] = value_at(i);
  std::fill_n(made.out.data(), size, -1.0f);
  return hosts_.emplace(memory, std::move(made)).first->second;
}

void Pipeline::allocate() {
  for (const char* const memory : {"pinned", "write_combined", "mapped", "pageable"}) host(memory);
}

void Pipeline::prepare(const Configuration& configuration) {
  configuration_ = {};
  graph_.reset();
  lanes_.clear();
  host_ = &host(configuration.at("MEMORY").name());
  chunk_ = std::min(configuration.at("CHUNK").integer(), n_);
  is_mapped_ = configuration.at("MEMORY").name() == "mapped";
  is_breadth_first_ = configuration.at("ORDER").name() == "breadth";
  shift_ += 1;  // so that check() knows this result
  const Configuration of_kernel = talks::part_of(configuration, {"BLOCK", "VECTOR", "ITEMS"});
  plan_ = gpu_.plan("overlap", {{"n", chunk_}, {"turns", turns_}}, of_kernel);
  last_plan_ = gpu_.plan("overlap", {{"n", size(chunks() - 1)}, {"turns", turns_}}, of_kernel);
  const auto memory = static_cast<std::size_t>(is_mapped_ ? 1 : chunk_);
  for (std::int64_t i = 0; i < std::min(configuration.at("STREAMS").integer(), chunks()); ++i)
    lanes_.push_back({attune::Stream(gpu_), {gpu_, memory}, {gpu_, memory}, attune::Event(gpu_)});
  begin_.emplace(gpu_);
  if (configuration.at("GRAPH").boolean()) graph_.emplace(gpu_, lanes_.front().stream, [this] { enqueue(); });
  configuration_ = configuration;
}

void Pipeline::to_device(std::int64_t chunk) const {
  if (is_mapped_) return;
  const Lane& on = lane(chunk);
  attune::copy(gpu_, on.in.data(), host_->in.data() + chunk * chunk_, 4 * static_cast<std::size_t>(size(chunk)),
               on.stream);
}

void Pipeline::compute(std::int64_t chunk) const {
  const Lane& on = lane(chunk);
  const std::int64_t first = chunk * chunk_;
  const attune::Plan& plan = chunk + 1 < chunks() ? *plan_ : *last_plan_;
  float* const out = is_mapped_ ? host_->out.data() + first : on.out.data();
  plan.launch(on.stream, out, is_mapped_ ? host_->in.data() + first : on.in.data(), size(chunk), turns_, shift_);
}

void Pipeline::to_host(std::int64_t chunk) const {
  if (is_mapped_) return;
  const Lane& on = lane(chunk);
  attune::copy(gpu_, host_->out.data() + chunk * chunk_, on.out.data(), 4 * static_cast<std::size_t>(size(chunk)),
               on.stream);
}

// A chunk of a lane waits for the lane's one before, which has the same memory on the device.
void Pipeline::enqueue() {
  const attune::Stream& first = lanes_.front().stream;
  begin_->record(first);
  for (Lane& lane : lanes_) begin_->hold(lane.stream);
  const auto width = is_breadth_first_ ? static_cast<std::int64_t>(lanes_.size()) : 1;
  for (std::int64_t from = 0; from < chunks(); from += width) {
    const std::int64_t to = std::min(from + width, chunks());
    for (std::int64_t i = from; i < to; ++i) to_device(i);
    for (std::int64_t i = from; i < to; ++i) compute(i);
    for (std::int64_t i = from; i < to; ++i) to_host(i);
  }
  for (Lane& lane : lanes_) {
    lane.done.record(lane.stream);
    lane.done.hold(first);
  }
}

Milliseconds Pipeline::run(const Configuration& configuration) {
  if (configuration != configuration_) {
    prepare(configuration);
    run(configuration);
  }
  const attune::Stream& first = lanes_.front().stream;
  const auto begin = std::chrono::steady_clock::now();
  graph_ ? graph_->launch(first) : enqueue();
  first.synchronize();
  return since(begin);
}

std::string Pipeline::check() const {
  const std::int64_t step = std::max<std::int64_t>(1, n_ / 16384 - 1);
  for (std::int64_t k = 0; k < n_ + step; k += step) {
    const std::int64_t i = std::min(k, n_ - 1);
    float expected = value_at(i);
    for (std::int64_t turn = 0; turn < turns_; ++turn) expected = std::fma(0.75f, expected, 0.5f);
    expected += shift_;
    if (const float is = host_->out.data()[i]; is != expected)
      return "element " + std::to_string(i) + " is " + std::to_string(is) + ", not " + std::to_string(expected);
  }
  return {};
}

Parts Pipeline::parts(const Configuration& configuration) {
  run(configuration);
  Host& pinned = host("pinned");
  const auto bytes = 4 * static_cast<std::size_t>(n_);
  const attune::Buffer<float> in(gpu_, pinned.in.size()), out(gpu_, pinned.out.size());
  const attune::Stream to(gpu_), from(gpu_);
  attune::Event begin(gpu_), in_done(gpu_), out_done(gpu_);
  const auto copies = [&](bool in_too, bool out_too) {
    begin.record(to);
    begin.hold(from);
    if (in_too) attune::copy(gpu_, in.data(), pinned.in.data(), bytes, to);
    in_done.record(to);
    if (out_too) attune::copy(gpu_, pinned.out.data(), out.data(), bytes, from);
    out_done.record(from);
    in_done.synchronize();
    out_done.synchronize();
  };
  Parts parts{1e300, 1e300, 1e300, 1e300, 1e300};
  const auto lower = [](double& to_what, Milliseconds by) { to_what = std::min(to_what, by.count()); };
  for (int i = 0; i < 4; ++i) {
    copies(true, false);
    lower(parts.alone_to_device, in_done.since(begin));
    copies(false, true);
    lower(parts.alone_to_host, out_done.since(begin));
    copies(true, true);
    lower(parts.to_device, in_done.since(begin));
    lower(parts.to_host, out_done.since(begin));
    begin.record(to);
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk)
      (chunk + 1 < chunks() ? *plan_ : *last_plan_)
          .launch(to, out.data() + chunk * chunk_, in.data() + chunk * chunk_, size(chunk), turns_, shift_);
    in_done.record(to);
    in_done.synchronize();
    lower(parts.kernel, in_done.since(begin));
  }
  return parts;
}

attune::Work work(const attune::Problem& problem) {
  const auto pipeline = std::make_shared<Pipeline>(problem);
  pipeline->allocate();
  return {[pipeline](const Configuration& configuration) { return pipeline->run(configuration); },
          [pipeline](const Configuration&) { return pipeline->check(); }};
}

attune::DeviceInfo device() { return attune::Dispatcher().device_info(); }

Configuration serial(const char* memory, const attune::Problem& problem) {
  return {{"CHUNK", problem.at("n")}, {"STREAMS", 1}, {"MEMORY", memory}, {"ORDER", "depth"},
          {"GRAPH", false},           {"BLOCK", 256}, {"VECTOR", 4},      {"ITEMS", 1}};
}

}  // namespace overlap
