# The models of the lock-free protocols, explored by spin. They are the same for every build: where
# there are sanitizers, nothing new would be learned.
if(NOT GYRE_SANITIZED)
    add_test(NAME models COMMAND "${GYRE_ROOT}/Tests/ModelTests/run.sh" --cc "${CMAKE_C_COMPILER}")
    set_tests_properties(models PROPERTIES LABELS model TIMEOUT 900 PROCESSORS 2
        SKIP_RETURN_CODE 77)
endif()
