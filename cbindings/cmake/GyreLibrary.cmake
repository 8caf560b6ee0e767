# The shared and the static library, from the same sources.

file(GLOB GYRE_SOURCES CONFIGURE_DEPENDS "${GYRE_ROOT}/Sources/CGyre/*/*.c")

# Everything that includes the core's own headers is compiled with these settings: the libraries,
# and the tests of the core.
function(gyre_core_settings target)
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON)
    target_include_directories(${target} PRIVATE "${GYRE_ROOT}/Sources/CGyre")
    target_compile_definitions(${target} PRIVATE $<$<BOOL:${GYRE_DEBUG}>:GYRE_DEBUG=1>)
    gyre_warnings(${target})
endfunction()

function(gyre_warnings target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
        $<$<BOOL:${GYRE_WERROR}>:-Werror> -pthread)
endfunction()

function(gyre_library target)
    gyre_core_settings(${target})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME gyre C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC
        "$<BUILD_INTERFACE:${GYRE_ROOT}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endfunction()

include(GNUInstallDirs)
set(GYRE_MAP "${CMAKE_CURRENT_SOURCE_DIR}/gyre.map")
# clang leaves a sanitizer's runtime to the program: a shared library then has undefined symbols.
string(FIND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE}}" "-fsanitize" gyre_sanitizer_at)
string(COMPARE NOTEQUAL "${gyre_sanitizer_at}" -1 GYRE_SANITIZED)

add_library(gyre SHARED ${GYRE_SOURCES})
add_library(gyre::gyre ALIAS gyre)
gyre_library(gyre)
set_target_properties(gyre PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS "${GYRE_MAP}")
# The initial-exec model spares each access to a thread's own data a call, and the library the
# dependency on the dynamic loader that the call would bring.
target_compile_options(gyre PRIVATE -ftls-model=initial-exec -fno-semantic-interposition)
# nodelete: threads that have a loop run the library's code when they end.
target_link_options(gyre PRIVATE
    -pthread "LINKER:--version-script=${GYRE_MAP}" "LINKER:-z,relro,-z,now,-z,nodelete"
    "LINKER:-Bsymbolic-functions" $<$<NOT:$<BOOL:${GYRE_SANITIZED}>>:LINKER:--no-undefined>)

add_library(gyre_static STATIC ${GYRE_SOURCES})
add_library(gyre::gyre_static ALIAS gyre_static)
gyre_library(gyre_static)
target_link_options(gyre_static INTERFACE -pthread)

# The source-compatibility headers: <CoreFoundation/CoreFoundation.h> over the shared library.
# A program that declares CoreFoundation's types itself, before it includes any of its headers,
# needs the struct tags on the command line; the headers define them the same way.
set(GYRE_CF_TAGS
    __CFAllocator=GYAllocator __CFArray=GYArray __CFData=GYData __CFDate=GYDate
    __CFMessagePort=GYMessagePort
    __CFRunLoop=GYRunLoop __CFRunLoopObserver=GYRunLoopObserver
    __CFRunLoopSource=GYRunLoopSource __CFRunLoopTimer=GYRunLoopTimer __CFString=GYString)
add_library(gyre_cf INTERFACE)
add_library(gyre::cf ALIAS gyre_cf)
set_target_properties(gyre_cf PROPERTIES EXPORT_NAME cf)
target_include_directories(gyre_cf INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/compat>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/gyre-cf>")
target_compile_definitions(gyre_cf INTERFACE ${GYRE_CF_TAGS})
target_link_libraries(gyre_cf INTERFACE gyre)
