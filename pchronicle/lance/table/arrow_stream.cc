#include "pchronicle/lance/table/arrow_stream.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "pchronicle/columnar/arrow_export.h"
#include "pchronicle/lance/table/scan_stream.h"

namespace pchronicle::lance {
namespace {

struct Exported {
  Context context;  // before the stream, which refers to it
  std::shared_ptr<const Scan> scan;
  std::unique_ptr<ScanStream> stream;
  std::string error;
};

Exported* Of(ArrowArrayStream* stream) { return static_cast<Exported*>(stream->private_data); }

int Fail(Exported* self, const Status& status) {
  self->error = status.ToString();
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kCorruption:
      return EINVAL;
    case StatusCode::kUnsupported:
      return ENOTSUP;
    case StatusCode::kResourceExhausted:
      return ENOMEM;
    case StatusCode::kCancelled:
      return ECANCELED;
    default:
      return EIO;
  }
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  Exported* self = Of(stream);
  const Status status = columnar::ExportSchema(self->scan->schema(), out);
  return status.ok() ? 0 : Fail(self, status);
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  Exported* self = Of(stream);
  columnar::RecordBatch batch;
  const Result<bool> more = self->stream->Next(&batch);
  if (!more.ok()) {
    return Fail(self, more.status());
  }
  if (*more) {
    columnar::ExportBatch(batch, out);
  } else {
    std::memset(out, 0, sizeof(*out));  // a released array is the end
  }
  return 0;
}

const char* GetLastError(ArrowArrayStream* stream) {
  const Exported* self = Of(stream);
  return self->error.empty() ? nullptr : self->error.c_str();
}

void Release(ArrowArrayStream* stream) {
  Of(stream)->context.Cancel();
  delete Of(stream);
  stream->release = nullptr;
  stream->private_data = nullptr;
}

}  // namespace

void ExportScan(std::shared_ptr<const Scan> scan, size_t threads, bool ordered,
                ArrowArrayStream* out) {
  auto self = std::make_unique<Exported>();
  self->scan = std::move(scan);
  self->stream = ScanStream::Start(self->scan, threads, ordered, self->context);
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
  out->private_data = self.release();
}

}  // namespace pchronicle::lance
