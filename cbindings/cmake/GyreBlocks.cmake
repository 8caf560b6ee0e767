# Whether programs with blocks can be built: by the build's own compiler, or by another one.
#
#   GYRE_HAS_BLOCKS       the build's compiler knows them
#   GYRE_BLOCKS_CC        a compiler that does: the build's own, or a clang that was found
#   GYRE_BLOCKS_RUNTIME   the library that such programs link; it comes with a Swift toolchain too
#   GYRE_DISPATCH         libdispatch, for tests of the main queue; likewise
include(CheckCSourceCompiles)

find_program(GYRE_SWIFT swift)
if(GYRE_SWIFT)
    file(REAL_PATH "${GYRE_SWIFT}" gyre_swift_usr)
    cmake_path(GET gyre_swift_usr PARENT_PATH gyre_swift_usr)
    cmake_path(GET gyre_swift_usr PARENT_PATH gyre_swift_usr)
endif()
find_library(GYRE_BLOCKS_RUNTIME BlocksRuntime HINTS "${gyre_swift_usr}/lib/swift/linux")
find_library(GYRE_DISPATCH dispatch HINTS "${gyre_swift_usr}/lib/swift/linux")
mark_as_advanced(GYRE_SWIFT GYRE_BLOCKS_RUNTIME GYRE_DISPATCH)

set(CMAKE_REQUIRED_FLAGS -fblocks)
check_c_source_compiles(
    "int main(void) { __block int ran = 0; void (^b)(void) = 0; if (b) b(); return ran; }"
    GYRE_COMPILER_HAS_BLOCKS)
unset(CMAKE_REQUIRED_FLAGS)

set(GYRE_HAS_BLOCKS OFF)
set(GYRE_BLOCKS_CC "")
if(GYRE_BLOCKS_RUNTIME AND GYRE_COMPILER_HAS_BLOCKS)
    set(GYRE_HAS_BLOCKS ON)
    set(GYRE_BLOCKS_CC "${CMAKE_C_COMPILER}")
elseif(GYRE_BLOCKS_RUNTIME AND NOT GYRE_SANITIZED)
    find_program(GYRE_CLANG clang)
    mark_as_advanced(GYRE_CLANG)
    if(GYRE_CLANG)
        set(GYRE_BLOCKS_CC "${GYRE_CLANG}")
    endif()
endif()

# By the program itself, whose references are weak: the linker is not to leave it out.
function(gyre_use_dispatch target)
    target_link_options(${target} PRIVATE "LINKER:--no-as-needed")
    target_link_libraries(${target} PRIVATE "${GYRE_DISPATCH}" "${GYRE_BLOCKS_RUNTIME}")
endfunction()

function(gyre_use_blocks target)
    target_compile_options(${target} PRIVATE -fblocks)
    target_link_libraries(${target} PRIVATE "${GYRE_BLOCKS_RUNTIME}")
endfunction()
