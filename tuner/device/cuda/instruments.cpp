#include "device/cuda/instruments.hpp"

namespace attune::cuda {
namespace {

constinit MakeInstruments present = nullptr;

}  // namespace

MakeInstruments instruments_of_program() noexcept { return present; }
void set_instruments(MakeInstruments make) noexcept { present = make; }

}  // namespace attune::cuda
