#include <iostream>

#include "files/paths.hpp"

int main() {
  std::cout << attune::default_database_path().string() << '\n'
            << attune::site_cache_path().value_or("").string() << '\n'
            << attune::miss_log_path().value_or("").string() << '\n'
            << attune::site_wisdom_path().string() << '\n';
}
