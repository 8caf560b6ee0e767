# The tests of the core: every *Tests.c is a program, linked with the static library so that it
# reaches the parts that the shared one hides. *BlocksTests.c need a compiler that has blocks.
set(GYRE_TEST_TIMEOUT 120 CACHE STRING "Seconds that one test program may take")
set(gyre_core_tests "${GYRE_ROOT}/Tests/CoreTests")

file(GLOB_RECURSE gyre_test_support_sources CONFIGURE_DEPENDS "${gyre_core_tests}/support/*.c")
list(FILTER gyre_test_support_sources EXCLUDE REGEX "Tests\\.c$")
file(GLOB_RECURSE gyre_test_sources CONFIGURE_DEPENDS "${gyre_core_tests}/*Tests.c")
if(NOT GYRE_HAS_BLOCKS)
    list(FILTER gyre_test_sources EXCLUDE REGEX "BlocksTests\\.c$")
endif()

function(gyre_test_settings target)
    gyre_core_settings(${target})
    target_include_directories(${target} PRIVATE "${gyre_core_tests}")
    target_link_libraries(${target} PRIVATE gyre_static)
endfunction()

if(gyre_test_support_sources)
    add_library(gyre_test_support OBJECT ${gyre_test_support_sources})
    gyre_test_settings(gyre_test_support)
endif()

function(gyre_add_core_test source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${gyre_core_tests}" OUTPUT_VARIABLE name)
    cmake_path(REMOVE_EXTENSION name)
    string(REGEX REPLACE "/.*" "" folder "${name}")
    string(REPLACE "/" "_" target "${name}")
    add_executable(${target} "${source}")
    gyre_test_settings(${target})
    target_link_libraries(${target} PRIVATE gyre_test_support)
    if(source MATCHES "BlocksTests\\.c$")
        gyre_use_blocks(${target})
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "core;${folder}" TIMEOUT ${GYRE_TEST_TIMEOUT})
endfunction()

foreach(source IN LISTS gyre_test_sources)
    gyre_add_core_test("${source}")
endforeach()

# That exceptions pass through: where there is a C++ compiler, which knows of no sanitizer.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER AND NOT GYRE_SANITIZED)
    enable_language(CXX)
    add_executable(loop_exceptionTests "${gyre_core_tests}/loop/exceptionTests.cpp")
    target_compile_features(loop_exceptionTests PRIVATE cxx_std_17)
    target_compile_options(loop_exceptionTests PRIVATE
        -Wall -Wextra $<$<BOOL:${GYRE_WERROR}>:-Werror> -pthread)
    target_link_libraries(loop_exceptionTests PRIVATE gyre_static)
    add_test(NAME loop/exceptionTests COMMAND loop_exceptionTests)
    set_tests_properties(loop/exceptionTests PROPERTIES
        LABELS "core;loop" TIMEOUT ${GYRE_TEST_TIMEOUT})
endif()
