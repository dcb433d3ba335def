#include "kernel/record_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/record_order.hpp"
#include "kernel/cover_match.hpp"
#include "kernel/cover_reasons.hpp"
#include "kernel/legality.hpp"
#include "kernel/near_miss.hpp"

namespace attune {
namespace {

class Reasons {
 public:
  Reasons(const MatchRequest& request, std::span<const Record> records, std::span<const Cover> covers)
      : request_(request), records_(records), covers_(covers) {
    std::vector<Record> serving = strongest_of_each_key({records.begin(), records.end()});
    for (const Record& record : serving) serving_.emplace(key_text(record.key), record);
    ladder_ = match_ladder(request, serving, covers);
    for (const Cover& cover : covers)
      if (why_no_answer(request, cover).empty() &&
          (asked_ == nullptr || is_preferred(cover, *asked_, request.spec.name)))
        asked_ = &cover;
    add_last_rungs(ladder_, request, serving, "");
  }

  std::vector<RecordReason> run() const {
    std::vector<RecordReason> found;
    for (std::size_t i = 0; i < ladder_.size(); ++i)
      if (ladder_[i].match.rung == Rung::none && ladder_[i].uuid.empty())
        found.push_back({nullptr, Rung::none, i + 1, ladder_[i].match.configuration,
                         ladder_[i].is_last_resort ? "a fall-back, which is known to fail here"
                                                   : "a fall-back, which needs no record"});
    std::ranges::transform(records_, std::back_inserter(found), [&](const Record& record) { return of(record); });
    std::ranges::transform(covers_, std::back_inserter(found), [&](const Cover& cover) { return of(cover); });
    std::ranges::stable_sort(found, is_before);
    return found;
  }

 private:
  static bool is_before(const RecordReason& a, const RecordReason& b) {
    if ((a.place == 0) != (b.place == 0)) return a.place != 0;
    if (a.place != b.place) return a.place < b.place;
    if ((a.rung == Rung::none) != (b.rung == Rung::none)) return a.rung != Rung::none;
    return a.rung < b.rung;
  }

  RecordReason of(const Record& record) const {
    RecordReason reason{&record, Rung::none, 0, record.configuration, ""};
    const Record& serving = serving_.at(key_text(record.key));
    if (same_family(request_, record.key)) reason.rung = standing_of(request_, record).rung;
    const auto tried = std::ranges::find(ladder_, record.uuid, &GradedMatch::uuid);
    if (tried != ladder_.end()) {
      reason.place = static_cast<std::size_t>(tried - ladder_.begin()) + 1;
      reason.configuration = tried->match.configuration;
      reason.why = tried->match.why;
    } else if (reason.rung == Rung::none) {
      reason.why = say_near_miss(request_, {&record, 1});
    } else if (serving.uuid != record.uuid) {
      reason.why = why_weaker(record, serving);
    } else {
      reason.why = why_not_tried(record, reason.rung);
    }
    return reason;
  }

  RecordReason of(const Cover& cover) const {
    RecordReason reason{.configuration = {}, .why = why_no_answer(request_, cover), .cover = &cover};
    if (!reason.why.empty()) return reason;
    reason.rung = Rung::cover;
    const GradedMatch answer = *cover_match(request_, {&cover, 1});
    reason.configuration = answer.match.configuration;
    const auto same = std::ranges::find(ladder_, answer.match.configuration,
                                        [](const GradedMatch& one) { return one.match.configuration; });
    if (&cover != asked_) {
      reason.why = asked_->key.kernel != cover.key.kernel ? "a cover of the kernel's own name is asked before it"
                   : asked_->made_ms != cover.made_ms     ? "a newer cover is asked before it"
                                                          : "the same cover of another source is asked before it";
    } else if (same->match.rung == Rung::cover) {
      reason.place = static_cast<std::size_t>(same - ladder_.begin()) + 1;
      reason.why = answer.match.why;
    } else {
      reason.why = fmt::format("its configuration is that of place {}", same - ladder_.begin() + 1);
    }
    return reason;
  }

  // Says why a record that fits, and serves for its key, is not in the ladder.
  std::string why_not_tried(const Record& record, Rung rung) const {
    const auto configuration = usable_configuration(request_, record.configuration);
    if (!configuration) {
      const std::string rule = why_illegal(request_.spec, request_.problem, request_.device, record.configuration);
      return rule.empty() ? "its configuration is not deterministic" : fmt::format("it is not legal here: {}", rule);
    }
    const auto same = std::ranges::find_if(
        ladder_, [&](const GradedMatch& one) { return one.match.configuration == *configuration; });
    if (same != ladder_.end()) return fmt::format("its configuration is that of place {}", same - ladder_.begin() + 1);
    const auto of_rung = std::ranges::count(ladder_, rung, [](const GradedMatch& one) { return one.match.rung; });
    if (of_rung < most_of_rung) return "its configuration is known to fail here as a default";
    return fmt::format("{} records before it stand on this rung", most_of_rung);
  }

  const MatchRequest& request_;
  const std::span<const Record> records_;
  const std::span<const Cover> covers_;
  const Cover* asked_ = nullptr;           // the first cover that has an answer
  std::map<std::string, Record> serving_;  // by key
  std::vector<GradedMatch> ladder_;
};

}  // namespace

std::vector<RecordReason> record_reasons(const MatchRequest& request, std::span<const Record> records,
                                         std::span<const Cover> covers) {
  return Reasons(request, records, covers).run();
}

}  // namespace attune
