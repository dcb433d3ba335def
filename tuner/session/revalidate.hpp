// Revalidation: measures a stored record again by the final stage alone, against the default, and keeps the database
// true to what it finds. It runs on the caller's thread.
#pragma once

#include <string>
#include <string_view>

#include "session/session.hpp"

namespace attune {

// The strategy of the sessions of revalidations, which search nothing.
inline constexpr std::string_view revalidating = "revalidate";

// What became of a record.
enum class RecordStanding {
  confirmed,  // it is measured with the present driver now
  moved,      // the same, but its stored times were off by more than `moved_ratio`
  replaced,   // the default is faster, and is the record now
  dropped,    // it is not legal, fails or computes what is wrong; the default is the record now
  unsure,     // interrupted, or the device was unsteady and the record is of the present driver: nothing was changed
  pinned,     // measured; the user's choice stays
  failed,     // neither it nor the default works: nothing was changed
};
std::string_view to_text(RecordStanding standing) noexcept;

// Times that are off by more than this were not those of this configuration here.
inline constexpr double moved_ratio = 1.05;

struct Revalidation {
  RecordStanding standing = RecordStanding::failed;
  std::string why;               // of `dropped`, `unsure` and `failed`
  std::optional<Record> record;  // as measured now; stored unless `unsure` or `pinned`
  double record_ns = 0;          // the old record's configuration now; 0 where it is not known
  bool interrupted = false;
};

// What is present, by which a record is judged.
struct Present {
  std::string driver, toolchain;
  bool has_session = false;  // a session of this database measured the record's key
};
// Returns why a record should be measured again: "imported from Kernel Tuner", "driver 550.54, now 580.65". Returns ""
// where nothing speaks against it. Pure.
std::string why_revalidate(const Record& record, const Present& present);

// Measures `record`, which serves. `request` has the limits of a run and the images of earlier ones; `subject` is the
// record's kernel for its problem. Throws as run_session() does.
Revalidation revalidate(const Record& record, const SessionRequest& request, const Subject& subject, Pool& pool,
                        WisdomStore& store, ImageCache* images, Observer& observer, const std::atomic<int>& stop);

// Turns what a session of revalidation measured into the record that replaces `former`: what was searched is what the
// former record says, and a search elsewhere, or one whose winner fell, counts as cut short. Pure.
Record revalidated(Record measured, const Record& former);

}  // namespace attune
