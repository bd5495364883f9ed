# Makes $<COMPILE_LANGUAGE:CUDA> true for archives.
#
# CMake evaluates that expression only where it compiles itself; in a custom command it is false, and what it
# guards would vanish without a word. So, at the end of the configuration, it is replaced by its value in the
# archive's own properties, and what guards add in the libraries linked to it is added to them.
include_guard(GLOBAL)

function(_cubinet_resolve_language_guards archive)
  _cubinet_linked_targets(libraries "${archive}")
  foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
    get_property(values TARGET "${archive}" PROPERTY ${property})
    foreach(library IN LISTS libraries)
      get_property(inherited TARGET "${library}" PROPERTY INTERFACE_${property})
      if(inherited MATCHES "COMPILE_LANG")
        list(FILTER inherited INCLUDE REGEX "COMPILE_LANG")
        list(APPEND values "${inherited}")
      endif()
    endforeach()
    _cubinet_replace_language_guards(values)
    set_property(TARGET "${archive}" PROPERTY ${property} "${values}")
  endforeach()
endfunction()

# Libraries that a target links, and those that they link in turn. Those named inside a generator expression
# other than BUILD_INTERFACE and LINK_ONLY are not known before generation, and are left out.
function(_cubinet_linked_targets out_targets target)
  get_property(pending TARGET "${target}" PROPERTY LINK_LIBRARIES)
  set(targets "")
  while(pending)
    list(POP_FRONT pending item)
    string(REGEX REPLACE "^\\$<(BUILD_INTERFACE|LINK_ONLY):(.*)>$" "\\2" item "${item}")
    if(TARGET "${item}" AND NOT item IN_LIST targets)
      list(APPEND targets "${item}")
      get_property(more TARGET "${item}" PROPERTY INTERFACE_LINK_LIBRARIES)
      list(APPEND pending ${more})
    endif()
  endwhile()
  set(${out_targets} "${targets}" PARENT_SCOPE)
endfunction()

# The language is CUDA, the compiler's id NVRTC.
function(_cubinet_replace_language_guards values_variable)
  set(values "${${values_variable}}")
  string(REGEX MATCHALL "\\$<COMPILE_LANG(UAGE|_AND_ID):[A-Za-z_,+]*>" guards "${values}")
  list(REMOVE_DUPLICATES guards)
  foreach(guard IN LISTS guards)
    set(value 0)
    if(guard MATCHES ":(.*,)?CUDA[,>]" AND guard MATCHES "UAGE:|,NVRTC[,>]")
      set(value 1)
    endif()
    string(REPLACE "${guard}" "${value}" values "${values}")
  endforeach()
  set(${values_variable} "${values}" PARENT_SCOPE)
endfunction()
