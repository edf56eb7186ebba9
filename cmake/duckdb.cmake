# A header and a library of two DuckDB builds can link and then corrupt memory, so the pair is checked once.
if(NOT PCHRONICLE_DUCKDB_CHECKED STREQUAL "${DUCKDB_LIBDIR}")
  file(WRITE ${CMAKE_BINARY_DIR}/duckdb_check.cc [[
#include <cstdio>
#include <cstring>
namespace duckdb { class DuckDB { public: static const char* LibraryVersion(); static const char* SourceID(); }; }
int main() {
  std::printf("%s %s", duckdb::DuckDB::LibraryVersion(), duckdb::DuckDB::SourceID());
  return std::strcmp(duckdb::DuckDB::LibraryVersion(), "v1.5.6") != 0 ||
         std::strncmp(duckdb::DuckDB::SourceID(), "069cc9f9b5", 10) != 0;
}
]])
  try_run(DUCKDB_RUN DUCKDB_COMPILED ${CMAKE_BINARY_DIR}/duckdb_check ${CMAKE_BINARY_DIR}/duckdb_check.cc
    LINK_LIBRARIES ${DUCKDB_LIBDIR}/libduckdb.so
    LINK_OPTIONS -Wl,-rpath,${DUCKDB_LIBDIR}
    COMPILE_OUTPUT_VARIABLE DUCKDB_COMPILE_OUTPUT RUN_OUTPUT_VARIABLE DUCKDB_RUN_OUTPUT)
  if(NOT DUCKDB_COMPILED OR NOT DUCKDB_RUN EQUAL 0)
    message(FATAL_ERROR "DuckDB headers and library are not v1.5.6 069cc9f9b5 (got '${DUCKDB_RUN_OUTPUT}'); run ./dev setup\n${DUCKDB_COMPILE_OUTPUT}")
  endif()
  set(PCHRONICLE_DUCKDB_CHECKED ${DUCKDB_LIBDIR} CACHE INTERNAL "")
endif()
