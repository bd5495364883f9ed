# Cubinet inside another project: what that installs of it by default is the shared library alone, where its targets link that.

# Whether a target of this folder, or of one below it, names the shared library among what it links.
function(_cubinet_is_shared_library_linked out_linked folder)
  set(${out_linked} FALSE PARENT_SCOPE)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_property(libraries TARGET "${target}" PROPERTY LINK_LIBRARIES)
    get_property(passed_on TARGET "${target}" PROPERTY INTERFACE_LINK_LIBRARIES)
    if("${libraries};${passed_on}" MATCHES "(^|[;:>,])cubinet($|[;:>,])")
      set(${out_linked} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    _cubinet_is_shared_library_linked(linked "${subfolder}")
    if(linked)
      set(${out_linked} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(_cubinet_install_shared_library destination)
  _cubinet_is_shared_library_linked(linked "${CMAKE_SOURCE_DIR}")
  get_property(is_installed GLOBAL PROPERTY CUBINET_INSTALLS_RUNTIME) # by cubinet_install(… RUNTIME COMPONENT …)
  if(linked AND NOT is_installed)
    install(TARGETS cubinet LIBRARY DESTINATION "${destination}" COMPONENT cubinet_runtime NAMELINK_SKIP)
    # CPack lists the components that there are when it is included.
    if(CPACK_COMPONENTS_ALL AND NOT CPACK_COMPONENTS_ALL_SET_BY_USER)
      file(APPEND "${CPACK_OUTPUT_CONFIG_FILE}" "list(APPEND CPACK_COMPONENTS_ALL cubinet_runtime)\n")
    endif()
  endif()
endfunction()

# When all targets are known.
cmake_language(EVAL CODE "
  cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL _cubinet_install_shared_library [[${CMAKE_INSTALL_LIBDIR}]])")
