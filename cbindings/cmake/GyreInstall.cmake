# What a package holds. Nothing of it names the prefix, so the whole may be moved.
include(CMakePackageConfigHelpers)
set(gyre_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/gyre")
set(gyre_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS gyre gyre_static gyre_cf EXPORT gyreTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${GYRE_ROOT}/include/gyre" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/compat/CoreFoundation"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gyre-cf" FILES_MATCHING PATTERN "*.h")

install(EXPORT gyreTargets NAMESPACE gyre:: DESTINATION "${gyre_cmake_dir}")
configure_package_config_file(cmake/gyreConfig.cmake.in "${PROJECT_BINARY_DIR}/gyreConfig.cmake"
    INSTALL_DESTINATION "${gyre_cmake_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/gyreConfig.cmake" "${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake"
    DESTINATION "${gyre_cmake_dir}")

# The prefix as pkg-config finds it from where the .pc file lies.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE GYRE_PC_UP)
set(gyre_pc_prefix "\${prefix}")
cmake_path(APPEND gyre_pc_prefix "${CMAKE_INSTALL_LIBDIR}" OUTPUT_VARIABLE GYRE_PC_LIBDIR)
cmake_path(APPEND gyre_pc_prefix "${CMAKE_INSTALL_INCLUDEDIR}" OUTPUT_VARIABLE GYRE_PC_INCLUDEDIR)
list(TRANSFORM GYRE_CF_TAGS PREPEND "-D" OUTPUT_VARIABLE GYRE_PC_CF_TAGS)
list(JOIN GYRE_PC_CF_TAGS " " GYRE_PC_CF_TAGS)
foreach(pc IN ITEMS gyre gyre-cf)
    configure_file(cmake/${pc}.pc.in "${PROJECT_BINARY_DIR}/${pc}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc" DESTINATION "${gyre_pc_dir}")
endforeach()
