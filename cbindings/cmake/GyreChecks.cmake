# The checks of the tree and of what was built: layers, headers, symbols, ABI, installation.
add_library(gyre_layout OBJECT abi/layout.c abi/signatures.c)
gyre_warnings(gyre_layout)
target_link_libraries(gyre_layout PRIVATE gyre_cf)

function(gyre_add_check name)
    add_test(NAME checks/${name}
        COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/checks/${name}.sh" ${ARGN})
    set_tests_properties(checks/${name} PROPERTIES
        LABELS checks TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

gyre_add_check(layers)
gyre_add_check(headers "${CMAKE_C_COMPILER}")
# A sanitizer adds symbols and libraries of its own.
if(NOT GYRE_SANITIZED)
    gyre_add_check(symbols $<TARGET_FILE:gyre>)
    gyre_add_check(abi $<TARGET_FILE:gyre>)
    gyre_add_check(install "${PROJECT_BINARY_DIR}" "${CMAKE_COMMAND}")

    add_executable(gyre_unload checks/unload.c)
    gyre_warnings(gyre_unload)
    target_include_directories(gyre_unload PRIVATE "${GYRE_ROOT}/include")
    target_link_libraries(gyre_unload PRIVATE ${CMAKE_DL_LIBS})
    target_link_options(gyre_unload PRIVATE -pthread)
    add_test(NAME checks/unload COMMAND gyre_unload $<TARGET_FILE:gyre>)
    set_tests_properties(checks/unload PROPERTIES LABELS checks TIMEOUT 300)
endif()
