# SPDX-License-Identifier: Apache-2.0
# Finds oneDNN and makes the imported target tern_onednn of it.
#
# In:   TERN_ONEDNN          AUTO (bundled, else system, else OFF), bundled, system or OFF
#       TERN_ONEDNN_PREFIX   where scripts/setup.sh put its build; empty: the place that it chooses
# Out:  TERN_ONEDNN_KIND     bundled, system or OFF; no target tern_onednn when OFF
#       TERN_ONEDNN_VERSION  such as 3.7.2
#       TERN_ONEDNN_RUNTIME  THREADPOOL (bundled), OMP, TBB or SEQ: who runs the primitives' threads
#       TERN_ONEDNN_ARCHIVE  bundled only: the static library's path, for packages to install
#
# With the OMP runtime the target also links GNU's OpenMP library, the one that distributions build
# oneDNN with, so that omp_set_num_threads acts on it whatever the compiler. It adds no -fopenmp.
# oneDNN's own CMake package is not used: some builds demand OpenCL and fail where that is missing.

set(TERN_ONEDNN AUTO CACHE STRING
    "Which oneDNN: AUTO, bundled (built by scripts/setup.sh), system, OFF")
set_property(CACHE TERN_ONEDNN PROPERTY STRINGS AUTO bundled system OFF)
set(TERN_ONEDNN_PREFIX "" CACHE PATH
    "Prefix of the bundled oneDNN; empty: where scripts/setup.sh puts it")
mark_as_advanced(TERN_ONEDNN_PREFIX)

# Must give what default_prefix() of scripts/onednn.sh gives: SHA-256 of the SHA-256s (hex digits,
# one after the other) of the files in cmake/onednn, in byte order of their names.
function(tern_onednn_default_prefix result)
    set(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/onednn")
    file(GLOB files "${folder}/*")
    list(SORT files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    set(digests "")
    foreach(name IN LISTS files)
        file(SHA256 "${name}" digest)
        string(APPEND digests "${digest}")
    endforeach()
    string(SHA256 hash "${digests}")
    string(SUBSTRING "${hash}" 0 12 hash)
    file(STRINGS "${folder}/VERSION" version LIMIT_COUNT 1)
    if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(cache "$ENV{HOME}/.cache")
    else()
        set(cache "$ENV{XDG_CACHE_HOME}")
    endif()
    set(${result} "${cache}/tern/onednn-${version}-${hash}" PARENT_SCOPE)
endfunction()

# Reads version and CPU runtime from the headers in `include`; both empty when there are none.
function(tern_onednn_read_headers include version_result runtime_result)
    set(version "")
    set(runtime "")
    set(version_header "${include}/oneapi/dnnl/dnnl_version.h")
    set(config_header "${include}/oneapi/dnnl/dnnl_config.h")
    if(EXISTS "${version_header}" AND EXISTS "${config_header}")
        foreach(part IN ITEMS MAJOR MINOR PATCH)
            file(STRINGS "${version_header}" line REGEX "define DNNL_VERSION_${part} ")
            string(REGEX MATCH "[0-9]+" number "${line}")
            list(APPEND version "${number}")
        endforeach()
        list(JOIN version "." version)
        file(STRINGS "${config_header}" line REGEX "define DNNL_CPU_THREADING_RUNTIME ")
        string(REGEX REPLACE ".*DNNL_RUNTIME_" "" runtime "${line}")
    endif()
    set(${version_result} "${version}" PARENT_SCOPE)
    set(${runtime_result} "${runtime}" PARENT_SCOPE)
endfunction()

function(tern_find_onednn)
    set(oldest 3.7)
    if(NOT TERN_ONEDNN MATCHES "^(AUTO|bundled|system|OFF)$")
        message(FATAL_ERROR
            "TERN_ONEDNN is '${TERN_ONEDNN}'; it can be AUTO, bundled, system or OFF")
    endif()
    set(kind OFF)
    set(version "")
    set(runtime "")
    set(archive "")

    if(TERN_ONEDNN MATCHES "^(AUTO|bundled)$")
        set(prefix "${TERN_ONEDNN_PREFIX}")
        if(prefix STREQUAL "")
            tern_onednn_default_prefix(prefix)
        endif()
        if(EXISTS "${prefix}/complete")
            set(kind bundled)
            set(include "${prefix}/include")
            set(archive "${prefix}/lib/libdnnl.a")
            set(library "${archive}")
            tern_onednn_read_headers("${include}" version runtime)
        elseif(TERN_ONEDNN STREQUAL "bundled")
            message(FATAL_ERROR "TERN_ONEDNN=bundled, but there is no oneDNN in ${prefix}. "
                "Run TERN_ONEDNN=bundled scripts/setup.sh, or set TERN_ONEDNN_PREFIX.")
        endif()
    endif()

    if(kind STREQUAL "OFF" AND TERN_ONEDNN MATCHES "^(AUTO|system)$")
        find_path(TERN_ONEDNN_SYSTEM_INCLUDE oneapi/dnnl/dnnl.hpp)
        find_library(TERN_ONEDNN_SYSTEM_LIBRARY dnnl)
        mark_as_advanced(TERN_ONEDNN_SYSTEM_INCLUDE TERN_ONEDNN_SYSTEM_LIBRARY)
        set(found "none")
        if(TERN_ONEDNN_SYSTEM_INCLUDE AND TERN_ONEDNN_SYSTEM_LIBRARY)
            tern_onednn_read_headers("${TERN_ONEDNN_SYSTEM_INCLUDE}" found runtime)
        endif()
        if(found VERSION_GREATER_EQUAL oldest)
            set(kind system)
            set(version "${found}")
            set(include "${TERN_ONEDNN_SYSTEM_INCLUDE}")
            set(library "${TERN_ONEDNN_SYSTEM_LIBRARY}")
        elseif(TERN_ONEDNN STREQUAL "system")
            message(FATAL_ERROR "TERN_ONEDNN=system needs oneDNN ${oldest} or newer with its "
                "headers (libdnnl-dev); found: ${found}.")
        else()
            set(runtime "")
            message(STATUS "oneDNN: OFF, no ${oldest} or newer found (scripts/setup.sh gets one); "
                "Tern uses its own loops only")
        endif()
    endif()

    # Global, because a project that adds Tern as a subdirectory links it through Tern's targets.
    if(NOT kind STREQUAL "OFF")
        message(STATUS "oneDNN: ${kind} ${version}, runtime ${runtime}")
        if(NOT TARGET tern_onednn)
            add_library(tern_onednn UNKNOWN IMPORTED GLOBAL)
        endif()
        set_target_properties(tern_onednn PROPERTIES
            IMPORTED_LOCATION "${library}"
            INTERFACE_INCLUDE_DIRECTORIES "${include}")
        if(kind STREQUAL "bundled" AND NOT APPLE AND NOT WIN32)
            # Its own symbols are hidden, but not the instances of std's templates over its types,
            # which would meet those of another oneDNN in the same process.
            set_target_properties(tern_onednn PROPERTIES
                INTERFACE_LINK_OPTIONS "LINKER:--exclude-libs,libdnnl.a")
        endif()
        if(runtime STREQUAL "OMP")
            set_target_properties(tern_onednn PROPERTIES INTERFACE_LINK_LIBRARIES gomp)
        endif()
    elseif(TERN_ONEDNN STREQUAL "OFF")
        message(STATUS "oneDNN: OFF")
    endif()

    set(TERN_ONEDNN_KIND ${kind} PARENT_SCOPE)
    set(TERN_ONEDNN_VERSION "${version}" PARENT_SCOPE)
    set(TERN_ONEDNN_RUNTIME "${runtime}" PARENT_SCOPE)
    set(TERN_ONEDNN_ARCHIVE "${archive}" PARENT_SCOPE)
endfunction()
tern_find_onednn()
