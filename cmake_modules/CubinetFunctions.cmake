# Everything that find_package(Cubinet) and add_subdirectory(cubinet) give to a project, apart from the
# targets. docs/guide/cmake.md is the reference.
include_guard(DIRECTORY)

# Functions keep the policies of the place where they are defined, so a project may choose its own.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}") # find_package(CubinetToolkit)

include("${CMAKE_CURRENT_LIST_DIR}/CubinetArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetArchitectures.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetExpressions.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetLanguageGuards.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetInstantiate.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetCompile.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetPrecompile.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetJobPool.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetEditor.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetArchiveTarget.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetLink.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetAddModule.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetFragment.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetOfTarget.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetTargetChanges.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetGeneratedHeaders.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetAddArchive.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetEmbed.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetExport.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CubinetInstall.cmake")

cmake_policy(POP)
