# Compiler options of every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

find_program(ATTUNE_CCACHE ccache)
if(ATTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ATTUNE_CCACHE}")
endif()

# The sources of a target are compiled eight at a time, because they share most of their headers and templates: that
# takes less than half of the processor time. So names in anonymous namespaces are unique within a target. `dev` compiles
# each source alone, which is quicker after a small change and shows a missing #include.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()

add_library(attune_options INTERFACE)
# In one translation unit a local name may be that of a constant of another source, and types of anonymous namespaces
# stand in what the compiler takes for headers.
set(whole_sources -Wshadow)
if(CMAKE_UNITY_BUILD)
  set(whole_sources $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
target_compile_options(attune_options INTERFACE -Wall -Wextra ${whole_sources} -Wnon-virtual-dtor
                       $<$<BOOL:${ATTUNE_WERROR}>:-Werror>)
if(ATTUNE_FUZZ)
  set(ATTUNE_ASAN ON)
  add_compile_options(-O1 -g1 -fsanitize=fuzzer-no-link)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(ATTUNE_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
if(ATTUNE_TSAN)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(ATTUNE_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
