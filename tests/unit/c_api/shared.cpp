// The library is what it links (CMakeLists.txt).
