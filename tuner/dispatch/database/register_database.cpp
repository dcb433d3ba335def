// Registers the reader of wisdom databases in a program that links this object.
#include "db/reader/wisdom_reader.hpp"
#include "dispatch/database_hook.hpp"

// The symbol that the linker is asked for, so that it takes this object.
extern "C" const int attune_database_is_linked;
const int attune_database_is_linked = 1;

namespace attune {
namespace {

std::unique_ptr<const RecordTable> make_reader(const std::filesystem::path& file, bool is_immutable) {
  using enum WisdomReader::Access;
  return std::make_unique<const WisdomReader>(file, application_wait_seconds,
                                              is_immutable ? immutable_file : mutable_file);
}

[[maybe_unused]] const bool is_known = (set_database_reader(make_reader), true);

}  // namespace
}  // namespace attune
