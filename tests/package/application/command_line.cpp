#include <attune/command_line.hpp>
#include <attune/strategy.hpp>

int main(int argc, char** argv) {
  attune::register_strategy(
      {"theirs", "another name for random", {}, [](const auto& space, std::uint64_t seed, const auto&) {
         return attune::make_strategy("random", space, seed);
       }});
  return attune::run_command_line(argc, argv);
}
