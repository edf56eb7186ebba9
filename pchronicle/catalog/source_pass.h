#pragma once

#include <memory>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/harbor.h"
#include "pchronicle/catalog/resolve.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::catalog {

struct PassOptions {
  model::FieldMask fields;
  json::RecordRange range;
  model::SourceNotes lost;  // known from earlier readings with the same fields or more
};

/// One reading of one resolved source into a sink: the walker of its format, with a Harbor trial's
/// values put in between. Used by one thread.
class SourcePass {
 public:
  /// `held` must be neither empty, ignored nor an error as a whole, unless it is a Harbor run. The
  /// other references must outlive the pass. kConflict when a sidecar changed.
  static Result<std::unique_ptr<SourcePass>> Open(const CatalogDataset& dataset,
                                                  const Source& source, HeldSource held,
                                                  const Limits& limits, const Context& context,
                                                  const PassOptions& options,
                                                  model::DocumentSink& sink);
  /// As Walker::Advance.
  bool Advance();

  bool needs_second_pass() const { return walker_ != nullptr && walker_->needs_second_pass(); }
  /// The last record is cut off, or the compressed file is.
  bool open_tail() const {
    return walker_ != nullptr && (walker_->open_tail() || held_.hold->truncated());
  }
  /// Of the file, for this pass; 0 when it is not compressed. Of passes at the same time over one
  /// file, which share decoders, those that end later have what was read in common.
  uint64_t compressed_bytes_read() const {
    return held_.hold == nullptr
               ? 0
               : held_.hold->decompression().compressed_bytes - compressed_before_;
  }
  bool truncated() const { return held_.hold->truncated(); }
  bool is_compressed() const { return held_.resolved->compression != json::Compression::kNone; }
  uint64_t records() const { return walker_ != nullptr ? walker_->records() : 1; }
  uint64_t bytes_read() const { return walker_ != nullptr ? walker_->bytes_read() : 0; }
  uint64_t buffer_peak_bytes() const {
    return walker_ == nullptr
               ? 0
               : walker_->buffer_peak_bytes() + held_.hold->decompression().peak_bytes;
  }
  uint64_t id_bytes() const { return walker_ != nullptr ? walker_->id_bytes() : 0; }
  const json::ByteInput& input() const { return input_; }
  /// What the walker found; its hints are also put into the source's cell.
  model::SourceNotes TakeNotes();

 private:
  SourcePass(const Source& source, HeldSource held, const PassOptions& options,
             const Context& context)
      : source_(source),
        held_(std::move(held)),
        options_(options),
        input_(*held_.resolved->input, context) {}
  model::SourceNotes Notes() const;
  Result<bool> FillsCalls(const model::WalkOptions& walk);

  const Source& source_;
  HeldSource held_;
  uint64_t compressed_before_ = 0;
  const PassOptions options_;
  const ContextInput input_;
  std::shared_ptr<const HarborSidecar> sidecar_;
  std::unique_ptr<HarborSink> lift_;
  model::DocumentSink* sink_ = nullptr;
  std::unique_ptr<model::Walker> walker_;  // null: a Harbor run
};

/// True for a resolved source that has anything to read.
bool HasDocuments(const ResolvedSource& resolved);

}  // namespace pchronicle::catalog
