# Compiler, linker and sanitizer settings that every target of ours shares.
find_program(PCHRONICLE_CCACHE ccache)
if(PCHRONICLE_CCACHE)
  # pch_defines and time_macros: ccache otherwise refuses sources that use the precompiled header of sql/.
  set(PCHRONICLE_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${PCHRONICLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${PCHRONICLE_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PCHRONICLE_LAUNCHER})
endif()
find_program(PCHRONICLE_MOLD mold)
if(PCHRONICLE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# -O2: the hot loops are written with intrinsics; -O3 makes the build slower and the program no faster.
# GCC 12 reports -Wrestrict for plain string concatenation once it inlines (GCC bug 105651).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -Wno-restrict")

add_library(pchronicle_warnings INTERFACE)
target_compile_options(pchronicle_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)

if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  add_compile_definitions(_GLIBCXX_ASSERTIONS PCHRONICLE_DCHECKS)
endif()
if(PCHRONICLE_SANITIZE)
  add_compile_options(-fsanitize=${PCHRONICLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PCHRONICLE_SANITIZE})
  if(PCHRONICLE_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # about fences; see columnar/buffer.cc
  endif()
endif()
