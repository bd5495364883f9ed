# Finds zstd, for Cubinet's build and for programs that link its static library: the target Cubinet::zstd.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND) # tells where it is; neither it nor CMAKE_PREFIX_PATH is needed where that is a usual place
  pkg_check_modules(CUBINET_PC_ZSTD QUIET libzstd)
endif()
find_path(CUBINET_ZSTD_INCLUDE_DIR zstd.h HINTS ${CUBINET_PC_ZSTD_INCLUDE_DIRS})
find_library(CUBINET_ZSTD_LIBRARY zstd HINTS ${CUBINET_PC_ZSTD_LIBRARY_DIRS})
mark_as_advanced(CUBINET_ZSTD_INCLUDE_DIR CUBINET_ZSTD_LIBRARY)

set(CubinetZstd_VERSION "")
if(CUBINET_ZSTD_INCLUDE_DIR)
  file(STRINGS "${CUBINET_ZSTD_INCLUDE_DIR}/zstd.h" CubinetZstd_VERSION
    REGEX "^#define ZSTD_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  string(REGEX REPLACE "#define ZSTD_VERSION_[A-Z]+ +([0-9]+)[^;]*" "\\1" CubinetZstd_VERSION "${CubinetZstd_VERSION}")
  string(REPLACE ";" "." CubinetZstd_VERSION "${CubinetZstd_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CubinetZstd
  REQUIRED_VARS CUBINET_ZSTD_LIBRARY CUBINET_ZSTD_INCLUDE_DIR
  VERSION_VAR CubinetZstd_VERSION
  REASON_FAILURE_MESSAGE "Install zstd: apt-get install libzstd-dev, or dnf install libzstd-devel")
if(CubinetZstd_FOUND AND NOT TARGET Cubinet::zstd)
  add_library(Cubinet::zstd UNKNOWN IMPORTED)
  set_target_properties(Cubinet::zstd PROPERTIES
    IMPORTED_LOCATION "${CUBINET_ZSTD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CUBINET_ZSTD_INCLUDE_DIR}")
endif()
