#include "session/candidates.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace attune {
namespace {

constexpr std::size_t most_kept_images = 256;

}  // namespace

Candidate& Candidates::at(const Configuration& configuration) {
  const auto [place, is_new] = by_text_.try_emplace(configuration.text());
  Candidate& candidate = place->second;
  if (!is_new) return candidate;
  candidate.configuration = configuration;
  candidate.row = space_.row_of(configuration);
  if (candidate.row && !space_.contains(*candidate.row)) candidate.row.reset();
  if (candidate.row) by_row_.emplace(*candidate.row, &candidate);
  return candidate;
}

Candidate& Candidates::at(RowView row) {
  const auto found = by_row_.find(Row(row.begin(), row.end()));
  return found != by_row_.end() ? *found->second : at(space_.configuration(row));
}

const Candidate* Candidates::find(const std::string& configuration) const {
  const auto found = by_text_.find(configuration);
  return found == by_text_.end() ? nullptr : &found->second;
}

const Candidate* Candidates::find(RowView row) const {
  const auto found = by_row_.find(Row(row.begin(), row.end()));
  return found == by_row_.end() ? nullptr : found->second;
}

void Candidates::set(Candidate& candidate, Candidate::State state) {
  under_way_ -= candidate.is_under_way();
  candidate.state = state;
  under_way_ += candidate.is_under_way();
}

void Candidates::for_each(const std::function<void(Candidate&)>& see) {
  for (auto& [text, candidate] : by_text_) see(candidate);
}

void Candidates::for_each(const std::function<void(const Candidate&)>& see) const {
  for (const auto& [text, candidate] : by_text_) see(candidate);
}

void Candidates::keep(ReadyInstance ready) {
  Candidate& candidate = at(ready.instance->configuration);
  images_ += !candidate.ready;
  candidate.ready = std::move(ready);
}

void Candidates::drop_worst_images(const std::function<double(const Trial&)>& score) {
  if (images_ <= 2 * most_kept_images) return;
  std::vector<std::pair<double, Candidate*>> by_score;
  for (auto& [text, candidate] : by_text_)
    if (candidate.ready && candidate.trial) by_score.emplace_back(score(*candidate.trial), &candidate);
  std::stable_sort(by_score.begin(), by_score.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = most_kept_images; i < by_score.size(); ++i) {
    by_score[i].second->ready.reset();
    --images_;
  }
}

}  // namespace attune
