# attune_layer(name [RUNTIME] SOURCES ... [PUBLIC libs...] [PRIVATE libs...]): the static library attune_<name> of a layer.
# RUNTIME: it is part of what applications link, and of the shared library.
function(attune_layer name)
  cmake_parse_arguments(layer "RUNTIME" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target attune_${name})
  if(NOT layer_SOURCES)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${layer_PUBLIC})
    return()
  endif()
  add_library(${target} STATIC ${layer_SOURCES})
  # The public headers of the layer.
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/include/attune" OR EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/include/attune.h")
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_property(GLOBAL APPEND PROPERTY ATTUNE_INCLUDE_FOLDERS "${CMAKE_CURRENT_SOURCE_DIR}/include")
  endif()
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tuner> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} PUBLIC ${layer_PUBLIC} PRIVATE ${layer_PRIVATE} $<BUILD_INTERFACE:attune_options>)
  if(layer_RUNTIME)
    # So that the linker leaves out what a program does not use.
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    set_property(GLOBAL APPEND PROPERTY ATTUNE_RUNTIME_LAYERS ${target})
  endif()
endfunction()
