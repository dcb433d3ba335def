#include "db/wisdom_format.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "attune_embedded/application_view.hpp"

namespace attune {

std::string_view application_view() noexcept {
  const std::string_view text = attune_embedded::application_view.text;
  const std::size_t begin = text.find("CREATE VIEW");
  return text.substr(begin, text.rfind(';') - begin);
}

void require_wisdom(const std::filesystem::path& file, std::int64_t application_id) {
  if (application_id == wisdom_application_id) return;
  if (application_id == unreleased_application_id)
    throw Error(
        fmt::format("the wisdom database {0} was written by an attune before its first release, and cannot be read; it "
                    "is left as it is. Move it away (mv {0} {0}.unreleased) and tune again, or name another file with "
                    "ATTUNE_DB",
                    file.string()));
  throw Error(
      fmt::format("{} is an SQLite database of another program (application id {:#x}), not a wisdom database; name "
                  "another file with ATTUNE_DB",
                  file.string(), static_cast<std::uint32_t>(application_id)));
}

}  // namespace attune
