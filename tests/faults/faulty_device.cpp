#include "faults/faulty_device.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "device/cuda/cuda_status.hpp"
#include "faults/fault_log.hpp"

namespace attune::test {
namespace {

constexpr std::size_t arena_bytes = 32 << 20, neighbour_distance = 64 << 10;
constexpr double clock_mhz = 2000;
constexpr double energy_step_j = 5;  // of the counter

const cuda::DriverApi no_names;  // a driver that names no errors: the numbers must do

class FaultyDevice;

class FaultyModule final : public Module {
 public:
  FaultyModule(FaultyDevice& device, std::shared_ptr<Module> module, Tried tried)
      : device_(device), module_(std::move(module)), tried_(std::move(tried)) {}
  FunctionHandle function(std::string_view expression, const LaunchShape& shape, Status& status) override;
  Variable variable(std::string_view expression, Status& status) override {
    return module_->variable(expression, status);
  }

 private:
  FaultyDevice& device_;
  std::shared_ptr<Module> module_;
  Tried tried_;
};

class FaultyDevice final : public Device {
 public:
  FaultyDevice(std::unique_ptr<Device> device, const std::string& script, TriedNow now)
      : device_(std::move(device)),
        file_(script),
        script_(script),
        log_(script + ".log"),
        now_(std::move(now)),
        worker_(log_.count("worker device")) {}

  const DeviceInfo& info() const noexcept override { return device_->info(); }
  double seconds() const override { return device_->seconds(); }
  bool has_own_clock() const noexcept override { return device_->has_own_clock(); }
  std::vector<std::string> other_users() override {
    std::vector<std::string> users = device_->other_users();
    const std::optional<Fault> user = fault_at(Phase::state, {});
    if (user && user->kind == "user") users.push_back("python3 (" + std::to_string(user->number()) + ")");
    return users;
  }
  DeviceState state() override {
    DeviceState state = device_->state();
    if (script_.has("drop")) {
      const double dropped = dropped_.exchange(0);
      state.sm_clock_mhz = clock_mhz * (1 - dropped);
      state.throttle = dropped > 0 ? std::uint32_t{throttle_hardware_thermal} : 0;
    }
    if (script_.has("energy")) state.energy_j = energy_step_j * std::floor(energy_j_ / energy_step_j);
    return state;
  }
  std::shared_ptr<Compiler> compiler() override { return device_->compiler(); }

  void* allocate(std::size_t bytes) override {
    require();
    return script_.has("neighbours") ? next_place(bytes) : device_->allocate(bytes);
  }
  void free(void* address) noexcept override {
    if (!script_.has("neighbours")) device_->free(address);
  }
  std::uint64_t free_memory() override {
    require();
    constexpr std::uint64_t all = std::uint64_t{1} << 30;
    return script_.has("leak") ? all - std::min(all, leaked_) : device_->free_memory();
  }
  void copy_in(void* target, const void* host, std::size_t bytes, StreamHandle stream) override {
    require(), device_->copy_in(target, host, bytes, stream);
  }
  void copy_out(void* host, const void* source, std::size_t bytes, StreamHandle stream) override {
    require(), device_->copy_out(host, source, bytes, stream);
  }
  StreamHandle make_stream() override { return require(), device_->make_stream(); }
  void destroy_stream(StreamHandle stream) noexcept override { device_->destroy_stream(stream); }
  void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                std::uint64_t seed) override {
    require(), device_->generate(target, type, count, fill, seed);
  }
  std::vector<Found> inspect(std::span<const Inspection> inspections) override {
    return require(), device_->inspect(inspections);
  }

  Status synchronize(StreamHandle stream) override {
    if (later_ != 0) poison_ = std::exchange(later_, 0);
    if (Status status = strike_at(Phase::synchronize, launched_); !status.ok()) return status;
    return device_->synchronize(stream);
  }
  LoadOutcome load(const Image& image) override {
    const Tried tried = *now_;
    fresh_ = true;
    if (Status status = strike_by(fault_at(Phase::load, tried, samples_taken_[tried.configuration])); !status.ok())
      return {status, nullptr};
    LoadOutcome outcome = device_->load(image);
    if (outcome.module) outcome.module = std::make_shared<FaultyModule>(*this, std::move(outcome.module), tried);
    return outcome;
  }
  Status enqueue(const Operation& operation, StreamHandle stream) override {
    const bool launches = operation.kind == Operation::Kind::launch;
    if (launches) launched_ = tried_by(operation);
    if (launches && std::exchange(fresh_, false))
      log_.add("launch " + std::to_string(launched_.attempt) + " " + launched_.configuration);
    if (Status status = launches ? strike_at(Phase::launch, launched_) : poisoned(); !status.ok()) return status;
    return device_->enqueue(operation, stream);
  }
  DeviceTimes take_samples(const Sampling& sampling) override {
    for (const Operation& operation : sampling.timed.front())
      if (operation.kind == Operation::Kind::launch) launched_ = tried_by(operation);
    const std::optional<Fault> fault =
        fault_at(Phase::sample, launched_, samples_taken_[launched_.configuration] += sampling.count);
    if (fault && fault->kind == "time")
      return {{}, std::vector<double>(static_cast<std::size_t>(sampling.count), fault->argument)};
    if (Status status = strike_by(fault); !status.ok()) return {status, {}};
    const double before = seconds();
    DeviceTimes samples = device_->take_samples(sampling);
    if (const std::optional<Fault> watts = fault_at(Phase::state, launched_); watts && watts->kind == "energy")
      energy_j_ += watts->argument * (seconds() - before);
    const bool drops = fault && fault->kind == "drop";
    const double slower = drops || (fault && fault->kind == "slow") ? fault->argument / 100 : 0;
    if (drops) dropped_ = slower;
    for (double& nanoseconds : samples.nanoseconds) nanoseconds /= 1 - slower;
    return samples;
  }

  void remember(FunctionHandle function, const Tried& tried) { functions_.insert_or_assign(function, tried); }

 private:
  // Arrays one behind the other, each at a multiple of neighbour_distance. They are never freed.
  void* next_place(std::size_t bytes) {
    if (arena_ == 0) {
      const auto memory = reinterpret_cast<std::uintptr_t>(device_->allocate(arena_bytes));
      arena_ = (memory + neighbour_distance - 1) / neighbour_distance * neighbour_distance;
      arena_end_ = memory + arena_bytes;
    }
    const std::uintptr_t place = arena_;
    arena_ += (bytes + neighbour_distance - 1) / neighbour_distance * neighbour_distance;
    if (arena_ > arena_end_) throw OutOfMemory("the test's arrays do not fit where they are neighbours");
    return reinterpret_cast<void*>(place);
  }
  Tried tried_by(const Operation& operation) const { return functions_.at(operation.function); }
  std::optional<Fault> fault_at(Phase phase, const Tried& tried, int samples = 0) const {
    return script_.find(phase, tried.configuration, tried.attempt, worker_, samples);
  }
  Status poisoned() const { return poison_ == 0 ? Status{} : cuda::status_of(no_names, poison_, "the next call"); }
  void require() const { cuda::check(no_names, poison_, "a call"); }

  Status strike_at(Phase phase, const Tried& tried) { return strike_by(fault_at(phase, tried)); }
  Status strike_by(const std::optional<Fault>& fault) {
    if (Status status = poisoned(); !status.ok()) return status;
    if (!fault) return {};
    strike(*fault);
    if (fault->kind == "leak") leaked_ += static_cast<std::uint64_t>(fault->argument * 1024 * 1024);
    if (fault->kind == "later") later_ = fault->number();
    if (fault->kind == "vanish") std::ofstream(file_ + ".gone") << "gone";
    if (fault->kind == "alone") be_alone(fault->argument);
    const int number = fault->kind == "vanish" ? cuda::result_no_device : fault->kind == "error" ? fault->number() : 0;
    Status status = cuda::status_of(no_names, number, "the call");
    if (status.sticky) poison_ = number;
    return status;
  }

  void be_alone(double milliseconds) const {
    const std::filesystem::path busy = file_ + ".busy";
    const bool first = std::filesystem::create_directory(busy);
    if (!first) log_.add("together");
    strike({"sleep", milliseconds});
    if (first) std::filesystem::remove(busy);
  }

  std::unique_ptr<Device> device_;
  std::uintptr_t arena_ = 0, arena_end_ = 0;
  const std::string file_;
  const FaultScript script_;
  const FaultLog log_;
  const TriedNow now_;
  const int worker_;
  std::map<FunctionHandle, Tried> functions_;
  Tried launched_;
  bool fresh_ = false;  // what was loaded last was not launched yet
  cuda::Result poison_ = 0, later_ = 0;
  std::uint64_t leaked_ = 0;
  std::map<std::string, int> samples_taken_;  // by configuration
  std::atomic<double> dropped_ = 0;           // share of the clock, since the last reading
  std::atomic<double> energy_j_ = 0;
};

FunctionHandle FaultyModule::function(std::string_view expression, const LaunchShape& shape, Status& status) {
  const FunctionHandle handle = module_->function(expression, shape, status);
  device_.remember(handle, tried_);
  return handle;
}

}  // namespace

std::unique_ptr<Device> make_faulty_device(std::unique_ptr<Device> device, const std::string& script, TriedNow now) {
  if (std::filesystem::exists(script + ".gone"))
    throw Error(cuda::explain_driver_failure(no_names, cuda::result_no_device));
  return std::make_unique<FaultyDevice>(std::move(device), script, std::move(now));
}

}  // namespace attune::test
