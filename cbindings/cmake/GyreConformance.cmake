# The conformance cases against the compatibility headers and the shared library: by the build's
# compiler, and, where that has no blocks, once more by one that has.
set(gyre_conformance "${GYRE_ROOT}/Tests/ConformanceTests")
list(TRANSFORM GYRE_CF_TAGS PREPEND "-D" OUTPUT_VARIABLE gyre_cf_flags)
list(JOIN gyre_cf_flags " " gyre_cf_flags)
string(PREPEND gyre_cf_flags
    "-g -I${CMAKE_CURRENT_SOURCE_DIR}/compat -I${GYRE_ROOT}/include ")
set(gyre_client_libs "-L$<TARGET_FILE_DIR:gyre> -lgyre -Wl,-rpath,$<TARGET_FILE_DIR:gyre>")
cmake_path(GET GYRE_BLOCKS_RUNTIME PARENT_PATH gyre_blocks_dir)
set(gyre_blocks_libs "${gyre_client_libs} ${GYRE_BLOCKS_RUNTIME} -Wl,-rpath,${gyre_blocks_dir}")

function(gyre_add_conformance name cc libs)
    add_test(NAME ${name} COMMAND "${gyre_conformance}/run.sh"
        --cc "${cc}" --cflags "${gyre_cf_flags}" --libs "${libs} ${CMAKE_EXE_LINKER_FLAGS}")
    set_tests_properties(${name} PROPERTIES LABELS conformance TIMEOUT 600 PROCESSORS 2)
endfunction()

if(GYRE_HAS_BLOCKS)
    gyre_add_conformance(conformance "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS} -fblocks"
        "${gyre_blocks_libs}")
else()
    gyre_add_conformance(conformance "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS}" "${gyre_client_libs}")
    if(GYRE_BLOCKS_CC)
        gyre_add_conformance(conformance_blocks "${GYRE_BLOCKS_CC} -fblocks" "${gyre_blocks_libs}")
    endif()
endif()
