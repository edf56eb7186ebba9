#include <utility>

#include "pchronicle/api/operation.h"
#include "pchronicle/api/snapshot_state.h"
#include "pchronicle/app/catalog_pages.h"

namespace pchronicle {
namespace {

catalog::SnapshotOptions CatalogOptions(const OpenOptions& options) {
  catalog::SnapshotOptions catalog;
  catalog.errors = options.errors == ErrorPolicy::kReport ? catalog::ErrorPolicy::kReport
                                                          : catalog::ErrorPolicy::kStrict;
  catalog.limits.max_files = options.max_files;
  catalog.limits.max_entries = options.max_entries;
  catalog.limits.max_file_bytes = options.max_file_bytes;
  catalog.limits.max_record_bytes = options.max_record_bytes;
  catalog.limits.max_concurrent_files = options.max_concurrent_files;
  return catalog;
}

Result<std::vector<catalog::Mount>> CatalogMounts(const std::vector<Mount>& mounts) {
  std::vector<catalog::Mount> all;
  for (const Mount& mount : mounts) {
    if (mount.location.find('\0') != std::string::npos) {
      return Status::InvalidArgument("the location of mount '{}' holds a NUL byte", mount.name);
    }
    catalog::Mount& one = all.emplace_back(catalog::PositionalMount(mount.location));
    if (!mount.name.empty()) {
      PCHRONICLE_ASSIGN_OR_RETURN(one, catalog::ParseMount(mount.name, mount.location));
    }
    if (!mount.name_space.empty()) {
      PCHRONICLE_ASSIGN_OR_RETURN(one.name_space, app::ParseNamespacePath(mount.name_space));
    }
  }
  return all;
}

Result<std::shared_ptr<const catalog::Snapshot>> Build(const std::vector<Mount>& mounts,
                                                       const OpenOptions& options,
                                                       const catalog::Snapshot* previous) {
  PCHRONICLE_RETURN_IF_ERROR(Operation::CheckTimeout(options.timeout));
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<catalog::Mount> all, CatalogMounts(mounts));
  const Operation operation(options.timeout, options.cancellation);
  return catalog::Snapshot::Build(std::move(all), CatalogOptions(options), operation.context(),
                                  previous);
}

}  // namespace

std::string_view Version() { return PCHRONICLE_VERSION; }

Snapshot::Snapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<Snapshot> Snapshot::Open(const std::vector<Mount>& mounts, const OpenOptions& options) {
  auto state = std::make_shared<State>();
  PCHRONICLE_ASSIGN_OR_RETURN(state->catalog, Build(mounts, options, nullptr));
  state->mounts = mounts;
  state->options = options;
  return Snapshot(std::move(state));
}

Result<Snapshot> Snapshot::Open(std::string_view location, const OpenOptions& options) {
  return Open({{std::string(location), "", ""}}, options);
}

Result<Snapshot> Snapshot::Refresh() const {
  auto state = std::make_shared<State>();
  PCHRONICLE_ASSIGN_OR_RETURN(state->catalog,
                              Build(state_->mounts, state_->options, state_->catalog.get()));
  state->mounts = state_->mounts;
  state->options = state_->options;
  return Snapshot(std::move(state));
}

const std::string& Snapshot::id() const { return state_->catalog->id(); }

Result<const app::QuerySession*> Snapshot::State::Session() const {
  const std::lock_guard lock(mutex_);
  if (session_ == nullptr) {
    if (loader_ == nullptr) {
      loader_ = std::make_unique<app::EngineLoader>(sql::EngineOptions{
          options.memory_limit, options.spill_directory, options.spill_limit, options.threads});
    }
    PCHRONICLE_ASSIGN_OR_RETURN(session_, app::QuerySession::Create(catalog, *loader_));
  }
  return session_.get();
}

}  // namespace pchronicle
