// KeptImages: the images of the best survivors, for the stages after the search. One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/image.hpp"

namespace attune {

class KeptImages {
 public:
  void keep(const std::string& configuration, Image image) { images_.insert_or_assign(configuration, std::move(image)); }
  const Image* find(const std::string& configuration) const;
  // Drops the images with the highest scores when there are far too many. `score` returns nothing for a configuration
  // that is no survivor; its image stays.
  void drop_worst(const std::function<std::optional<double>(const std::string&)>& score);

 private:
  std::map<std::string, Image> images_;  // by configuration text
};

}  // namespace attune
