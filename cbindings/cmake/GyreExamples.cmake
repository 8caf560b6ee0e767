# The examples, each built as a program outside the tree would be, run, and its output compared
# with examples/expected/NAME.txt.
function(gyre_add_example name library)
    add_executable(example_${name} "examples/${name}.c")
    set_target_properties(example_${name} PROPERTIES
        OUTPUT_NAME ${name} C_STANDARD 11 C_EXTENSIONS ON)
    gyre_warnings(example_${name})
    target_link_libraries(example_${name} PRIVATE ${library})
    add_test(NAME examples/${name} COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/checks/output.sh"
        "${CMAKE_CURRENT_SOURCE_DIR}/examples/expected/${name}.txt" $<TARGET_FILE:example_${name}>)
    set_tests_properties(examples/${name} PROPERTIES LABELS examples TIMEOUT 60)
endfunction()

gyre_add_example(hello gyre::gyre)
gyre_add_example(lines gyre::gyre)
gyre_add_example(pool gyre::gyre)
gyre_add_example(worker gyre::gyre)
gyre_add_example(countdown_cf gyre::cf)
gyre_add_example(descriptors_cf gyre::cf)
gyre_add_example(ports_cf gyre::cf)

# Loops inside other libraries' loops, where these are there.
gyre_add_example(embed_epoll gyre::gyre)
find_package(PkgConfig QUIET)
function(gyre_add_example_with module)
    if(NOT PKG_CONFIG_FOUND)
        return()
    endif()
    pkg_check_modules(gyre_${module} QUIET IMPORTED_TARGET ${module})
    if(NOT gyre_${module}_FOUND)
        return()
    endif()
    foreach(name IN LISTS ARGN)
        gyre_add_example(${name} gyre::gyre)
        target_link_libraries(example_${name} PRIVATE PkgConfig::gyre_${module})
    endforeach()
endfunction()
gyre_add_example_with(glib-2.0 embed_glib glib_guest)
gyre_add_example_with(libuv embed_libuv)
