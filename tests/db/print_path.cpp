#include <iostream>

#include "db/paths.hpp"

int main() { std::cout << attune::default_database_path().string() << '\n'; }
