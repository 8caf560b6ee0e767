# The fault matrix: a program that uses the loop, run with one system call at a time refused. It
# needs strace, and blocks for the program. Sanitizers make system calls of their own: not there.
find_program(GYRE_STRACE strace)
mark_as_advanced(GYRE_STRACE)
if(GYRE_STRACE AND GYRE_BLOCKS_CC AND NOT GYRE_SANITIZED)
    set(gyre_faults "${GYRE_ROOT}/Tests/FaultTests")
    set(gyre_soak "${PROJECT_BINARY_DIR}/soak")
    separate_arguments(gyre_soak_flags UNIX_COMMAND "${gyre_cf_flags}")
    cmake_path(GET GYRE_BLOCKS_RUNTIME PARENT_PATH gyre_blocks_dir)
    add_custom_command(OUTPUT "${gyre_soak}"
        COMMAND "${GYRE_BLOCKS_CC}" -fblocks -std=gnu11 -O2 -pthread ${gyre_soak_flags}
            "${gyre_faults}/soak.c" -o "${gyre_soak}"
            "$<TARGET_FILE:gyre>" "-Wl,-rpath,$<TARGET_FILE_DIR:gyre>"
            "${GYRE_BLOCKS_RUNTIME}" "-Wl,-rpath,${gyre_blocks_dir}"
        DEPENDS "${gyre_faults}/soak.c" gyre VERBATIM)
    add_custom_target(gyre_soak ALL DEPENDS "${gyre_soak}")
    add_test(NAME fault_matrix COMMAND "${gyre_faults}/faultmatrix.sh"
        -o "${PROJECT_BINARY_DIR}/faults" -- "${gyre_soak}")
    set_tests_properties(fault_matrix PROPERTIES LABELS fault TIMEOUT 900 PROCESSORS 2
        SKIP_RETURN_CODE 77)
endif()
