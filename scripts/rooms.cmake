# Rooms: the folders of sources that the library and the command are made of, bottom first.
#
# A room is compiled with a folder of links to its own headers and to those of the rooms it uses, and with no other include
# folder of ours. So an include that points up, or at a room that is not listed, does not compile. tests/walls checks the
# same for symbols. docs/internals/architecture.md shows the house.

# cubinet_room(NAME USES ROOM... LINK LIBRARY... SOURCES FILE...): NAME is the room's folder, as includes write it.
function(cubinet_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;LINK;SOURCES")
  string(MAKE_C_IDENTIFIER "room_${name}" target)
  set(walls "${PROJECT_BINARY_DIR}/walls/${target}")
  file(REMOVE_RECURSE "${walls}")
  foreach(seen IN LISTS name room_USES)
    string(MAKE_C_IDENTIFIER "room_${seen}" used)
    if(NOT seen STREQUAL name AND NOT TARGET ${used})
      message(FATAL_ERROR "The room '${name}' uses '${seen}', which is not below it: see docs/internals/architecture.md")
    endif()
    set(folder "${PROJECT_SOURCE_DIR}/packager/${seen}")
    if(seen MATCHES "^loader/")
      set(folder "${PROJECT_SOURCE_DIR}/${seen}")
    endif()
    cmake_path(GET seen PARENT_PATH parent)
    file(MAKE_DIRECTORY "${walls}/${parent}")
    file(CREATE_LINK "${folder}" "${walls}/${seen}" SYMBOLIC)
  endforeach()
  add_library(${target} OBJECT ${room_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE "${walls}" "${PROJECT_SOURCE_DIR}/loader/include")
  target_link_libraries(${target} PRIVATE cubinet_build_options ${room_LINK})
  string(REPLACE ";" " " uses "${room_USES}")
  set_property(GLOBAL APPEND PROPERTY CUBINET_ROOMS ${target})
  set_property(GLOBAL APPEND_STRING PROPERTY CUBINET_WALLS
    "${name}|${uses}|$<JOIN:$<TARGET_OBJECTS:${target}>,$<SEMICOLON>>\n")
endfunction()

# The objects of the rooms of one half, "loader" or "packager", so far.
function(cubinet_room_objects half out_objects)
  get_property(rooms GLOBAL PROPERTY CUBINET_ROOMS)
  set(objects "")
  foreach(room IN LISTS rooms)
    if((half STREQUAL "loader" AND room MATCHES "^room_loader_") OR
       (half STREQUAL "packager" AND NOT room MATCHES "^room_loader_"))
      list(APPEND objects $<TARGET_OBJECTS:${room}>)
    endif()
  endforeach()
  set(${out_objects} "${objects}" PARENT_SCOPE)
endfunction()
