#include "attune/command_line.hpp"

int main(int count, char** values) { return attune::run_command_line(count, values); }
