# Benchmarks: `cmake --build build --target bench` builds and runs them; each prints a table.
file(GLOB gyre_benchmarks CONFIGURE_DEPENDS "${GYRE_ROOT}/Tests/Benchmarks/*.c")
add_custom_target(bench)

foreach(source IN LISTS gyre_benchmarks)
    cmake_path(GET source STEM name)
    add_executable(bench_${name} EXCLUDE_FROM_ALL "${source}")
    set_target_properties(bench_${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
    gyre_warnings(bench_${name})
    target_link_libraries(bench_${name} PRIVATE gyre)
    add_custom_target(run_bench_${name} COMMAND bench_${name} USES_TERMINAL)
    add_dependencies(bench run_bench_${name})
endforeach()
