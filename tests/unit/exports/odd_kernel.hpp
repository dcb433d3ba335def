// A kernel file that uses what few kernels use, for tests of exports.
#pragma once

namespace attune::test {

extern const char* const odd_file;

}  // namespace attune::test
