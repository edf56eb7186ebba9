#include "pchronicle/sql/engine.h"

extern "C" __attribute__((visibility("default"))) const char pchronicle_sql_version[] =
    PCHRONICLE_VERSION;

/// The one function that the program looks up in the loadable module.
extern "C" __attribute__((visibility("default"))) pchronicle::sql::Engine* pchronicle_sql_open(
    const pchronicle::sql::EngineOptions* options, pchronicle::Status* error) {
  auto engine = pchronicle::sql::OpenEngine(*options);
  if (!engine.ok()) {
    *error = engine.status();
    return nullptr;
  }
  return std::move(engine).value().release();
}
