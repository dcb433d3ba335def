#include "tune_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_word.hpp"
#include "calibrate.hpp"
#include "command.hpp"
#include "console.hpp"
#include "db/wisdom_look.hpp"
#include "json_lines.hpp"
#include "occupancy_text.hpp"
#include "put_text.hpp"
#include "rejection_text.hpp"
#include "spec/unmentioned.hpp"
#include "stop_requests.hpp"

namespace attune::cli {
namespace {

void note_unmentioned(const KernelSpec& spec, Observer& observer) {
  const std::string text = unmentioned_text(spec);
  if (!text.empty()) observer.note(text);
}

std::vector<Ceiling> ceilings_for(const SessionResult& result, WisdomStore& store) {
  return result.record ? store.ceilings(result.record->key.device_class) : std::vector<Ceiling>();
}

std::string occupancy_for(const KernelSpec& spec, const SessionResult& result, WisdomStore& store) {
  const Record& record = *result.record;
  const std::optional<Trial> trial = newest_trial(store, record.key, record.configuration);
  return trial ? recorded_occupancy(record, spec, *trial) : "";
}

// Says that a pin serves in place of what was found.
void note_pin(const SessionResult& result, WisdomStore& store, Observer& observer) {
  if (!result.record) return;
  const RecordKey& key = result.record->key;
  const std::vector<Record> records = store.history(key);
  const auto pin = std::ranges::find(records, Origin::pinned, &Record::origin);
  if (pin != records.end())
    observer.note(
        fmt::format("applications use the pin {} in place of what was found; to take it off: attune pin {} "
                    "--problem {} --remove",
                    pin->configuration.text(), shell_word(key.kernel), shell_word(key.problem.text())));
}

}  // namespace

int exit_code(Ending end) {
  if (end == Ending::interrupted) return exit_interrupted;
  return end == Ending::no_survivor ? exit_no_survivor : exit_done;
}

SessionView view_of(const Options& options) {
  if (options.has("json")) return SessionView::json;
  return options.has("verbose") ? SessionView::verbose : SessionView::text;
}

int tune_one(const KernelRequest& request, const Subject& subject, Pool& pool, WisdomStore& store, ImageCache* images,
             SessionView view) {
  SessionResult result;
  if (view == SessionView::json) {
    JsonLines lines(request.spec);
    note_unmentioned(request.spec, lines);
    result = run_session(request, subject, pool, store, images, lines, stop_requests);
    note_pin(result, store, lines);
    lines.show_result(request, result, ceilings_for(result, store));
    if (!result.record) put_error(request.spec.name + ": " + result.explanation);
    return exit_code(result.end);
  }
  Console console(request.spec, view == SessionView::verbose);
  note_unmentioned(request.spec, console);
  result = run_session(request, subject, pool, store, images, console, stop_requests);
  note_pin(result, store, console);
  if (result.record)
    console.show_result(request, result, store.file() == in_memory ? "" : store.file().string(),
                        ceilings_for(result, store), occupancy_for(request.spec, result, store));
  else
    put_error(request.spec.name + " for " + request.problem.text() + ": " + result.explanation);
  if (!result.record && !result.rejections.empty())
    put_text("{}", rejections_text(result.rejections,
                                   trials_command(request.spec.name, request.problem, store.file().string())));
  return exit_code(result.end);
}

void calibrate_first(const KernelRequest& request, Pool& pool, WisdomStore& store, bool json) {
  if (json) {
    JsonLines lines(request.spec);
    ensure_ceilings(pool, store, lines, request.lock_folder, stop_requests);
  } else {
    Console console(request.spec);
    ensure_ceilings(pool, store, console, request.lock_folder, stop_requests);
  }
}

}  // namespace attune::cli
