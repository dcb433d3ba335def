// KeptImages: the best survivors as instances with their images, for the stages after the search. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "subject/instance.hpp"

namespace attune {

class KeptImages {
 public:
  void keep(ReadyInstance ready);
  // Returns null if the image was dropped or never kept.
  const ReadyInstance* find(const Configuration& configuration) const;
  // Drops the images with the highest, that is worst, scores once there are far too many. `score` returns nothing for a
  // configuration that is no survivor, whose image stays.
  void drop_worst(const std::function<std::optional<double>(const std::string&)>& score);

 private:
  std::map<std::string, ReadyInstance> kept_;  // by configuration text
};

}  // namespace attune
