#include "pchronicle/sql/engine.h"

/// The one symbol that the program looks up in the loadable module.
extern "C" __attribute__((visibility("default"))) pchronicle::sql::Engine* pchronicle_sql_open(
    const pchronicle::sql::EngineOptions* options, pchronicle::Status* error) {
  auto engine = pchronicle::sql::OpenEngine(*options);
  if (!engine.ok()) {
    *error = engine.status();
    return nullptr;
  }
  return std::move(engine).value().release();
}
