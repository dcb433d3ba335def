// An observer that keeps the notes of a session.
#pragma once

#include <string>
#include <vector>

#include "session/observer.hpp"

namespace attune {

class Notes final : public Observer {
 public:
  void note(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

}  // namespace attune
