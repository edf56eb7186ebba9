# find_package(pchronicle 0.1 CONFIG): the target pchronicle::pchronicle. It needs no other package.
include(${CMAKE_CURRENT_LIST_DIR}/pchronicle-targets.cmake)
