#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "pchronicle/base/context.h"
#include "pchronicle/lance/proto/schema_messages.h"
#include "pchronicle/lance/table/table_paths.h"

namespace pchronicle::lance {

/// What every change of a table may say. Plain values.
struct EditOptions {
  /// The version that the change was thought out on: what others committed since is checked
  /// against it (lance.md A7). None: the newest one, read when the change starts.
  std::optional<uint64_t> read_version;
  std::string branch;  // empty: main
  /// Key-value pairs kept in the transaction of the new version.
  proto::Metadata properties;
  /// How often a commit that lost the race for its version number is tried on the next one; it
  /// waits between two tries, twice as long each time and a random part of that.
  int attempts = 20;
  std::chrono::milliseconds first_wait{4}, longest_wait{1000};
  /// Ends a change that was not committed with kCancelled; must outlive the call. May be null.
  const Context* context = nullptr;
  BaseOpener open_base = OpenLocalBase;

  Status CheckContext() const { return context == nullptr ? Status::Ok() : context->Check(); }
};

/// A version that was committed.
struct Committed {
  uint64_t version = 0;
  /// Tries it took; more than one when others committed at the same time.
  int attempts = 1;
};

}  // namespace pchronicle::lance
