# cubinet_embed(): puts an archive into a program or library. Reference: docs/guide/cmake.md.
include_guard(GLOBAL)

# CubinetEmbed.c describes how. It is C (or C++), so the project needs no assembler language.
function(cubinet_embed target archive)
  set(call "cubinet_embed(${target} ${archive})")
  _cubinet_parse_arguments("" "SYMBOL" "")
  _cubinet_check_user("${call}" "${target}")
  _cubinet_check_directory("${call}" "${target}")
  _cubinet_resolve_archive(archive "${call}" "${archive}")
  _cubinet_embed_symbol(symbol "${call}" "${archive}" "${arg_SYMBOL}")
  _cubinet_once_in_target("${call}" "${target}" "${symbol}")

  _cubinet_write_embedding_header(header_directory "${target}" "${archive}" "${symbol}")
  _cubinet_add_embedding_source(source "${target}" "${archive}" "${symbol}")
  target_sources("${target}" PRIVATE "${source}")
  target_include_directories("${target}" PRIVATE "${header_directory}")
  add_dependencies("${target}" "${archive}")
endfunction()

# The symbols, and what the archive's own header says.
function(_cubinet_write_embedding_header out_directory target archive symbol)
  _cubinet_output_directory(directory)
  string(APPEND directory "/CMakeFiles/${target}.dir/cubinet")
  get_property(names TARGET "${archive}" PROPERTY CUBINET_HEADER_FILE)
  if(names)
    set(names "\n#include \"${names}\"\n")
  endif()
  file(READ "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CubinetEmbed.h.in" text)
  string(CONFIGURE "${text}" text @ONLY)
  file(GENERATE OUTPUT "${directory}/${symbol}.h" CONTENT "${text}")
  set(${out_directory} "${directory}" PARENT_SCOPE)
endfunction()

# When the archive has changed, the source is copied again, so that the build recompiles it. A compiler's depfile does
# not name the file that .incbin reads, and OBJECT_DEPENDS does not support $<CONFIG>.
function(_cubinet_add_embedding_source out_source target archive symbol)
  _cubinet_output_directory(directory)
  _cubinet_archive_language(language "${call}")
  string(REPLACE "CXX" "cpp" extension "${language}")
  string(TOLOWER "${extension}" extension)
  get_property(archive_file TARGET "${archive}" PROPERTY CUBINET_ARCHIVE_FILE)
  _cubinet_string_literal(archive_literal "${archive_file}")
  set(template "${directory}/CMakeFiles/${target}.dir/cubinet/${symbol}.${extension}.in")
  set(source "${directory}/CMakeFiles/${target}.dir/cubinet/${symbol}.${extension}")
  file(READ "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CubinetEmbed.c.in" text)
  string(CONFIGURE "${text}" text @ONLY)
  file(GENERATE OUTPUT "${template}" CONTENT "${text}")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${template}" "${source}"
    DEPENDS "${template}" "${archive_file}"
    COMMENT "Embedding ${archive} in ${target}"
    VERBATIM)
  _cubinet_compile_alone("${source}" "${language}")
  set(${out_source} "${source}" PARENT_SCOPE)
endfunction()

# Keeps out of the source what a project sets for its own: a unity build, precompiled headers, and link-time optimization,
# which hides from the linker what the assembler defines in a library's member.
function(_cubinet_compile_alone source language)
  set(files "${source}")
  foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES) # properties of sources do not support $<CONFIG>
    string(REPLACE "$<CONFIG>" "${configuration}" file "${source}")
    list(APPEND files "${file}")
  endforeach()
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE SKIP_PRECOMPILE_HEADERS TRUE)
  if(CMAKE_${language}_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS -fno-lto)
  endif()
endfunction()

# A path in an assembler string inside a C string: escaped for the assembler, then for C.
function(_cubinet_string_literal out_text path)
  foreach(level IN ITEMS assembler C)
    string(REPLACE "\\" "\\\\" path "${path}")
    string(REPLACE "\"" "\\\"" path "${path}")
  endforeach()
  set(${out_text} "${path}" PARENT_SCOPE)
endfunction()

# Whether a target is a program or library that can use an archive.
function(_cubinet_check_user call target)
  if(NOT TARGET "${target}")
    _cubinet_fail("${call}" "there is no target '${target}'. Make this call after add_executable() or add_library()")
  endif()
  get_property(type TARGET "${target}" PROPERTY TYPE)
  get_property(imported TARGET "${target}" PROPERTY IMPORTED)
  get_property(aliased TARGET "${target}" PROPERTY ALIASED_TARGET)
  if(imported OR aliased OR NOT type MATCHES "EXECUTABLE|STATIC|SHARED|MODULE|OBJECT")
    _cubinet_fail("${call}" "'${target}' compiles nothing of its own. Name an executable or a library that this project "
      "builds")
  endif()
endfunction()

function(_cubinet_embed_symbol out_symbol call archive symbol)
  if(symbol STREQUAL "")
    _cubinet_c_name(symbol "${archive}")
  elseif(NOT symbol MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    _cubinet_fail("${call}" "SYMBOL '${symbol}' is not the name of a C variable")
  endif()
  set(${out_symbol} "${symbol}" PARENT_SCOPE)
endfunction()

function(_cubinet_once_in_target call target symbol)
  get_property(symbols TARGET "${target}" PROPERTY CUBINET_EMBEDDED)
  if(symbol IN_LIST symbols)
    _cubinet_fail("${call}" "'${target}' has an archive under the symbol '${symbol}' already. Give this one "
      "another with SYMBOL")
  endif()
  set_property(TARGET "${target}" APPEND PROPERTY CUBINET_EMBEDDED "${symbol}")
endfunction()
