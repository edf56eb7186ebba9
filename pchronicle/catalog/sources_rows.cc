#include <array>
#include <functional>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/catalog/scan_task.h"

namespace pchronicle::catalog {
namespace {

using columnar::Batch;
using columnar::Column;

/// One source on its way into a row.
struct Row {
  const Source& source;
  const SourceContent& content;
  Batch& batch;

  void Text(Column& column, std::string_view text) const {
    column.AppendText(batch.text->Copy(text));
  }
  void TextOrNull(Column& column, std::string_view text) const {
    if (text.empty()) {
      column.AppendNull();
    } else {
      Text(column, text);
    }
  }
};

std::string ErrorText(const Source& source) {
  return fmt::format("Source discovery failed: {}", source.error.message());
}

using AppendCell = void (*)(const Row&, Column&);

/// Cells by column name: the schema is the model's.
AppendCell CellOf(std::string_view name) {
  struct Named {
    std::string_view name;
    AppendCell append;
  };
  static constexpr std::array<Named, 15> kCells = {{
      {"_file_", [](const Row& row, Column& column) { row.Text(column, row.source.file); }},
      {"format",
       [](const Row& row, Column& column) {
         row.TextOrNull(column, row.content.format
                                    ? model::FormatName(*row.content.format)
                                    : std::string_view(row.source.format_name.value_or("")));
       }},
      {"kind",
       [](const Row& row, Column& column) {
         column.AppendText(row.source.kind == SourceKind::kStore ? "store" : "file");
       }},
      {"snapshot_ref",
       [](const Row& row, Column& column) {
         row.TextOrNull(column, row.source.revision.display());
       }},
      {"projection_status",
       [](const Row& row, Column& column) {
         row.source.projection != nullptr
             ? column.AppendText(row.source.projection->fresh ? "fresh" : "stale")
             : column.AppendNull();
       }},
      {"projection_generation",
       [](const Row& row, Column& column) {
         row.source.projection != nullptr ? row.Text(column, row.source.projection->generation)
                                          : column.AppendNull();
       }},
      {"projection_candidates",
       [](const Row& row, Column& column) {
         column.AppendInt(row.source.projection != nullptr
                              ? static_cast<int64_t>(row.source.projection->candidates)
                              : 0);
       }},
      {"size_bytes",
       [](const Row& row, Column& column) {
         row.source.size_bytes ? column.AppendInt(static_cast<int64_t>(*row.source.size_bytes))
                               : column.AppendNull();
       }},
      {"last_modified",
       [](const Row& row, Column& column) {
         row.source.modified_ns ? row.Text(column, FormatTimestamp(*row.source.modified_ns))
                                : column.AppendNull();
       }},
      {"status",
       [](const Row& row, Column& column) {
         column.AppendText(row.source.error.ok() ? "ready" : "error");
       }},
      {"error",
       [](const Row& row, Column& column) {
         row.TextOrNull(column, row.source.error.ok() ? "" : ErrorText(row.source));
       }},
      {"content_status",
       [](const Row& row, Column& column) {
         row.content.status == ContentStatus::kUnknown
             ? column.AppendNull()
             : column.AppendText(ContentStatusName(row.content.status));
       }},
      {"reason",
       [](const Row& row, Column& column) { row.TextOrNull(column, row.content.reason); }},
      {"runs",
       [](const Row& row, Column& column) {
         row.content.runs ? column.AppendInt(static_cast<int64_t>(*row.content.runs))
                          : column.AppendNull();
       }},
      {"diagnostics",
       [](const Row& row, Column& column) {
         row.content.status == ContentStatus::kUnknown
             ? column.AppendNull()
             : row.Text(column, row.content.diagnostics.ToJson());
       }},
  }};
  for (const Named& cell : kCells) {
    if (cell.name == name) {
      return cell.append;
    }
  }
  return [](const Row&, Column& column) { column.AppendNull(); };
}

class SourcesTask final : public ScanTask {
 public:
  SourcesTask(ScanState& state, std::vector<size_t> sources)
      : state_(state), sources_(std::move(sources)) {
    std::vector<columnar::Type> types;
    for (const uint16_t column : state_.request.columns) {
      const columnar::Field& field =
          model::RelationColumns(model::Relation::kSources)[column].field;
      types.push_back(field.type);
      cells_.push_back(CellOf(field.name));
    }
    batch_ = Batch(types);
  }

  uint64_t order() const override { return 0; }

  Result<Batch*> Next() override {
    PCHRONICLE_RETURN_IF_ERROR(state_.scope.context().Check());
    batch_.Clear();
    for (; next_ < sources_.size() && batch_.rows < columnar::kBatchRows; ++next_) {
      const Source& source = state_.dataset.sources[sources_[next_]];
      const SourceContent content = KnownContent(source);
      const Row row{source, content, batch_};
      for (size_t i = 0; i < cells_.size(); ++i) {
        cells_[i](row, batch_.columns[i]);
      }
      ++batch_.rows;
    }
    ScanCounters counters;
    counters.rows_scanned = counters.rows_emitted = batch_.rows;
    state_.Count(nullptr, counters);
    return batch_.rows > 0 ? &batch_ : nullptr;
  }

 private:
  ScanState& state_;
  const std::vector<size_t> sources_;
  std::vector<AppendCell> cells_;
  Batch batch_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ScanTask> MakeSourcesTask(ScanState& state, std::vector<size_t> sources) {
  return std::make_unique<SourcesTask>(state, std::move(sources));
}

}  // namespace pchronicle::catalog
