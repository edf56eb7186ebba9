#include "pchronicle/catalog/resolve.h"

#include <algorithm>
#include <chrono>

#include "pchronicle/catalog/cell.h"
#include "pchronicle/catalog/harbor.h"
#include "pchronicle/catalog/problem.h"
#include "pchronicle/model/detect.h"

namespace pchronicle::catalog {
namespace {

/// Bytes of one read between two looks at the context: a value of a gigabyte is asked for in one.
constexpr size_t kMostAtOnce = 4 << 20;
/// A waiter looks at its own context this often.
constexpr std::chrono::milliseconds kWaitPeriod(20);

class ContextSource final : public json::ByteSource {
 public:
  ContextSource(std::unique_ptr<json::ByteSource> base, const Context& context)
      : base_(std::move(base)), context_(context) {}
  Result<size_t> Read(std::span<char> out) override {
    PCHRONICLE_RETURN_IF_ERROR(context_.Check());
    while (!near_) {
      PCHRONICLE_ASSIGN_OR_RETURN(near_, base_->Approach());
      PCHRONICLE_RETURN_IF_ERROR(context_.Check());
    }
    return base_->Read(out.first(std::min(out.size(), kMostAtOnce)));
  }
  bool gives_blocks() const override { return base_->gives_blocks(); }
  Result<json::Block> Take(json::Block spare) override {
    PCHRONICLE_RETURN_IF_ERROR(context_.Check());
    return base_->Take(std::move(spare));
  }

 private:
  const std::unique_ptr<json::ByteSource> base_;
  const Context& context_;
  bool near_ = false;
};

std::shared_ptr<ResolvedSource> Ignored(std::string reason) {
  auto resolved = std::make_shared<ResolvedSource>();
  resolved->content.status = ContentStatus::kIgnored;
  resolved->content.reason = std::move(reason);
  return resolved;
}

/// Finds out what one source is. The cell's mutex is not held.
class Resolver {
 public:
  Resolver(const CatalogDataset& dataset, const Source& source, const Limits& limits,
           const Context& context)
      : dataset_(dataset), source_(source), limits_(limits), context_(context) {}

  Result<HeldSource> Run() {
    auto input =
        std::make_shared<FileInput>(dataset_.store, source_.file, source_.revision, limits_);
    HeldSource held;
    PCHRONICLE_ASSIGN_OR_RETURN(held.hold, input->Acquire());
    auto resolved = std::make_shared<ResolvedSource>();
    if (dataset_.mount.format_hint) {
      resolved->format = dataset_.mount.format_hint;
      resolved->container = model::ContainerByName(source_.file);
    } else {
      model::DetectOptions options;
      options.max_detection_bytes = limits_.max_detection_bytes;
      PCHRONICLE_ASSIGN_OR_RETURN(
          const model::Detection detection,
          model::Detect(ContextInput(*input, context_), source_.file, options));
      Apply(detection, *resolved);
      if (source_.harbor != nullptr) {
        PCHRONICLE_RETURN_IF_ERROR(ApplyHarbor(*source_.harbor, detection, *resolved));
      }
    }
    resolved->content.format = resolved->format;
    resolved->compression = input->compression();
    if (resolved->compression != json::Compression::kNone &&
        resolved->content.reason.starts_with("malformed JSON at line ")) {
      resolved->content.reason += kInText;
    }
    resolved->input = std::move(input);
    held.resolved = std::move(resolved);
    return held;
  }

 private:
  void Apply(const model::Detection& detection, ResolvedSource& resolved) const {
    using Kind = model::Detection::Kind;
    resolved.container = detection.container;
    resolved.format = detection.format;
    resolved.content.reason = detection.reason;
    switch (detection.kind) {
      case Kind::kFormat:
        break;
      case Kind::kEmpty:
        resolved.content.status = ContentStatus::kEmpty;
        resolved.content.runs = 0;
        break;
      case Kind::kIgnored:
        resolved.content.status = ContentStatus::kIgnored;
        break;
      case Kind::kError:
        resolved.content.status = ContentStatus::kError;
        resolved.content.reason = detection.error.message();
        resolved.error = detection.error;
        resolved.error_record = detection.error_record;
        resolved.error_offset = detection.error_offset;
        break;
    }
  }

  /// A document without turns for a trial that left no trajectory (HAR-07).
  static void MakeRun(ResolvedSource& resolved) {
    resolved.content = SourceContent();
    resolved.content.status = ContentStatus::kEmpty;
    resolved.content.runs = 1;
    resolved.format = model::Format::kAtif;
    resolved.harbor_run = true;
  }

  Status ApplyHarbor(const HarborPlace& place, const model::Detection& detection,
                     ResolvedSource& resolved) const {
    using Kind = model::Detection::Kind;
    if (place.role == HarborPlace::Role::kTrialResult) {
      if (detection.harbor != model::Detection::Harbor::kTrialResult) {
        return Status::Ok();
      }
      for (const std::string& file : place.others) {
        const Source* other = dataset_.Find(file);
        PCHRONICLE_ASSIGN_OR_RETURN(const HeldSource held,
                                    ResolveHeld(dataset_, *other, limits_, context_));
        if (held.resolved->content.status == ContentStatus::kUnknown || held.resolved->harbor_run) {
          return Status::Ok();  // the run is there
        }
      }
      MakeRun(resolved);
      return Status::Ok();
    }
    if (place.is_main) {
      if (detection.kind == Kind::kEmpty && (place.result || place.trial_result)) {
        PCHRONICLE_ASSIGN_OR_RETURN(const auto sidecar,
                                    LoadHarborSidecar(dataset_, place, context_));
        if (sidecar->is_trial()) {
          MakeRun(resolved);
        }
      }
      return Status::Ok();
    }
    const bool log = detection.kind == Kind::kFormat
                         ? detection.format != model::Format::kAtif
                         : detection.reason.starts_with("not read yet: ");
    if (!log || place.trajectory.empty()) {
      return Status::Ok();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(
        const HeldSource held,
        ResolveHeld(dataset_, *dataset_.Find(place.trajectory), limits_, context_));
    if (held.resolved->content.status == ContentStatus::kUnknown) {
      resolved = *Ignored(fmt::format("native log of {}", place.trial));
    }
    return Status::Ok();
  }

  const CatalogDataset& dataset_;
  const Source& source_;
  const Limits& limits_;
  const Context& context_;
};

bool IsFinal(const Status& status) {
  return status.code() != StatusCode::kCancelled && status.code() != StatusCode::kUnavailable;
}

/// The message names the source exactly once.
Status Named(const Status& status, std::string_view file) {
  return status.message().starts_with(file) ? status : status.WithContext(file);
}

}  // namespace

Result<std::unique_ptr<json::ByteSource>> ContextInput::Open(uint64_t offset,
                                                             uint64_t length) const {
  PCHRONICLE_RETURN_IF_ERROR(context_.Check());
  PCHRONICLE_ASSIGN_OR_RETURN(auto source, base_.Open(offset, length));
  return std::unique_ptr<json::ByteSource>(new ContextSource(std::move(source), context_));
}

Result<HeldSource> ResolveHeld(const CatalogDataset& dataset, const Source& source,
                               const Limits& limits, const Context& context) {
  if (!source.error.ok()) {
    return Named(source.error, source.file);
  }
  if (source.kind == SourceKind::kStore || !source.ignored_reason.empty()) {
    return HeldSource{Ignored(source.ignored_reason), nullptr};
  }
  Source::Cell& cell = *source.cell;
  std::unique_lock lock(cell.mutex);
  while (!cell.resolved.wait_for(lock, kWaitPeriod, [&cell] { return !cell.running; })) {
    PCHRONICLE_RETURN_IF_ERROR(context.Check());  // the one that reads may belong to another query
  }
  if (cell.outcome) {
    if (!cell.outcome->ok()) {
      return cell.outcome->status();
    }
    return HeldSource{cell.outcome->value(), nullptr};
  }
  cell.running = true;
  ++cell.resolves;
  lock.unlock();
  auto result = Resolver(dataset, source, limits, context).Run();
  lock.lock();
  cell.running = false;
  if (result.ok()) {
    cell.outcome = result->resolved;
  } else if (IsFinal(result.status())) {
    cell.outcome = Named(result.status(), source.file);
    result = cell.outcome->status();
  }
  cell.resolved.notify_all();
  return result;
}

Result<std::shared_ptr<const ResolvedSource>> Resolve(const CatalogDataset& dataset,
                                                      const Source& source, const Limits& limits) {
  const Context context;
  PCHRONICLE_ASSIGN_OR_RETURN(HeldSource held, ResolveHeld(dataset, source, limits, context));
  return std::move(held.resolved);
}

uint64_t ResolveCount(const Source& source) {
  if (source.cell == nullptr) {
    return 0;
  }
  const std::lock_guard lock(source.cell->mutex);
  return source.cell->resolves;
}

}  // namespace pchronicle::catalog
