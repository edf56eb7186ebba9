set(DUCKDB_VERSION v1.5.6)
set(DUCKDB_SOURCE 069cc9f9b5)
# A header and a library of two DuckDB builds can link and then corrupt memory, so the pair is checked once.
if(NOT PCHRONICLE_DUCKDB_CHECKED STREQUAL "${DUCKDB_LIBDIR}")
  file(CONFIGURE OUTPUT duckdb_check.cc @ONLY CONTENT [[
#include <cstdio>
#include <cstring>
namespace duckdb { class DuckDB { public: static const char* LibraryVersion(); static const char* SourceID(); }; }
int main() {
  std::printf("%s %s", duckdb::DuckDB::LibraryVersion(), duckdb::DuckDB::SourceID());
  return std::strcmp(duckdb::DuckDB::LibraryVersion(), "@DUCKDB_VERSION@") != 0 ||
         std::strncmp(duckdb::DuckDB::SourceID(), "@DUCKDB_SOURCE@", 10) != 0;
}
]])
  try_run(DUCKDB_RUN DUCKDB_COMPILED ${CMAKE_BINARY_DIR}/duckdb_check ${CMAKE_BINARY_DIR}/duckdb_check.cc
    LINK_LIBRARIES ${DUCKDB_LIBDIR}/libduckdb.so
    LINK_OPTIONS -Wl,-rpath,${DUCKDB_LIBDIR}
    COMPILE_OUTPUT_VARIABLE DUCKDB_COMPILE_OUTPUT RUN_OUTPUT_VARIABLE DUCKDB_RUN_OUTPUT)
  if(NOT DUCKDB_COMPILED OR NOT DUCKDB_RUN EQUAL 0)
    message(FATAL_ERROR "DuckDB headers and library are not ${DUCKDB_VERSION} ${DUCKDB_SOURCE} (got '${DUCKDB_RUN_OUTPUT}'); run ./dev setup\n${DUCKDB_COMPILE_OUTPUT}")
  endif()
  set(PCHRONICLE_DUCKDB_CHECKED ${DUCKDB_LIBDIR} CACHE INTERNAL "")
endif()
