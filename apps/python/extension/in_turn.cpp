#include "in_turn.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "attune/error.hpp"
#include "device/instruments.hpp"
#include "measure/interleaved.hpp"
#include "measure/protocol.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

// A callable as work of the device. What it raises is kept until the samples are taken.
class Called final : public Routine {
 public:
  Called(nb::handle callable, std::optional<nb::python_error>& raised) : callable_(callable), raised_(raised) {}
  Status enqueue(void* const*, StreamHandle) override {
    const nb::gil_scoped_acquire held;
    if (raised_) return {Verdict::launch_error, "an earlier call raised", false};
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      callable_();
      return {};
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return {Verdict::launch_error, "the callable raised", false};
    }
  }

 private:
  nb::handle callable_;
  std::optional<nb::python_error>& raised_;
};

struct Turns {
  Turns(const nb::list& callables, bool flush, std::optional<nb::python_error>& raised) {
    const std::size_t count = callables.size();
    routines.reserve(count);
    for (nb::handle one : callables) routines.emplace_back(one, raised);
    operations.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      operations[i].kind = Operation::Kind::routine;
      operations[i].routine = &routines[i];
      spans.emplace_back(&operations[i], 1);
    }
    for (std::size_t i = 0; i < count; ++i) round.push_back({.before = {}, .timed = {&spans[i], 1}, .flush = flush});
  }
  std::vector<Called> routines;
  std::vector<Operation> operations;
  std::vector<std::span<const Operation>> spans;
  std::vector<Sampling> round;
};

void put(nb::dict& row, const char* name, const Estimate& estimate) {
  row[name] = estimate.value;
  row[(std::string(name) + "_low").c_str()] = estimate.interval.low;
  row[(std::string(name) + "_high").c_str()] = estimate.interval.high;
}

nb::dict result_of(const std::vector<std::vector<double>>& columns) {
  nb::dict result;
  nb::list rows;
  for (const std::vector<double>& column : columns) {
    nb::dict row;
    put(row, "median_ns", estimate_of(column));
    put(row, "speedup", paired_speedup(columns.front(), column));
    rows.append(row);
  }
  result["rows"] = rows;
  result["rounds"] = columns.front().size();
  result["half_width"] = widest_of_ratios(columns);
  return result;
}

}  // namespace

nb::dict time_in_turn(Device& device, nb::list callables, bool flush, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Protocol protocol;
  constexpr std::size_t warm_up_rounds = 3;
  std::optional<nb::python_error> raised;
  Turns turns(callables, flush, raised);
  std::vector<std::vector<double>> columns(callables.size());
  const auto begin = Clock::now();
  Status failed;
  {
    const nb::gil_scoped_release released;
    const std::unique_ptr<DeviceInstruments> instruments = open_instruments(device);
    const auto rounds = [&] { return columns.front().size(); };
    for (std::size_t taken = 0; failed.ok(); ++taken) {
      const DeviceTimes times = instruments->take_samples_in_turn(turns.round);
      failed = times.status;
      if (!failed.ok() || taken < warm_up_rounds) continue;
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(times.nanoseconds[c]);
      const bool is_enough = rounds() >= static_cast<std::size_t>(protocol.final_rounds_min);
      const bool is_late = std::chrono::duration<double>(Clock::now() - begin).count() > seconds;
      const bool looks = rounds() % static_cast<std::size_t>(protocol.look_every) == 0;
      if (is_late && rounds() > 1) break;
      if (is_enough && looks && widest_of_ratios(columns) < protocol.settled_log_ratio) break;
    }
  }
  if (raised) throw std::move(*raised);
  if (!failed.ok()) throw Error("timing in turn: " + failed.detail);
  return result_of(columns);
}

}  // namespace attune::python
