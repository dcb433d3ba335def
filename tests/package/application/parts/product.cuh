#pragma once

// One element; of another. (The semicolon and the parenthesis are for CMake to carry.)
__device__ inline int product(int a, int b) { return a * b; }
