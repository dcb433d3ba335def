#pragma once
#  include /* a comment */ "inner/inner.cuh"
