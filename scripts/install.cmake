# install() with a rule that another project has too, but not by default: targets that it exports may need it. There it is made
# when that project's own list file is through, so that CPack, which is included at its end, makes no package of the component.
function(cubinet_install_rule)
  if(CUBINET_INSTALL)
    install(${ARGN})
    return()
  endif()
  set(rule "[[${CMAKE_INSTALL_DEFAULT_COMPONENT_NAME}]]")
  set(previous "")
  foreach(argument IN LISTS ARGN)
    if(NOT previous STREQUAL "DESTINATION" AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${argument}")
      # Relative to this folder, and not to that project's.
      set(argument "${CMAKE_CURRENT_SOURCE_DIR}/${argument}")
    endif()
    string(APPEND rule " [[${argument}]]")
    set(previous "${argument}")
  endforeach()
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL _cubinet_install_later ${rule})")
endfunction()

function(_cubinet_install_later CMAKE_INSTALL_DEFAULT_COMPONENT_NAME)
  install(${ARGN})
endfunction()
