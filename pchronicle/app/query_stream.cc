#include "pchronicle/app/query_stream.h"

#include <algorithm>
#include <utility>

#include "pchronicle/app/arrow_size.h"

namespace pchronicle::app {
namespace {

void Release(ArrowArray* array) {
  if (array->release != nullptr) {
    array->release(array);
  }
}

}  // namespace

QueryStream::QueryStream(const QuerySession& session, StreamOptions options, const Context& context)
    : session_(session),
      options_(std::move(options)),
      scope_(session.snapshot(), options_.report_errors, context),
      scans_(scope_, false) {}

QueryStream::~QueryStream() {
  for (ArrowArray& array : held_) {
    Release(&array);
  }
}

Result<std::unique_ptr<QueryStream>> QueryStream::Start(const QuerySession& session,
                                                        StreamOptions options,
                                                        const Context& context) {
  std::unique_ptr<QueryStream> stream(new QueryStream(session, std::move(options), context));
  Status status = stream->Run();
  if (stream->scope_.restart_requested() && (status.ok() || MayPassSecondTime(status)) &&
      context.Check().ok()) {
    status = stream->Restart();
  }
  if (!status.ok()) {
    return QueryFailure(status, context);
  }
  return stream;
}

Status QueryStream::Run() {
  stream_.reset();
  PCHRONICLE_ASSIGN_OR_RETURN(stream_,
                              session_.engine().Run(options_.sql, scans_, scope_.context()));
  // A column without an Arrow form is an error of the statement, not of its first rows.
  ArrowSchema schema;
  PCHRONICLE_RETURN_IF_ERROR(stream_->GetArrowSchema(&schema));
  schema.release(&schema);
  return Status::Ok();
}

Status QueryStream::Restart() {
  if (restarted_) {
    return Status::Unavailable("a source changed between two passes over it; run the query again");
  }
  if (rows_ > 0) {
    return Status::Unavailable(
        "rows that were handed on turned out different at the end of their source; run the query "
        "again and ask for the complete result");
  }
  restarted_ = true;
  stream_.reset();
  scope_.BeginRestart();
  return Run();
}

Status QueryStream::GetSchema(ArrowSchema* out) const {
  out->release = nullptr;
  PCHRONICLE_RETURN_IF_ERROR(failure_);
  return stream_->GetArrowSchema(out);
}

/// The next array of this run, or of a second one.
Status QueryStream::Fetch(ArrowArray* out) {
  Status status = stream_->NextArrow(out);
  if (!scope_.restart_requested() || (!status.ok() && !MayPassSecondTime(status))) {
    return status;
  }
  Release(out);
  PCHRONICLE_RETURN_IF_ERROR(scope_.context().Check());
  PCHRONICLE_RETURN_IF_ERROR(Restart());
  return Fetch(out);
}

/// Runs the query to its end, as often as it takes, before anything is handed on.
Status QueryStream::HoldAll() {
  ArrowSchema schema;
  PCHRONICLE_RETURN_IF_ERROR(stream_->GetArrowSchema(&schema));
  uint64_t bytes = 0, rows = 0;
  Status status;
  while (status.ok()) {
    const bool second_run = restarted_;
    ArrowArray array;
    status = Fetch(&array);
    if (restarted_ != second_run) {  // what was held is of the first run
      for (ArrowArray& old : held_) {
        Release(&old);
      }
      held_.clear();
      bytes = rows = 0;
    }
    if (array.release == nullptr) {
      break;
    }
    held_.push_back(array);
    bytes += ArrowBytes(schema, array);
    rows += static_cast<uint64_t>(array.length);
    if (options_.max_rows != 0 && rows > options_.max_rows) {
      status = TooManyRows(options_.max_rows);
    } else if (options_.max_held_bytes != 0 && bytes > options_.max_held_bytes) {
      status = Status::ResourceExhausted(
          "the result is larger than max_held_bytes {}; narrow the query, raise the limit or read "
          "the result as it comes",
          options_.max_held_bytes);
    }
  }
  schema.release(&schema);
  std::reverse(held_.begin(), held_.end());
  all_held_ = true;
  return status;
}

Status QueryStream::HandOn(ArrowArray* out) {
  if (options_.complete) {
    if (!all_held_) {
      PCHRONICLE_RETURN_IF_ERROR(HoldAll());
    }
    if (!held_.empty()) {
      *out = held_.back();
      held_.pop_back();
      rows_ += static_cast<uint64_t>(out->length);
    }
    return Status::Ok();
  }
  PCHRONICLE_RETURN_IF_ERROR(Fetch(out));
  if (out->release != nullptr) {
    rows_ += static_cast<uint64_t>(out->length);
    if (options_.max_rows != 0 && rows_ > options_.max_rows) {
      return TooManyRows(options_.max_rows);
    }
  }
  return Status::Ok();
}

Status QueryStream::Next(ArrowArray* out) {
  out->release = nullptr;
  PCHRONICLE_RETURN_IF_ERROR(failure_);
  if (const Status status = HandOn(out); !status.ok()) {
    Release(out);
    failure_ = QueryFailure(status, scope_.context());
  }
  return failure_;
}

}  // namespace pchronicle::app
