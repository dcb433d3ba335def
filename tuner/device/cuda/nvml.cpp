#include "device/cuda/nvml.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <fstream>

namespace attune::cuda {
namespace {

// Returns the output of a function; nothing when the library lacks it or it fails.
template <typename Value>
std::optional<Value> answer(NvmlResult (*ask)(NvmlDevice, Value*), NvmlDevice device) {
  Value value{};
  if (ask == nullptr || ask(device, &value) != nvml_success) return std::nullopt;
  return value;
}
std::optional<double> answer(NvmlResult (*ask)(NvmlDevice, int, unsigned*), NvmlDevice device, int which) {
  unsigned value = 0;
  if (ask == nullptr || ask(device, which, &value) != nvml_success) return std::nullopt;
  return value;
}

template <typename Value>
std::optional<double> thousandths(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value) / 1000;
}

std::vector<NvmlProcess> processes_on(const NvmlApi& api, NvmlDevice device) {
  std::vector<NvmlProcess> processes(64);
  constexpr int attempts = 4;  // processes may start between two attempts
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const NvmlResult result = api.processes(device, &count, processes.data());
    if (result != nvml_success && result != nvml_insufficient_size) return {};
    processes.resize(count);
    if (result == nvml_success) return processes;
  }
  return {};
}

std::string process_text(unsigned pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  if (name.empty()) name = "process";
  struct stat status {};
  const bool is_others = stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 && status.st_uid != geteuid();
  if (is_others) name += " of user " + std::to_string(status.st_uid);
  return name + " (" + std::to_string(pid) + ")";
}

// Returns the process that started `pid`; 0: it is not known.
unsigned parent_of(unsigned pid) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
  unsigned parent = 0;
  const std::size_t name_end = line.rfind(')');  // "4711 (name) S 4710 ..."
  if (name_end != std::string::npos && line.size() > name_end + 4)
    std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

// Returns this process and those that wait for it: its parent, and so on.
std::vector<unsigned> own_line() {
  std::vector<unsigned> line = {static_cast<unsigned>(getpid())};
  while (const unsigned parent = parent_of(line.back())) line.push_back(parent);
  return line;
}

}  // namespace

NvmlAnswers ask_nvml(const std::string& uuid) {
  const NvmlApi* api = nvml();
  if (api == nullptr || api->init() != nvml_success) return {};
  NvmlAnswers answers;
  std::array<char, nvml_text_bytes> text{};
  if (api->driver_version(text.data(), nvml_text_bytes) == nvml_success) answers.driver_version = text.data();
  NvmlDevice device = nullptr;
  if (api->device_by_uuid(uuid.c_str(), &device) == nvml_success) {
    if (api->device_name(device, text.data(), nvml_text_bytes) == nvml_success) answers.device_name = text.data();
    if (const auto limit = answer(api->power_limit, device)) answers.power_limit_mw = static_cast<int>(*limit);
  }
  api->shutdown();  // counted: undoes only the init above
  return answers;
}

NvmlView::~NvmlView() {
  if (device_ != nullptr) api_->shutdown();  // counted
}

NvmlDevice NvmlView::device() {
  std::call_once(asked_, [this] {
    if (api_ == nullptr || api_->init() != nvml_success) return;
    if (api_->device_by_uuid(uuid_.c_str(), &device_) == nvml_success && device_ != nullptr) return;
    device_ = nullptr;
    api_->shutdown();
  });
  return device_;
}

DeviceState NvmlView::state() {
  DeviceState state;
  const NvmlDevice device = this->device();
  if (device == nullptr) return state;
  state.sm_clock_mhz = answer(api_->clock, device, nvml_clock_sm);
  state.memory_clock_mhz = answer(api_->clock, device, nvml_clock_memory);
  state.temperature_c = answer(api_->temperature, device, nvml_sensor_gpu);
  state.power_w = thousandths(answer(api_->power, device));
  state.energy_j = thousandths(answer(api_->energy, device));
  const auto reasons = api_->event_reasons != nullptr ? api_->event_reasons : api_->throttle_reasons;
  if (const auto bits = answer(reasons, device)) state.throttle = static_cast<std::uint32_t>(*bits) & throttle_known;
  return state;
}

std::vector<std::string> NvmlView::other_processes() {
  const NvmlDevice device = this->device();
  if (device == nullptr || api_->processes == nullptr) return {};
  std::vector<std::string> found;
  const std::vector<unsigned> own = own_line();
  for (const NvmlProcess& process : processes_on(*api_, device))
    if (std::find(own.begin(), own.end(), process.pid) == own.end()) found.push_back(process_text(process.pid));
  return found;
}

}  // namespace attune::cuda
