# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies: headers, library, driver, CMake package (find_package(tern)), tern.pc, licence.
# One package holds one kind of library, static or shared, as BUILD_SHARED_LIBS was. docs/packaging.md
# describes it.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_target_property(type tern TYPE)
set(cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tern")

# --- headers, library, driver -----------------------------------------------------------------

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tern" "${PROJECT_BINARY_DIR}/include/tern"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT devel
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(TARGETS tern EXPORT tern-targets
    RUNTIME COMPONENT runtime
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT devel
    ARCHIVE COMPONENT devel
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TERN_DRIVER)
    install(TARGETS benchtern RUNTIME COMPONENT driver)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT devel)
if(TERN_ONEDNN_KIND STREQUAL "bundled") # beside the library or inside: its notices come along
    cmake_path(GET TERN_ONEDNN_ARCHIVE PARENT_PATH onednn_lib)
    install(DIRECTORY "${onednn_lib}/../share/doc/dnnl/"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/onednn" COMPONENT devel)
endif()

# --- what a static library needs to be linked -------------------------------------------------

# In the package, tern::onednn is the oneDNN that Tern was built with; tern-config.cmake defines it. A shared
# library has all it needs inside, or finds it by itself.
set(package_onednn OFF)
set(pc_requires "")
set(pc_libs "-L\${libdir} -ltern")
set(pc_cflags "-I\${includedir}")
if(type STREQUAL "STATIC_LIBRARY")
    set(package_onednn "${TERN_ONEDNN_KIND}")
    set(pc_requires "tbb, libhwy")
    string(APPEND pc_cflags " -DTERN_STATIC_DEFINE")
    if(package_onednn STREQUAL "bundled")
        install(FILES "${TERN_ONEDNN_ARCHIVE}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/tern"
            RENAME libtern_onednn.a COMPONENT devel)
        string(APPEND pc_libs " \${libdir}/tern/libtern_onednn.a")
    elseif(package_onednn STREQUAL "system")
        string(APPEND pc_libs " -ldnnl")
        if(TERN_ONEDNN_RUNTIME STREQUAL "OMP")
            string(APPEND pc_libs " -lgomp")
        endif()
    endif()
    if(NOT package_onednn STREQUAL "OFF")
        target_link_libraries(tern INTERFACE $<INSTALL_INTERFACE:tern::onednn>)
    endif()
    string(APPEND pc_libs " ${CMAKE_THREAD_LIBS_INIT}")
    string(STRIP "${pc_libs}" pc_libs)
endif()

# --- the CMake package ------------------------------------------------------------------------

install(EXPORT tern-targets NAMESPACE tern:: DESTINATION "${cmake_dir}" COMPONENT devel)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tern-config.cmake.in"
    "${PROJECT_BINARY_DIR}/tern-config.cmake"
    INSTALL_DESTINATION "${cmake_dir}" PATH_VARS CMAKE_INSTALL_LIBDIR
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 every minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tern-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/tern-config.cmake"
    "${PROJECT_BINARY_DIR}/tern-config-version.cmake"
    DESTINATION "${cmake_dir}" COMPONENT devel)

# --- pkg-config -------------------------------------------------------------------------------

# Found from where tern.pc lies, so that the tree may be moved; folders given as absolute stay where they are.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
    file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/tern.pc.in" "${PROJECT_BINARY_DIR}/tern.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tern.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT devel)
