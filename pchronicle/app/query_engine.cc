#include "pchronicle/app/query_engine.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>

namespace pchronicle::app {
namespace {

constexpr const char* kModuleName = "libpchronicle_sql.so";

std::string ProgramFolder() {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) {
    return ".";
  }
  path.resize(static_cast<size_t>(size));
  const size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

struct Module {
  sql::ModuleEntry open;
};

/// Loads the module once; it stays until the process ends.
Result<Module> LoadModule() {
  std::string tried;
  for (const std::string& place : ModulePlaces()) {
    if (::access(place.c_str(), R_OK) != 0) {
      tried += tried.empty() ? "" : ", ";
      tried += place;
      continue;
    }
    // Lazy: most of the library's functions are never called.
    void* module = ::dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) {
      return Status::Internal("load the SQL engine: {}", ::dlerror());
    }
    void* entry = ::dlsym(module, sql::kModuleEntry);
    if (entry == nullptr) {
      return Status::Internal("'{}' is not the SQL engine of this program", place);
    }
    return Module{reinterpret_cast<sql::ModuleEntry>(entry)};
  }
  return Status::Internal("the SQL engine {} is missing; looked for {}", kModuleName, tried);
}

Result<std::unique_ptr<sql::Engine>> LoadEngine(const sql::EngineOptions& options) {
  static const Result<Module> module = LoadModule();
  PCHRONICLE_RETURN_IF_ERROR(module.status());
  Status error;
  sql::Engine* engine = module->open(&options, &error);
  if (engine == nullptr) {
    return error;
  }
  return std::unique_ptr<sql::Engine>(engine);
}

}  // namespace

std::vector<std::string> ModulePlaces() {
  const std::string folder = ProgramFolder();
  return {folder + "/" + kModuleName, folder + "/lib/" + kModuleName,
          folder + "/../lib/" + kModuleName, folder + "/../lib/pchronicle/" + kModuleName};
}

EngineLoader::EngineLoader(const sql::EngineOptions& options)
    : loading_(std::async(std::launch::async, LoadEngine, options)) {}

EngineLoader::~EngineLoader() = default;

Result<sql::Engine*> EngineLoader::Get() {
  if (loading_.valid()) {
    auto engine = loading_.get();
    if (engine.ok()) {
      engine_ = std::move(engine).value();
    } else {
      failure_ = engine.status();
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(failure_);
  return engine_.get();
}

void EngineLoader::Abandon() { static_cast<void>(engine_.release()); }

}  // namespace pchronicle::app
