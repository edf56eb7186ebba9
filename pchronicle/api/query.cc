#include <cerrno>
#include <new>
#include <utility>

#include "pchronicle/api/operation.h"
#include "pchronicle/api/snapshot_state.h"
#include "pchronicle/app/query_stream.h"

namespace pchronicle {
namespace {

/// What an ArrowArrayStream owns. The order counts: the query ends before its operation, and both
/// before the snapshot.
struct StreamState {
  std::shared_ptr<const void> snapshot;
  Operation operation;
  std::shared_ptr<QueryReport> report;
  std::unique_ptr<app::QueryStream> query;
  std::string last_error;

  StreamState(std::shared_ptr<const void> kept, const QueryOptions& options)
      : snapshot(std::move(kept)),
        operation(options.timeout, options.cancellation),
        report(options.report) {}
};

StreamState& StateOf(ArrowArrayStream* stream) {
  return *static_cast<StreamState*>(stream->private_data);
}

int ErrnoOf(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
      return EINVAL;
    case StatusCode::kNotFound:
      return ENOENT;
    case StatusCode::kUnsupported:
      return ENOTSUP;
    case StatusCode::kResourceExhausted:
      return ENOMEM;
    case StatusCode::kUnavailable:
      return EAGAIN;
    case StatusCode::kPermissionDenied:
      return EACCES;
    case StatusCode::kCancelled:
      return ECANCELED;
    default:
      return EIO;
  }
}

void FillReport(const app::QueryStream& query, bool ended, QueryReport* report) {
  report->rows = query.rows();
  report->left_out.clear();
  for (const catalog::SourceProblem& problem : query.problems()) {
    report->left_out.push_back(problem.ToString());
  }
  report->left_out_count = query.problem_count();
  report->complete = ended && report->left_out.empty();
}

/// Runs one callback of the C interface: no exception may leave it.
template <typename Call>
int Guarded(ArrowArrayStream* stream, Call call) {
  StreamState& state = StateOf(stream);
  try {
    const Status status = call(state);
    state.last_error = status.ok() ? "" : status.ToString();
    return status.ok() ? 0 : ErrnoOf(status.code());
  } catch (const std::bad_alloc&) {
    state.last_error.clear();
    return ENOMEM;
  } catch (...) {
    state.last_error.clear();
    return EIO;
  }
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  out->release = nullptr;
  return Guarded(stream, [out](StreamState& state) { return state.query->GetSchema(out); });
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  out->release = nullptr;
  return Guarded(stream, [out](StreamState& state) {
    const Status status = state.query->Next(out);
    if (state.report != nullptr && (!status.ok() || out->release == nullptr)) {
      FillReport(*state.query, status.ok(), state.report.get());
    }
    return status;
  });
}

const char* GetLastError(ArrowArrayStream* stream) {
  const std::string& error = StateOf(stream).last_error;
  return error.empty() ? nullptr : error.c_str();
}

void Release(ArrowArrayStream* stream) {
  delete static_cast<StreamState*>(stream->private_data);
  stream->private_data = nullptr;
  stream->release = nullptr;
}

}  // namespace

Status Snapshot::Query(std::string_view sql, ArrowArrayStream* out,
                       const QueryOptions& options) const {
  *out = {};
  PCHRONICLE_RETURN_IF_ERROR(Operation::CheckTimeout(options.timeout));
  auto state = std::make_unique<StreamState>(state_, options);
  PCHRONICLE_RETURN_IF_ERROR(state->operation.context().Check());
  PCHRONICLE_ASSIGN_OR_RETURN(const app::QuerySession* const session, state_->Session());
  app::StreamOptions stream;
  stream.sql = sql;
  stream.report_errors = options.errors == ErrorPolicy::kReport;
  stream.max_rows = options.max_output_rows;
  stream.complete = options.complete;
  stream.max_held_bytes = options.max_held_bytes;
  PCHRONICLE_ASSIGN_OR_RETURN(state->query, app::QueryStream::Start(*session, std::move(stream),
                                                                    state->operation.context()));
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
  out->private_data = state.release();
  return Status::Ok();
}

}  // namespace pchronicle
