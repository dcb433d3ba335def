// What the tests of db share: a directory that goes away, child processes, and complete sample values.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "attune/error.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {

// A fresh directory of mode 0755 (other users must be able to reach what is in it), removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "attune-db-XXXXXX").string();
    path_ = mkdtemp(name.data());
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ~Scratch() {
    if (process_ != getpid()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  pid_t process_ = getpid();
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
}

// The message of the Error that `work` throws, or "" when it throws none.
inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Runs `work` in a child process; returns what it returned, which travels through a pipe.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = std::string("exception: ") + error.what();
    }
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

// The same without the rights of root, whom no permission stops. Run as anybody else it is in_child().
inline std::string as_ordinary_user(const std::function<std::string()>& work) {
  constexpr int nobody = 65534;
  return in_child([&]() -> std::string {
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return "cannot become an ordinary user";
    return work();
  });
}

inline RecordKey sample_key(std::int64_t n = 1024) {
  RecordKey key;
  key.kernel = "reduce";
  key.code = std::string(64, 'c');
  key.contract = std::string(64, 'd');
  key.device_class = "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-";
  key.problem = Problem{{"n", n}, {"T", "float"}};
  return key;
}

inline Record sample_record(std::int64_t n = 1024) {
  Record record;
  record.uuid = make_uuid();
  record.key = sample_key(n);
  record.device_name = "NVIDIA H200";
  record.compute_capability = 90;
  record.multiprocessors = 132;
  record.configuration = Configuration{{"BLOCK", 256}, {"FAST", true}, {"SCALE", 0.1}, {"ORDER", "Order::rows"}};
  record.median_ns = 12345.678901234567;
  record.default_ns = 23456.7;
  record.speedup = 1.9;
  record.speedup_low = 1.8999999999999999;
  record.speedup_high = 1.91;
  record.effort = Effort::measure;
  record.self_checked = true;
  record.space = std::string(64, 'e');
  record.toolchain = "NVRTC 13.0";
  record.driver = "580.159 (CUDA 13.0)";
  record.device_uuid = "GPU-1234";
  record.attune_version = "0.1.0";
  record.protocol = 3;
  record.seed = 0xfedcba9876543210;
  record.trials = 321;
  record.made_ms = 1760000000123;
  record.min_ns = 12000.5;
  record.q1_ns = 12300.1;
  record.q3_ns = 12400.9;
  record.batch = 60;
  record.rounds = 40;
  record.rounds_dropped = 2;
  record.sm_clock_mhz = 1980;
  record.anchor_ratio = 1.01;
  record.busy = true;
  record.value = 0.125;
  record.default_value = 0.25;
  return record;
}

inline FinalistResult sample_finalist(int block) {
  FinalistResult result;
  result.configuration = Configuration{{"BLOCK", block}};
  result.measurement = {{3.5, 1.5, 2.5}, 1.5, 2, 2.5, 3};
  result.objective_values = {2.5, 0.1};
  result.pareto = block > 64;
  if (block > 64) result.energy_j = 0.1;
  result.energy_error = 0.02;
  result.numerics = {1e-7, 1e-6, 0xfedcba9876543210};
  if (block > 64) result.deterministic = false;
  result.registers = 32;
  result.shared_bytes = 4096;
  return result;
}

inline SessionRow sample_session(std::int64_t n = 1024) {
  SessionRow session;
  session.key.record = sample_key(n);
  session.key.space = std::string(64, 'e');
  session.key.effort = Effort::patient;
  session.key.strategy = "random";
  session.seed = 0xfedcba9876543210;
  session.used_seconds = 1.5;
  session.toolchain = "NVRTC 13.0";
  session.driver = "580.159 (CUDA 13.0)";
  session.device_uuid = "GPU-1234";
  session.host = "node7";
  session.attune_version = "0.1.0";
  session.protocol = R"({"version":1})";
  session.started_ms = 1760000000000;
  return session;
}

inline DeviceInfo sample_device() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.memory_bytes = std::uint64_t{141} << 30;
  device.memory_bus_bits = 6144;
  device.l2_bytes = std::uint64_t{60} << 20;
  return device;
}

inline Trial sample_trial(int block) {
  Trial trial;
  trial.configuration = Configuration{{"BLOCK", block}, {"ORDER", "Order::rows"}};
  trial.measurement = {{12.5, 13.25, 0.1}, 0.1, 6.3, 12.5, 13.0};
  trial.compile_ms = 81.25;
  trial.usage = {40, 1024, 16, 8, 400};
  trial.numerics.max_absolute = 1e-7;
  trial.anchor_ns = 25.5;
  trial.made_ms = 1760000000321;
  trial.worker = 1;
  trial.shapes = {{{64, 1, 1}, {static_cast<std::uint32_t>(block), 1, 1}, 0}};
  return trial;
}

inline std::size_t count_trials(WisdomStore& store, std::int64_t session) { return store.trials(session).size(); }

}  // namespace attune::test
