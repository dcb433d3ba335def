#include "session/image_source.hpp"

namespace attune {

void ImageSource::ask(std::uint64_t ticket, const ImageRequest& request) {
  ++outstanding_;
  const std::string key = request.key();
  if (const auto found = kept_.find(key); found != kept_.end()) {
    CompileResult result{ticket, found->second};
    result.outcome.milliseconds = 0;
    ready_.push_back(std::move(result));
    return;
  }
  std::vector<std::uint64_t>& tickets = waiting_[key];
  tickets.push_back(ticket);
  if (tickets.size() > 1) return;
  compiling_[next_job_] = key;
  pool_.submit({next_job_++, request});
}

std::optional<CompileResult> ImageSource::next(const std::atomic<int>& stop) {
  while (ready_.empty()) {
    const std::optional<CompileResult> compiled = pool_.next(stop);
    if (!compiled) return std::nullopt;
    const auto job = compiling_.find(compiled->id);
    if (job == compiling_.end()) continue;  // cancelled
    const std::string key = job->second;
    compiling_.erase(job);
    keep(key, compiled->outcome);
    bool first = true;
    for (const std::uint64_t ticket : waiting_[key]) {
      ready_.push_back({ticket, compiled->outcome});
      if (!first) ready_.back().outcome.milliseconds = 0;
      first = false;
    }
    waiting_.erase(key);
  }
  CompileResult result = std::move(ready_.front());
  ready_.pop_front();
  --outstanding_;
  return result;
}

void ImageSource::cancel() {
  pool_.cancel();
  waiting_.clear();
  compiling_.clear();
  ready_.clear();
  outstanding_ = 0;
}

void ImageSource::keep(const std::string& key, const CompileOutcome& outcome) {
  kept_[key] = outcome;
  kept_order_.push_back(key);
  if (kept_order_.size() <= kKeptImages) return;
  kept_.erase(kept_order_.front());
  kept_order_.pop_front();
}

}  // namespace attune
