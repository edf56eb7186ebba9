#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/app/query.h"
#include "pchronicle/app/query_scans.h"
#include "pchronicle/columnar/arrow_abi.h"

namespace pchronicle::app {

struct StreamOptions {
  std::string sql;
  bool report_errors = false;   // leave out lost units and name them (catalog.md 11)
  uint64_t max_rows = 0;        // 0: no limit
  bool complete = false;        // the first Next runs the query to its end and holds all arrays
  uint64_t max_held_bytes = 0;  // of `complete`; 0: no limit
};

/// Rows of one running query as Arrow arrays. Used by one thread at a time.
///
/// A reading that turns out wrong only at the end of a record or a file is made good by running the
/// query once more (STL-127). That can be done unseen as long as no array was handed on, so with
/// `complete` always; a consumer that already has rows gets kUnavailable instead.
class QueryStream {
 public:
  /// Plans and starts the statement; errors as QuerySession::Run. `session` and `context` must
  /// outlive the stream.
  static Result<std::unique_ptr<QueryStream>> Start(const QuerySession& session,
                                                    StreamOptions options, const Context& context);
  ~QueryStream();
  QueryStream(const QueryStream&) = delete;
  QueryStream& operator=(const QueryStream&) = delete;

  /// The columns as one struct type. `out` is the caller's to release.
  Status GetSchema(ArrowSchema* out) const;
  /// The next rows as a struct array that outlives the stream; a released one at the end. A failure
  /// ends the stream: it is the answer of every later call.
  Status Next(ArrowArray* out);

  uint64_t rows() const { return rows_; }  // handed on so far
  /// Units left out so far; complete after the end.
  std::vector<catalog::SourceProblem> problems() const { return scope_.problems(); }
  uint64_t problem_count() const { return scope_.problem_count(); }

 private:
  QueryStream(const QuerySession& session, StreamOptions options, const Context& context);
  Status Run();
  Status Fetch(ArrowArray* out);
  Status Restart();
  Status HoldAll();
  Status HandOn(ArrowArray* out);

  const QuerySession& session_;
  const StreamOptions options_;
  catalog::QueryScope scope_;
  QueryScans scans_;
  std::unique_ptr<sql::ResultStream> stream_;  // null after the end
  std::vector<ArrowArray> held_;               // of `complete`, not yet handed on, last first
  bool all_held_ = false;
  bool restarted_ = false;
  uint64_t rows_ = 0;
  Status failure_;
};

}  // namespace pchronicle::app
