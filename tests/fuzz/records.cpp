// Records that are imported: attune's JSON and CSV.
#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"
#include "imports/csv_rows.hpp"
#include "imports/read_records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::read_or_refuse<UsageError>([&] { records_from_json(text); });
  fuzz::read_or_refuse<UsageError>([&] { records_from_csv(csv_rows(text)); });
  return 0;
}
