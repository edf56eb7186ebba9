#include "pchronicle/app/query_engine.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace pchronicle::app {
namespace {

constexpr const char* kModuleName = "libpchronicle_sql.so";

/// Folder of a file; symbolic links are followed.
std::string FolderOf(const char* file) {
  const std::unique_ptr<char, decltype(&std::free)> path(::realpath(file, nullptr), &std::free);
  if (path == nullptr) {
    return ".";
  }
  const std::string_view text = path.get();
  const size_t slash = text.rfind('/');
  return slash == 0 ? "/" : std::string(text.substr(0, slash));
}

/// Folder of the program or the shared library that this code is part of.
std::string OwnFolder() {
  Dl_info info{};
  link_map* map = nullptr;
  const bool known = ::dladdr1(reinterpret_cast<const void*>(&FolderOf), &info,
                               reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  // A program has no name there, and its first argument says nothing sure.
  const bool in_library = known && map != nullptr && map->l_name != nullptr && *map->l_name != '\0';
  return FolderOf(in_library ? map->l_name : "/proc/self/exe");
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
    const auto* version = static_cast<const char*>(::dlsym(module, sql::kModuleVersion));
    if (entry == nullptr || version == nullptr) {
      return Status::Internal("'{}' is not the SQL engine of this program", place);
    }
    if (std::strcmp(version, PCHRONICLE_VERSION) != 0) {
      return Status::Internal("'{}' is the SQL engine of pChronicle {}, this is {}", place, version,
                              PCHRONICLE_VERSION);
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
  if (const char* given = ::secure_getenv(kModuleVariable); given != nullptr && *given != '\0') {
    return {given};
  }
  const std::string folder = OwnFolder();
  std::vector<std::string> places;
  for (const char* below : {"", "/pchronicle", "/lib", "/../lib", "/" PCHRONICLE_MODULE_FROM_BIN}) {
    places.push_back(folder + below + "/" + kModuleName);
  }
  return places;
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
