# Builds the source that the port lies in: vcpkg install cubinet --overlay-ports=CUBINET/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        tool            CUBINET_BUILD_PACKAGER
        remote-cache    CUBINET_WITH_CURL
        signing         CUBINET_WITH_SODIUM
        lz4             CUBINET_WITH_LZ4
)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" BUILD_SHARED)
if("tool" IN_LIST FEATURES)
    vcpkg_find_acquire_program(PKGCONFIG)
    list(APPEND FEATURE_OPTIONS "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
endif()

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DCUBINET_BUILD_SHARED=${BUILD_SHARED}
        -DCUBINET_BUILD_TESTS=OFF
        -DCUBINET_BUILD_SAMPLES=OFF
        -DCUBINET_BUILD_BENCHMARKS=OFF
    OPTIONS_DEBUG
        -DCUBINET_BUILD_PACKAGER=OFF
    MAYBE_UNUSED_VARIABLES # by the library alone
        CUBINET_BUILD_SAMPLES
        CUBINET_BUILD_TESTS
        CUBINET_WITH_CURL
        CUBINET_WITH_LZ4
        CUBINET_WITH_SODIUM
        PKG_CONFIG_EXECUTABLE
)
vcpkg_cmake_install()
if("tool" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES cubinet AUTO_CLEAN)
    # Where the command looks first: beside itself.
    file(RENAME "${CURRENT_PACKAGES_DIR}/share/cubinet/device_headers" "${CURRENT_PACKAGES_DIR}/tools/cubinet/device_headers")
endif()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/Cubinet)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
