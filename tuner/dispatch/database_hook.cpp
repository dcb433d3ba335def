#include "dispatch/database_hook.hpp"

namespace attune {
namespace {

constinit MakeDatabaseReader present = nullptr;

}  // namespace

MakeDatabaseReader database_reader() noexcept { return present; }
void set_database_reader(MakeDatabaseReader make) noexcept { present = make; }

}  // namespace attune
