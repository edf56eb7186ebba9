# `cmake --install BUILD --prefix P`, or `./dev install P`. Nothing below the prefix knows where it is: it can be moved.
include(CMakePackageConfigHelpers)
set(PCHRONICLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pchronicle)
set(PCHRONICLE_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/pchronicle)
set(PCHRONICLE_LICENSE_DIR ${CMAKE_INSTALL_DATADIR}/doc/pchronicle)

install(TARGETS pchronicle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The engine and DuckDB have a folder of their own, so that they are in nobody's way.
install(TARGETS pchronicle_sql_module LIBRARY DESTINATION ${PCHRONICLE_MODULE_DIR})
install(PROGRAMS ${DUCKDB_LIBDIR}/libduckdb.so DESTINATION ${PCHRONICLE_MODULE_DIR})
install(TARGETS pchronicle_shared EXPORT pchronicle LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
target_compile_features(pchronicle_shared INTERFACE cxx_std_20)

# Inside the program a Status is made with fmt; whoever only reads one needs no fmt, so the installed class has no
# factories.
file(READ pchronicle/base/status.h status)
string(REGEX REPLACE "#include <fmt/core.h>\n\n" "" public_status "${status}")
string(REGEX REPLACE "\n#define PCHRONICLE_STATUS_FACTORY.*#undef PCHRONICLE_STATUS_FACTORY\n" "" public_status "${public_status}")
if(public_status MATCHES "fmt|FACTORY")
  message(FATAL_ERROR "cmake/install.cmake no longer knows how pchronicle/base/status.h is written")
endif()
file(CONFIGURE OUTPUT include/pchronicle/base/status.h CONTENT "${public_status}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS pchronicle/base/status.h)
install(FILES ${CMAKE_BINARY_DIR}/include/pchronicle/base/status.h pchronicle/base/check.h pchronicle/base/result.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pchronicle/base)
install(FILES pchronicle/columnar/arrow_abi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pchronicle/columnar)
install(FILES pchronicle/pchronicle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pchronicle)

install(EXPORT pchronicle FILE pchronicle-targets.cmake NAMESPACE pchronicle:: DESTINATION ${PCHRONICLE_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pchronicle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/pchronicle-config.cmake ${CMAKE_BINARY_DIR}/pchronicle-config-version.cmake DESTINATION ${PCHRONICLE_CMAKE_DIR})

file(RELATIVE_PATH PCHRONICLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PCHRONICLE_PC_PREFIX "${PCHRONICLE_PC_PREFIX}")
configure_file(cmake/pchronicle.pc.in pchronicle.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pchronicle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Ours, and those of what is inside the libraries.
install(FILES LICENSE DESTINATION ${PCHRONICLE_LICENSE_DIR})
install(FILES ${DUCKDB_LIBDIR}/LICENSE DESTINATION ${PCHRONICLE_LICENSE_DIR} RENAME LICENSE.duckdb)
install(FILES ${BLAKE3_DIR}/../LICENSE_A2 DESTINATION ${PCHRONICLE_LICENSE_DIR} RENAME LICENSE.blake3)
install(FILES ${SIMDJSON_DIR}/LICENSE DESTINATION ${PCHRONICLE_LICENSE_DIR} RENAME LICENSE.simdjson)
