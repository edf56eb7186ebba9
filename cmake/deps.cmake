# Finds what `./dev setup` installed; says which package is missing. Nothing is downloaded here.
set(PCHRONICLE_DEPS ${CMAKE_CURRENT_SOURCE_DIR}/build CACHE PATH "Folder with _crates, _npm and _duckdb, made by ./dev setup")
set(PCHRONICLE_CRATES ${PCHRONICLE_DEPS}/_crates)

function(pchronicle_require path package)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "${path} is missing (package ${package}); run ./dev setup")
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(fmt 9.1 CONFIG)
if(NOT fmt_FOUND)
  message(FATAL_ERROR "fmt is missing (Debian package libfmt-dev); run ./dev setup")
endif()
find_path(XXHASH_INCLUDE xxhash.h)
if(NOT XXHASH_INCLUDE)
  message(FATAL_ERROR "xxhash.h is missing (Debian package libxxhash-dev); run ./dev setup")
endif()
find_package(yaml-cpp 0.7 CONFIG)
if(NOT yaml-cpp_FOUND)
  message(FATAL_ERROR "yaml-cpp is missing (Debian package libyaml-cpp-dev); run ./dev setup")
endif()

# zlib, zstd and LZ4: the archives, so that nothing is loaded at the start by programs that compress nothing.
function(pchronicle_archive name header archive package)
  find_path(${name}_INCLUDE ${header})
  find_library(${name}_ARCHIVE ${archive})
  if(NOT ${name}_INCLUDE OR NOT ${name}_ARCHIVE)
    message(FATAL_ERROR "${header} or ${archive} is missing (Debian package ${package}); run ./dev setup")
  endif()
  string(TOLOWER pchronicle_${name} target)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${name}_ARCHIVE})
  target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE})
endfunction()
pchronicle_archive(ZLIB zlib.h libz.a zlib1g-dev)
pchronicle_archive(ZSTD zstd.h libzstd.a libzstd-dev)
pchronicle_archive(LZ4 lz4.h liblz4.a liblz4-dev)

# BLAKE3: the official C and assembly sources, carried by the crate.
set(BLAKE3_DIR ${PCHRONICLE_CRATES}/blake3-1.8.7/c)
pchronicle_require(${BLAKE3_DIR}/blake3.h "crate blake3 1.8.7")
add_library(pchronicle_blake3 STATIC
  ${BLAKE3_DIR}/blake3.c ${BLAKE3_DIR}/blake3_dispatch.c ${BLAKE3_DIR}/blake3_portable.c
  ${BLAKE3_DIR}/blake3_sse2_x86-64_unix.S ${BLAKE3_DIR}/blake3_sse41_x86-64_unix.S
  ${BLAKE3_DIR}/blake3_avx2_x86-64_unix.S ${BLAKE3_DIR}/blake3_avx512_x86-64_unix.S)
target_include_directories(pchronicle_blake3 SYSTEM PUBLIC ${BLAKE3_DIR})

# CRoaring: the amalgamated source of the crate. Unlike Debian's 0.2.66 it can validate bytes from outside.
set(ROARING_DIR ${PCHRONICLE_CRATES}/croaring-sys-5.2.2/CRoaring)
pchronicle_require(${ROARING_DIR}/roaring.c "crate croaring-sys 5.2.2")
add_library(pchronicle_roaring STATIC ${ROARING_DIR}/roaring.c)
target_include_directories(pchronicle_roaring SYSTEM PUBLIC ${ROARING_DIR})
target_compile_options(pchronicle_roaring PRIVATE -w)

# simdjson: UTF-8 validation and an independent full parser for tests.
file(GLOB SIMDJSON_HEADER ${PCHRONICLE_CRATES}/simdjson-sys-*/vendor/simdjson/simdjson.h
     ${PCHRONICLE_CRATES}/simdjson-sys-*/simdjson/simdjson.h)
if(NOT SIMDJSON_HEADER)
  message(FATAL_ERROR "simdjson.h is missing (crate simdjson-sys); run ./dev setup")
endif()
list(GET SIMDJSON_HEADER 0 SIMDJSON_HEADER)
get_filename_component(SIMDJSON_DIR ${SIMDJSON_HEADER} DIRECTORY)
add_library(pchronicle_simdjson STATIC ${SIMDJSON_DIR}/simdjson.cpp)
target_include_directories(pchronicle_simdjson SYSTEM PUBLIC ${SIMDJSON_DIR})
target_compile_options(pchronicle_simdjson PRIVATE -O3 -w)

# DuckDB: headers of the crate, library of the npm package. Checked to be one build in cmake/duckdb.cmake.
set(DUCKDB_INCLUDE ${PCHRONICLE_DEPS}/_duckdb/duckdb/src/include)
set(DUCKDB_LIBDIR ${PCHRONICLE_DEPS}/_npm/node_modules/@duckdb/node-bindings-linux-x64)
pchronicle_require(${DUCKDB_INCLUDE}/duckdb.hpp "crate libduckdb-sys 1.10506.1")
pchronicle_require(${DUCKDB_LIBDIR}/libduckdb.so "npm @duckdb/node-bindings-linux-x64 1.5.6-r.1")
add_library(pchronicle_duckdb SHARED IMPORTED GLOBAL)
set_target_properties(pchronicle_duckdb PROPERTIES IMPORTED_LOCATION ${DUCKDB_LIBDIR}/libduckdb.so IMPORTED_NO_SONAME ON)
target_include_directories(pchronicle_duckdb SYSTEM INTERFACE ${DUCKDB_INCLUDE})
include(cmake/duckdb.cmake)

if(PCHRONICLE_TESTS)
  find_package(GTest CONFIG)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "GoogleTest is missing (Debian packages libgtest-dev libgmock-dev); run ./dev setup")
  endif()
  find_path(RAPIDCHECK_INCLUDE rapidcheck.h)
  find_library(RAPIDCHECK_LIBRARY rapidcheck)
  if(NOT RAPIDCHECK_INCLUDE OR NOT RAPIDCHECK_LIBRARY)
    message(FATAL_ERROR "rapidcheck is missing (Debian package librapidcheck-dev); run ./dev setup")
  endif()
endif()
