#include "session/kept_images.hpp"

#include <algorithm>
#include <vector>

namespace attune {
namespace {

// Dropped images are compiled again when needed.
constexpr std::size_t most_kept_images = 256;

}  // namespace

void KeptImages::keep(ReadyInstance ready) {
  const std::string text = ready.instance->text;
  kept_.insert_or_assign(text, std::move(ready));
}

const ReadyInstance* KeptImages::find(const Configuration& configuration) const {
  const auto found = kept_.find(configuration.text());
  return found == kept_.end() ? nullptr : &found->second;
}

void KeptImages::drop_worst(const std::function<std::optional<double>(const std::string&)>& score) {
  if (kept_.size() <= 2 * most_kept_images) return;
  std::vector<std::pair<double, std::string>> by_score;
  for (const auto& [text, ready] : kept_)
    if (const std::optional<double> own = score(text)) by_score.emplace_back(*own, text);
  std::sort(by_score.begin(), by_score.end());
  for (std::size_t i = most_kept_images; i < by_score.size(); ++i) kept_.erase(by_score[i].second);
}

}  // namespace attune
