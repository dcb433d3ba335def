#include "session/explanations.hpp"

#include <algorithm>

#include "base/counted.hpp"

namespace attune {

std::string stopped_explanation() {
  return "\nstopped early: nearly all of the first configurations fail alike. When the kernel is right, "
         "[restrictions] lacks a rule that excludes them (attune check runs one configuration, attune space --audit "
         "shows what rules remove); --keep-going searches on all the same";
}

std::string failures_explanation(const std::map<std::string, Trial>& trials, std::int64_t survivors) {
  std::map<Verdict, std::pair<int, const Trial*>> counts;
  for (const auto& [text, trial] : trials) {
    if (trial.verdict == Verdict::ok) continue;
    auto& [count, example] = counts[trial.verdict];
    if (count++ == 0) example = &trial;
  }
  std::string text = (survivors == 0 ? "none" : std::to_string(survivors)) + " of the " +
                     counted(trials.size(), "configuration") + " tried survived";
  for (const auto& [verdict, entry] : counts)
    text += ", " + std::to_string(entry.first) + " " + std::string(to_text(verdict));
  if (counts.empty()) return text;
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  const Trial& example = *most->second.second;
  text += "\nfor instance " + example.configuration.text() + ":\n" + example.detail;
  if (most->first == Verdict::wrong_result && most->second.first == static_cast<int>(trials.size()))
    text += "\nall disagree with the reference: look at [[reference]] and at the tolerances in [check] first";
  return text;
}

std::string left_out_explanation(const std::vector<QuarantineEntry>& entries) {
  if (entries.empty()) return "";
  constexpr std::size_t most_named = 3;
  std::string text = "left out: " + counted(entries.size(), "configuration") + " (";
  for (std::size_t i = 0; i < std::min(entries.size(), most_named); ++i)
    text += (i > 0 ? "; " : "") + entries[i].configuration.text() + ": " + std::string(to_text(entries[i].verdict));
  if (entries.size() > most_named) text += "; and " + std::to_string(entries.size() - most_named) + " more";
  return text + "); the same command with --lift-quarantine tries " + (entries.size() == 1 ? "it" : "them") + " again";
}

std::string no_stream_explanation(const KernelSpec& spec) {
  return spec.name +
         " has no stream of launches: it changes an input, which is restored before each launch; use --regime cold or "
         "warm, or `restore = false` where it may run on its own results";
}

}  // namespace attune
