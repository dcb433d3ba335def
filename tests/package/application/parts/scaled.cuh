#pragma once
#include "parts/product.cuh"

__device__ inline int scaled(int x, int factor) { return product(x, factor); }
