// attune adopt: records of an earlier code of a kernel, on the user's word that they still hold.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/digest.hpp"
#include "base/shell_word.hpp"
#include "base/unix_ms.hpp"
#include "base/uuid.hpp"
#include "core/record_order.hpp"
#include "kernel/legality.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "wisdom/joined.hpp"
#include "wisdom/key_filter.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t shown_digits = 12;  // of a fingerprint

std::string short_code(const Record& record) { return record.key.code.substr(0, shown_digits); }

// What is asked for.
struct AdoptQuery {
  KernelSpec spec;
  std::string code;  // how the earlier code's fingerprint begins; "": the code of the newest record
  KeyFilter keys;
};

// Returns the records of one earlier code with the same contract. Throws UsageError where there are none, and says why.
std::vector<Record> earlier_records(const AdoptQuery& query, std::vector<Record> records) {
  const Fingerprints& own = query.spec.fingerprints;
  std::erase_if(records, [&](const Record& record) {
    const RecordKey& key = record.key;
    return key.code == own.code || !key.code.starts_with(query.code) || !query.keys.includes(key);
  });
  const std::size_t all = records.size();
  std::erase_if(records, [&](const Record& record) { return record.key.contract != own.contract; });
  if (records.empty() && all > 0)
    throw UsageError(
        fmt::format("{} of an earlier {} cannot be adopted: its [problem], [[launch]] or [arguments] differ, "
                    "so the records are of other launches",
                    counted(all, "record"), query.spec.name));
  if (records.empty())
    throw UsageError(fmt::format("there are no records of an earlier code of {} for this", query.spec.name));
  const std::string code = std::ranges::max_element(records, {}, &Record::made_ms)->key.code;
  std::erase_if(records, [&](const Record& record) { return record.key.code != code; });
  return records;
}

// Returns the record as one of the present code. The same record is adopted once, however often the command runs.
Record adopted(const Record& earlier, const Fingerprints& own) {
  Record record = earlier;
  record.key.code = own.code;
  record.space = own.space;
  record.uuid = uuid_of(Digest()
                            .add(std::string_view("adopted"))
                            .add(std::string_view(earlier.uuid))
                            .add(std::string_view(own.code))
                            .hex());
  record.origin = Origin::adopted;
  record.source = "code " + short_code(earlier);
  record.superseded = false;
  record.made_ms = unix_ms();
  return record;
}

// Collects what can be adopted. Notes what cannot: what is measured already, and what is no longer legal.
WisdomParts adoptable(const std::vector<Record>& earlier, const std::vector<Record>& present, const KernelSpec& spec,
                      std::vector<std::string>& notes) {
  WisdomParts parts;
  for (const Record& record : earlier) {
    const Record next = adopted(record, spec.fingerprints);
    const auto own = std::ranges::find(present, next.key, &Record::key);
    if (own != present.end() && own->uuid != next.uuid && is_stronger(*own, next)) {
      notes.push_back(fmt::format("{} has a stronger record of the present code", record.key.problem.text()));
      continue;
    }
    const DeviceInfo device = device_by_class(record.key.device_class);
    const std::string why = why_illegal(spec, record.key.problem, device, record.configuration);
    if (why.empty())
      parts.records.push_back({next});
    else
      notes.push_back(
          fmt::format("{}: {} is no longer legal: {}", record.key.problem.text(), record.configuration.text(), why));
  }
  return parts;
}

Options adopt_options() {
  Options options("attune adopt KERNEL|FILE.cu [options]",
                  "  attune adopt smooth.cu\n  attune adopt smooth.cu --from 3fa2b1 --problem \"T=float\" --dry-run\n",
                  {"kernel"});
  options.add()(
      "from", named_value("CODE"),
      "of this earlier code: how its fingerprint begins, as `attune show --json` has it (default: the code of "
      "the newest record)")("dry-run", "shows what would be adopted, and writes nothing");
  add_key_options(options);
  add_database_option(options);
  return options;
}

}  // namespace

int run_adopt(const Arguments& arguments) {
  Options options = adopt_options();
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const AdoptQuery query{find_kernel(options, given), options.text("from").value_or(""), key_filter_of(options)};
  std::optional<WisdomStore> store = open_store(options);
  const std::vector<Record> records = read_records(store, query.spec.name);
  store.reset();
  const std::vector<Record> earlier = earlier_records(query, records);
  std::vector<std::string> notes;
  const WisdomParts parts = adoptable(earlier, records, query.spec, notes);
  JoinTerms terms = join_terms(database_path(options), options.has("dry-run"));
  terms.keeps_backup = false;
  const JoinResult joined = join_parts(parts, terms);
  put_text("{} from the code {} of {}\n", terms.only_looks ? "would be adopted" : "adopted",
           short_code(earlier.front()), utc_text(std::ranges::max(earlier, {}, &Record::made_ms).made_ms));
  put_joined(joined, notes, terms);
  if (!parts.records.empty()) put_text("measure what was adopted: attune tune {} --revalidate\n", shell_word(given));
  return exit_done;
}

}  // namespace attune::cli
