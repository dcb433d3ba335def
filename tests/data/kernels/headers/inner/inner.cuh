#pragma once
#include "../outer.cuh"
__device__ void fill_one(float* out, long long n) {}
