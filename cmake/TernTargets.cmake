# Settings for the targets that Tern itself builds: language level, warnings, sanitizers. They stay on those
# targets; a project that adds Tern as a subdirectory keeps its own.

# Warnings and sanitizers.
function(tern_check_target target)
    target_compile_options(${target} PRIVATE -Wall -Wextra
        $<$<BOOL:${TERN_WERROR}>:-Werror>)
    if(TERN_SANITIZE)
        target_compile_options(${target} PRIVATE
            -fsanitize=${TERN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${TERN_SANITIZE})
        # On x86-64 without these Highway emulates vectors, lane by lane: code that is slow to compile with
        # checks in it, and that the builds without sanitizers run.
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
            target_compile_options(${target} PRIVATE -msse4.2 -maes -mpclmul)
        endif()
    endif()
    if(TERN_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# Everything that code with access to src/ needs.
function(tern_internal_target target)
    tern_check_target(${target})
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)
    if(PROJECT_IS_TOP_LEVEL)
        set_target_properties(${target} PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    endif()
    target_include_directories(${target} PRIVATE
        "${PROJECT_SOURCE_DIR}/src"
        "${PROJECT_SOURCE_DIR}/include"
        "${PROJECT_BINARY_DIR}/include")
    target_link_libraries(${target} PRIVATE TBB::tbb hwy::hwy)
    # fmt is compiled in (src/base/text.cpp), so that it is no part of the ABI, nor of the package:
    # only its headers are used.
    target_include_directories(${target} SYSTEM PRIVATE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>>
        # Nothing but headers.
        "${TERN_PROTOZERO_INCLUDE_DIR}")
endfunction()

# Debian's TBB is not built for the thread sanitizer, and what its headers put into our files looks like races
# for that reason. So the files that use it are not checked, unlike all that they call; src/base/parallel.cpp tells
# the sanitizer how TBB orders what our threads do.
function(tern_leave_out_of_thread_sanitizer)
    if(TERN_SANITIZE MATCHES "thread")
        set_source_files_properties(${ARGN} PROPERTIES
            COMPILE_OPTIONS -fno-sanitize=thread COMPILE_DEFINITIONS TERN_THREAD_SANITIZER
            SKIP_PRECOMPILE_HEADERS ON) # these are built with it
    endif()
endfunction()
