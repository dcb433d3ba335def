# attune_layer(name SOURCES ... [PUBLIC libs...] [PRIVATE libs...]): the static library attune_<name> of a layer.
function(attune_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target attune_${name})
  if(NOT layer_SOURCES)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${layer_PUBLIC})
    return()
  endif()
  add_library(${target} STATIC ${layer_SOURCES})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tuner/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tuner> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} PUBLIC ${layer_PUBLIC} PRIVATE ${layer_PRIVATE} $<BUILD_INTERFACE:attune_options>)
endfunction()
