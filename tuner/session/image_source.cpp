#include "session/image_source.hpp"

#include <utility>

namespace attune {
namespace {

// Returns a key that tells apart the requests of one kernel, whose source is the same. ImageRequest::key() would hash
// the source, which takes twice as long as all else that a proposal costs.
std::string key_of(const ImageRequest& request) {
  std::string key = request.architecture;
  const auto add = [&key](const std::string& text) { key.append(1, '\0').append(text); };
  add(std::to_string(request.expressions.size()));
  for (const std::string& expression : request.expressions) add(expression);
  for (const std::string& option : request.options) add(option);
  for (const Macro& macro : request.macros) add("macro " + macro.name + "=" + macro.value);
  for (const std::string& entry : request.waiting) add("waits " + entry);
  return key;
}

}  // namespace

void ImageSource::ask(std::shared_ptr<const Instance> instance) {
  ++outstanding_;
  const std::string key = key_of(instance->image);
  if (const auto found = kept_.find(key); found != kept_.end()) {
    ready_.push_back({std::move(instance), found->second.outcome, found->second.deaths});
    ready_.back().outcome.milliseconds = 0;
    return;
  }
  if (const auto found = compiling_.find(key); found != compiling_.end()) {
    waiting_.at(found->second).instances.push_back(std::move(instance));
    return;
  }
  const Ticket ticket = pool_.submit(instance->image);
  compiling_.emplace(key, ticket);
  Waiting& waiting = waiting_[ticket];
  waiting.key = key;
  waiting.instances.push_back(std::move(instance));
}

bool ImageSource::arrive(Result& result) {
  if (!waiting_.contains(result.ticket)) return false;
  arrived_.push_back(std::move(result));
  return true;
}

CompiledInstance ImageSource::take() {
  if (ready_.empty()) {
    Result result = std::move(arrived_.front());
    arrived_.pop_front();
    const auto waited = waiting_.find(result.ticket);
    Kept kept{std::move(std::get<ImagesCompiled>(result.answer).outcomes.front()), result.deaths};
    bool is_first = true;
    for (std::shared_ptr<const Instance>& instance : waited->second.instances) {
      ready_.push_back({std::move(instance), kept.outcome, kept.deaths});
      if (!std::exchange(is_first, false)) ready_.back().outcome.milliseconds = 0;
    }
    compiling_.erase(waited->second.key);
    keep(waited->second.key, std::move(kept));
    waiting_.erase(waited);
  }
  CompiledInstance compiled = std::move(ready_.front());
  ready_.pop_front();
  --outstanding_;
  return compiled;
}

std::vector<const Instance*> ImageSource::upcoming(std::size_t most) const {
  std::vector<const Instance*> found;
  const auto add = [&](const std::shared_ptr<const Instance>& instance, const CompileOutcome& outcome) {
    if (outcome.image && found.size() < most) found.push_back(instance.get());
  };
  for (const CompiledInstance& next : ready_) add(next.instance, next.outcome);
  for (const Result& result : arrived_)
    for (const std::shared_ptr<const Instance>& instance : waiting_.at(result.ticket).instances)
      add(instance, std::get<ImagesCompiled>(result.answer).outcomes.front());
  return found;
}

void ImageSource::cancel() {
  pool_.cancel_compiles();
  waiting_.clear();
  compiling_.clear();
  arrived_.clear();
  ready_.clear();
  outstanding_ = 0;
}

void ImageSource::keep(const std::string& key, Kept kept) {
  kept_[key] = std::move(kept);
  kept_order_.push_back(key);
  if (kept_order_.size() <= most_kept_images) return;
  kept_.erase(kept_order_.front());
  kept_order_.pop_front();
}

}  // namespace attune
