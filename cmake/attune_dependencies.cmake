# Third-party libraries: found, never copied in. `portable` takes the static ones.
if(ATTUNE_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)  # headers only
find_library(ATTUNE_MD_FILE NAMES libmd.a md REQUIRED)  # SHA-256, in 20 KB and everywhere that dpkg is
# Installed, by name: the package config looks for it where the application is built.
set(ATTUNE_LIBMD "$<BUILD_INTERFACE:${ATTUNE_MD_FILE}>$<INSTALL_INTERFACE:md>")

# Headers alone; tuner/core/fmt.cpp is the library, so that what links attune needs no other.
add_library(attune_fmt INTERFACE)
target_include_directories(attune_fmt INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
set(ATTUNE_FMT $<BUILD_INTERFACE:attune_fmt>)
