#include "db/wisdom_store.hpp"

#include <sqlite3.h>

#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// The name is made absolute, because an SQLite that reads URIs ("file:...") never takes an absolute name for a URI.
std::filesystem::path absolute_name(const std::filesystem::path& file) {
  return file.empty() || file == ":memory:" ? file : std::filesystem::absolute(file).lexically_normal();
}

}  // namespace

WisdomStore::WisdomStore(const std::filesystem::path& file, Access access, DatabaseWaiting waiting)
    : state_(std::make_unique<State>(absolute_name(file), access == Access::read_write, std::move(waiting))) {}
WisdomStore::~WisdomStore() = default;
WisdomStore::WisdomStore(WisdomStore&&) noexcept = default;
WisdomStore& WisdomStore::operator=(WisdomStore&&) noexcept = default;

const std::filesystem::path& WisdomStore::file() const noexcept { return state_->connection.file(); }
std::int64_t WisdomStore::damaged_rows() const noexcept { return static_cast<std::int64_t>(state_->damaged.size()); }
std::string WisdomStore::sqlite_version() { return sqlite3_libversion(); }

}  // namespace attune
