// The search spaces of published tuners, as T1 documents with what is known of them: those in tests/data/spaces, or in
// the folder that the environment variable ATTUNE_SPACES names.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "spec/t1_space.hpp"

namespace attune {

struct PublishedSpace {
  std::string name;
  std::size_t parameters = 0;
  std::string cartesian;  // can exceed 64 bits
  std::uint64_t legal = 0;
};
inline void PrintTo(const PublishedSpace& space, std::ostream* out) { *out << space.name; }

inline std::string published_folder() {
  const char* const given = std::getenv("ATTUNE_SPACES");
  return given != nullptr ? given : ATTUNE_TEST_DATA "/spaces";
}

// The lines of expected.tsv: name, parameters, size of the product, legal configurations.
inline std::vector<PublishedSpace> published_spaces() {
  std::vector<PublishedSpace> all;
  std::ifstream file(published_folder() + "/expected.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    PublishedSpace& space = all.emplace_back();
    words >> space.name >> space.parameters >> space.cartesian >> space.legal;
  }
  return all;
}

// Those that are listed in less than a second, also by plain loops; and the others.
inline std::vector<PublishedSpace> published_spaces(bool small) {
  constexpr std::uint64_t most = 400'000;
  std::vector<PublishedSpace> some = published_spaces();
  std::erase_if(some, [&](const PublishedSpace& space) { return (space.legal <= most) != small; });
  return some;
}

inline T1Space load(const PublishedSpace& space) {
  return load_t1_space(published_folder() + "/" + space.name + ".json");
}

// The name of a test's instance.
template <typename Info>
std::string name_of_space(const Info& info) {
  return info.param.name;
}

}  // namespace attune
