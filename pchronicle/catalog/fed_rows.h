#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pchronicle/catalog/scan_group.h"
#include "pchronicle/model/tee_sink.h"

namespace pchronicle::catalog {

/// The rows that the reader of a task makes for the other members of its group. One thread.
class FedRows {
 public:
  using SinkMaker = std::function<std::unique_ptr<model::RowSink>(const ScanRequest&)>;

  /// Takes on the members of `group` (which may be null) that still want the task.
  FedRows(ScanGroup* group, size_t reader, uint64_t order);
  /// Gives up what was not delivered.
  ~FedRows();
  FedRows(const FedRows&) = delete;
  FedRows& operator=(const FedRows&) = delete;

  bool empty() const { return feeds_.empty(); }
  /// What a walker has to read for all of them.
  model::FieldMask fields() const;

  /// A source begins: adds a sink for every member to `tee`.
  void BeginSource(const SinkMaker& make, model::TeeSink& tee);
  /// False when the rows so far exceed the memory of the group: the caller takes the sinks out of
  /// its tee and calls GiveUp.
  bool Fit() const;
  /// Memory of ids that the sinks of the source hold.
  uint64_t id_bytes() const;
  /// A sink handed on rows that turned out different (STL-127).
  bool needs_second_pass() const;
  /// The source is read to its end. Adds what the sinks saw.
  void EndSource(ScanCounters& counters);
  /// All sources of the task are read.
  void Deliver();
  void GiveUp();

 private:
  struct Feed {
    size_t member;
    std::unique_ptr<model::RowSink> sink;  // of the source that is being read
    ScanGroup::Rows rows;                  // of the sources before it
    uint64_t bytes = 0;                    // of `rows`
  };

  ScanGroup* const group_;
  const uint64_t order_;
  std::vector<Feed> feeds_;
};

/// Adds what a sink saw.
void CountRows(ScanCounters& counters, const model::RowSink::Counters& seen);

}  // namespace pchronicle::catalog
