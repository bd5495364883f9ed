# Makes $<COMPILE_LANGUAGE:CUDA> true for archives, and $<CUDA_COMPILER_ID:…> for their compiler.
#
# CMake evaluates the first only for its own compiles, the second only in projects that enable CUDA. In a custom command
# they are false, so the options that they guard would silently vanish, or, under $<NOT:…>, appear. So, when everything is
# known, they are replaced by their values: in the archive's own properties, and in copies of the libraries that the
# archive links. The archive then links these copies.
include_guard(GLOBAL)

# The properties with requirements. A function, not a variable of this file, because calls come from folders that did
# not include it.
function(_cubinet_requirements out_properties)
  set(${out_properties} INCLUDE_DIRECTORIES SYSTEM_INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES COMPILE_OPTIONS PARENT_SCOPE)
endfunction()

# Runs at the end of the archive's folder, where the imported targets of that folder can be seen, and once more at the
# end of the configuration, for additions by other folders.
function(_cubinet_resolve_language_guards archive)
  set_property(GLOBAL PROPERTY _CUBINET_COPIED_LIBRARIES "")
  _cubinet_update_requirements_of_target("${archive}")
  get_property(target TARGET "${archive}" PROPERTY _CUBINET_TARGET)
  if("${target}" STREQUAL "")
    get_property(directory TARGET "${archive}" PROPERTY SOURCE_DIR)
    get_property(folders TARGET "${archive}" PROPERTY INCLUDE_DIRECTORIES)
    _cubinet_add_current_folders(folders "${directory}")
    set_property(TARGET "${archive}" PROPERTY INCLUDE_DIRECTORIES "${folders}")
  endif()
  _cubinet_requirements(properties)
  foreach(property IN LISTS properties)
    get_property(values TARGET "${archive}" PROPERTY ${property})
    _cubinet_replace_language_guards(values NVRTC)
    set_property(TARGET "${archive}" PROPERTY ${property} "${values}")
  endforeach()
  set_property(GLOBAL PROPERTY _CUBINET_COPIED_LIBRARIES "")
  get_property(copied TARGET "${archive}" PROPERTY _CUBINET_COPIED_LIBRARIES)
  foreach(library IN LISTS copied) # which may have changed since
    if(TARGET "${library}")
      _cubinet_copy_library(copy "${archive}" "${library}")
    endif()
  endforeach()
  _cubinet_links_guarded_library(guarded "${archive}")
  if(guarded)
    get_property(items TARGET "${archive}" PROPERTY LINK_LIBRARIES)
    _cubinet_copy_linked_libraries(items "${archive}")
    set_property(TARGET "${archive}" PROPERTY LINK_LIBRARIES "${items}")
  endif()
  _cubinet_resolve_definitions_of_folder("${archive}")
endfunction()

# Adds what CMAKE_INCLUDE_CURRENT_DIR stands for in a folder, which CMake adds only when it generates.
function(_cubinet_add_current_folders folders_variable directory)
  get_directory_property(is_on DIRECTORY "${directory}" DEFINITION CMAKE_INCLUDE_CURRENT_DIR)
  if(is_on AND NOT directory IN_LIST ${folders_variable})
    get_property(build_directory DIRECTORY "${directory}" PROPERTY BINARY_DIR)
    set(${folders_variable} "${build_directory};${directory};${${folders_variable}}" PARENT_SCOPE)
  endif()
endfunction()

# CMake gives a folder's definitions to its targets only when it generates. If there is a guard among them, the compiles
# take the definitions from a library that has the archive's and the folder's with their guards replaced.
function(_cubinet_resolve_definitions_of_folder archive)
  get_property(directory TARGET "${archive}" PROPERTY SOURCE_DIR)
  get_property(of_folder DIRECTORY "${directory}" PROPERTY COMPILE_DEFINITIONS)
  if(NOT of_folder MATCHES "COMPILE_LANG|CUDA_COMPILER_ID")
    return()
  endif()
  get_property(definitions TARGET "${archive}" PROPERTY COMPILE_DEFINITIONS)
  list(APPEND definitions "${of_folder}")
  _cubinet_take_requirements(definitions "${archive}" COMPILE_DEFINITIONS)
  _cubinet_name_target_of_properties(definitions "${archive}")
  get_property(items TARGET "${archive}" PROPERTY LINK_LIBRARIES)
  _cubinet_copy_name(copy "${archive}" "${archive} itself")
  if(NOT TARGET "${copy}")
    add_library("${copy}" INTERFACE)
  endif()
  set_target_properties("${copy}" PROPERTIES
    _CUBINET_IS_COPY TRUE
    INTERFACE_COMPILE_DEFINITIONS "${definitions}"
    INTERFACE_LINK_LIBRARIES "${items}")
  set_property(TARGET "${archive}" PROPERTY
    _CUBINET_DEFINITIONS "$<TARGET_PROPERTY:${copy},INTERFACE_COMPILE_DEFINITIONS>")
endfunction()

# Names the target in expressions that ask for a property of the target that they are in, so that another may have them.
function(_cubinet_name_target_of_properties values_variable target)
  string(REGEX REPLACE "\\$<TARGET_PROPERTY:([A-Za-z0-9_]+)>" "$<TARGET_PROPERTY:${target},\\1>" values
    "${${values_variable}}")
  set(${values_variable} "${values}" PARENT_SCOPE)
endfunction()

# Whether a library that the archive links, itself or through others, has a guard, or folders that become those of the
# system in its copy.
function(_cubinet_links_guarded_library out_guarded archive)
  set(${out_guarded} FALSE PARENT_SCOPE)
  get_property(items TARGET "${archive}" PROPERTY LINK_LIBRARIES)
  _cubinet_requirements(properties)
  set(seen "")
  while(NOT "${items}" STREQUAL "")
    list(POP_FRONT items item)
    _cubinet_libraries_of_item(libraries "${item}")
    list(REMOVE_ITEM libraries ${seen} "")
    foreach(library IN LISTS libraries)
      list(APPEND seen "${library}")
      _cubinet_system_folders_of(folders "${archive}" "${library}")
      if(folders)
        set(${out_guarded} TRUE PARENT_SCOPE)
        return()
      endif()
      foreach(property IN LISTS properties)
        get_property(values TARGET "${library}" PROPERTY INTERFACE_${property})
        if(values MATCHES "COMPILE_LANG|CUDA_COMPILER_ID")
          set(${out_guarded} TRUE PARENT_SCOPE)
          return()
        endif()
      endforeach()
      get_property(more TARGET "${library}" PROPERTY INTERFACE_LINK_LIBRARIES)
      list(APPEND items ${more})
    endforeach()
  endwhile()
endfunction()

# The targets that an item of LINK_LIBRARIES names, in generator expressions too; but not one whose property an
# expression asks for.
function(_cubinet_libraries_of_item out_libraries item)
  set(libraries "")
  string(REGEX REPLACE "\\$<TARGET_(NAME|NAME_IF_EXISTS|EXISTS):" "$<" item "${item}")
  if(NOT item MATCHES "\\$<TARGET_")
    string(REGEX MATCHALL "([^$<>,:]|::)+" words "${item}")
    foreach(word IN LISTS words)
      if(TARGET "${word}")
        list(APPEND libraries "${word}")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES libraries)
  endif()
  set(${out_libraries} "${libraries}" PARENT_SCOPE)
endfunction()

# Replaces libraries in a list of linked items by their copies.
function(_cubinet_copy_linked_libraries items_variable archive)
  set(copied "")
  foreach(item IN LISTS ${items_variable})
    _cubinet_libraries_of_item(libraries "${item}")
    foreach(library IN LISTS libraries)
      set(copy "")
      if(NOT library STREQUAL archive) # which a program that it is made of links
        _cubinet_copy_library(copy "${archive}" "${library}")
      endif()
      _cubinet_replace_word(item "${library}" "${copy}")
    endforeach()
    list(APPEND copied ${item})
  endforeach()
  set(${items_variable} "${copied}" PARENT_SCOPE)
endfunction()

# Replaces a target's name where it is not a part of a longer one.
function(_cubinet_replace_word text_variable word replacement)
  set(text " ${${text_variable}} ")
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" word "${word}")
  foreach(_ RANGE 1) # twice, since a match takes the character that the next one would start with
    string(REGEX REPLACE "([ ,<>]|[^:]:)${word}([ ,<>]|:[^:])" "\\1${replacement}\\2" text "${text}")
  endforeach()
  string(STRIP "${text}" text)
  set(${text_variable} "${text}" PARENT_SCOPE)
endfunction()

function(_cubinet_copy_name out_copy archive library)
  string(SHA256 hash "${archive} ${library}")
  string(SUBSTRING "${hash}" 0 12 hash)
  set(${out_copy} "cubinet_requirements_${hash}" PARENT_SCOPE)
endfunction()

# Sets `out_copy` to a library with the requirements of `library` as they are for CUDA, made or brought up to date.
function(_cubinet_copy_library out_copy archive library)
  get_property(is_copy TARGET "${library}" PROPERTY _CUBINET_IS_COPY)
  if(is_copy)
    set(${out_copy} "${library}" PARENT_SCOPE)
    return()
  endif()
  _cubinet_copy_name(copy "${archive}" "${library}")
  set(${out_copy} "${copy}" PARENT_SCOPE)
  get_property(done GLOBAL PROPERTY _CUBINET_COPIED_LIBRARIES)
  if(copy IN_LIST done) # or in the making: libraries may link each other
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY _CUBINET_COPIED_LIBRARIES "${copy}")
  if(NOT TARGET "${copy}")
    add_library("${copy}" INTERFACE)
    set_target_properties("${copy}" PROPERTIES _CUBINET_IS_COPY TRUE)
    set_property(TARGET "${archive}" APPEND PROPERTY _CUBINET_COPIED_LIBRARIES "${library}")
    _cubinet_links_archive(is_later "${library}" "${archive}")
    if(NOT is_later)
      _cubinet_build_after("${archive}" "${library}")
    endif()
  endif()
  _cubinet_copy_requirements("${copy}" "${library}" "${archive}")
endfunction()

# Targets that make the library's headers are built first, as if the library were linked.
function(_cubinet_build_after archive library)
  get_property(aliased TARGET "${library}" PROPERTY ALIASED_TARGET)
  if(NOT "${aliased}" STREQUAL "")
    set(library "${aliased}")
  endif()
  add_dependencies("${archive}" "${library}")
endfunction()

function(_cubinet_copy_requirements copy library archive)
  _cubinet_requirements(properties)
  foreach(property IN LISTS properties)
    get_property(values TARGET "${library}" PROPERTY INTERFACE_${property})
    _cubinet_take_requirements(values "${archive}" ${property})
    set_property(TARGET "${copy}" PROPERTY INTERFACE_${property} "${values}")
  endforeach()
  _cubinet_system_folders_of(folders "${archive}" "${library}")
  _cubinet_take_requirements(folders "${archive}" SYSTEM_INCLUDE_DIRECTORIES)
  set_property(TARGET "${copy}" APPEND PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  get_property(items TARGET "${library}" PROPERTY INTERFACE_LINK_LIBRARIES)
  _cubinet_copy_linked_libraries(items "${archive}")
  set_property(TARGET "${copy}" PROPERTY INTERFACE_LINK_LIBRARIES "${items}")
endfunction()

# The folders of a library that CMake takes for the system's as it stands: one that is imported, or of a package that
# add_subdirectory(… SYSTEM) brought.
function(_cubinet_system_folders_of out_folders archive library)
  get_property(no_system TARGET "${archive}" PROPERTY NO_SYSTEM_FROM_IMPORTED)
  get_property(is_system TARGET "${library}" PROPERTY SYSTEM)
  set(folders "")
  if(is_system AND NOT no_system)
    get_property(folders TARGET "${library}" PROPERTY INTERFACE_INCLUDE_DIRECTORIES)
  endif()
  set(${out_folders} "${folders}" PARENT_SCOPE)
endfunction()

# The language is CUDA, the compiler's id one of `ids`, a regular expression.
function(_cubinet_replace_language_guards values_variable ids)
  set(values "${${values_variable}}")
  string(REGEX MATCH "[A-Z]+$" id "${ids}")
  string(REPLACE "$<COMPILE_LANGUAGE>" "CUDA" values "${values}")
  string(REPLACE "$<CUDA_COMPILER_ID>" "${id}" values "${values}")
  string(REGEX MATCHALL "\\$<(COMPILE_LANG(UAGE|_AND_ID)|CUDA_COMPILER_ID):[A-Za-z_,+]*>" guards "${values}")
  list(REMOVE_DUPLICATES guards)
  foreach(guard IN LISTS guards)
    set(value 0)
    if(guard MATCHES "CUDA_COMPILER_ID:(.*,)?(${ids})[,>]"
        OR (guard MATCHES "LANG.*:(.*,)?CUDA[,>]" AND guard MATCHES "UAGE:|,(${ids})[,>]"))
      set(value 1)
    endif()
    string(REPLACE "${guard}" "${value}" values "${values}")
  endforeach()
  set(${values_variable} "${values}" PARENT_SCOPE)
endfunction()
