#include "session/kept_images.hpp"

#include <algorithm>
#include <vector>

namespace attune {
namespace {

// Others are compiled again when needed.
constexpr std::size_t most_kept_images = 256;

}  // namespace

const Image* KeptImages::find(const std::string& configuration) const {
  const auto found = images_.find(configuration);
  return found == images_.end() ? nullptr : &found->second;
}

void KeptImages::drop_worst(const std::function<std::optional<double>(const std::string&)>& score) {
  if (images_.size() <= 2 * most_kept_images) return;
  std::vector<std::pair<double, std::string>> by_score;
  for (const auto& [text, image] : images_)
    if (const std::optional<double> own = score(text)) by_score.emplace_back(*own, text);
  std::sort(by_score.begin(), by_score.end());
  for (std::size_t i = most_kept_images; i < by_score.size(); ++i) images_.erase(by_score[i].second);
}

}  // namespace attune
