#include <algorithm>
#include <utility>

#include "pchronicle/lance/file/array_decoder.h"
#include "pchronicle/lance/file/column_reader.h"
#include "pchronicle/lance/file/row_reader.h"
#include "pchronicle/lance/file/stored_column.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;

/// A column of a 2.0 file with the page that was read last.
class FieldColumn {
 public:
  FieldColumn(std::shared_ptr<const Column> column, std::string label, const FieldNode& node,
              ReadState* state)
      : column_(std::move(column)), label_(std::move(label)), node_(node), state_(state) {}

  const Column& column() const { return *column_; }
  const std::string& label() const { return label_; }

  /// Leaves: appends rows [begin, end).
  Status Append(uint64_t begin, uint64_t end, const ValueShape& shape, ValueBuilder* values,
                ValidityBuilder* validity) {
    return ForPages(begin, end, [&](uint64_t from, uint64_t to) -> Status {
      if (decoder_ == nullptr) {
        PCHRONICLE_ASSIGN_OR_RETURN(
            decoder_, MakeArrayDecoder(encoding_, shape, node_.logical_type.starts_with("dict:"),
                                       source_.get(), &state_->context));
      }
      ++state_->context.chunks;
      return decoder_->Append(from, to, values, validity);
    });
  }

  /// Lists: appends the ends of lists [begin, end), counted in items of the item column; nulls are
  /// 1 in `nulls`. `first`: where the first list starts.
  Status AppendLists(uint64_t begin, uint64_t end, uint64_t* first, std::vector<uint64_t>* ends,
                     std::vector<uint16_t>* nulls) {
    bool started = false;
    return ForPages(begin, end, [&](uint64_t from, uint64_t to) -> Status {
      PCHRONICLE_RETURN_IF_ERROR(OpenLists());
      numbers_.clear();
      PCHRONICLE_RETURN_IF_ERROR(
          ReadNumbers(decoder_.get(), offset_width_, from == 0 ? 0 : from - 1, to, &numbers_));
      const uint64_t adjustment = encoding_.null_adjustment;
      uint64_t last = 0;
      for (size_t i = 0; i < numbers_.size(); ++i) {
        const bool null = adjustment != 0 && numbers_[i] >= adjustment;
        const uint64_t list_end = numbers_[i] - (null ? adjustment : 0);
        if (list_end < last || list_end > encoding_.items) {
          return Status::Corruption("list ends at item {} of {}", list_end, encoding_.items);
        }
        if (i > 0 || from == 0) {
          if (!started) {
            *first = items_before_ + last;
            started = true;
          }
          ends->push_back(items_before_ + list_end);
          nulls->push_back(null ? 1 : 0);
        }
        last = list_end;
      }
      return Status::Ok();
    });
  }

 private:
  template <typename Visit>
  Status ForPages(uint64_t begin, uint64_t end, Visit&& visit) {
    if (end > column_->rows()) {
      return Status::Corruption("{}: rows up to {} of a column of {}", label_, end,
                                column_->rows());
    }
    for (uint64_t row = begin; row < end;) {
      const size_t page = column_->PageOfRow(row);
      const uint64_t first = column_->first_row[page];
      const uint64_t stop = std::min(end, column_->first_row[page + 1]);
      Status status = OpenPage(page);
      if (status.ok()) {
        status = visit(row - first, stop - first);
      }
      if (!status.ok()) {
        return status.WithContext(fmt::format("{}, page {}", label_, page));
      }
      row = stop;
    }
    return Status::Ok();
  }

  Status ParsePage(size_t page, proto::ArrayEncoding* out) const {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes,
                                column_->PageEncoding(page, proto::kArrayEncodingUrl));
    return proto::Parse(proto::WireReader(bytes), out);
  }

  Status OpenPage(size_t page) {
    if (open_ == page) {
      return Status::Ok();
    }
    open_ = SIZE_MAX;
    decoder_.reset();
    encoding_ = proto::ArrayEncoding();
    PCHRONICLE_RETURN_IF_ERROR(ParsePage(page, &encoding_));
    source_ = std::make_unique<PageSource>(&state_->reader, column_->Ranges(page),
                                           state_->options.window_bytes, state_->options.gap_bytes);
    ++state_->counters.pages_opened;
    open_ = page;
    return Status::Ok();
  }

  /// Items of the pages before the open one come first in the item column.
  Status OpenLists() {
    if (encoding_.kind != proto::ArrayEncoding::Kind::kList || encoding_.children.size() != 1) {
      return Status::Corruption("{} where the schema has a list", encoding_.ToString());
    }
    if (decoder_ != nullptr) {
      return Status::Ok();
    }
    if (items_of_page_.empty()) {
      uint64_t items = 0;
      for (size_t page = 0; page < column_->pages(); ++page) {
        proto::ArrayEncoding encoding;
        PCHRONICLE_RETURN_IF_ERROR(ParsePage(page, &encoding));
        items_of_page_.push_back(items);
        if (encoding.items > UINT64_MAX - items) {
          return Status::Corruption("lists of {} items", encoding.items);
        }
        items += encoding.items;
      }
    }
    items_before_ = items_of_page_[open_];
    PCHRONICLE_ASSIGN_OR_RETURN(offset_width_, NumberWidth(encoding_.children[0]));
    PCHRONICLE_ASSIGN_OR_RETURN(
        decoder_, MakeArrayDecoder(encoding_.children[0], ValueShape::Fixed(offset_width_), false,
                                   source_.get(), &state_->context));
    return Status::Ok();
  }

  std::shared_ptr<const Column> column_;
  std::string label_;
  const FieldNode& node_;
  ReadState* state_;
  size_t open_ = SIZE_MAX;
  proto::ArrayEncoding encoding_;  // of the open page
  std::unique_ptr<PageSource> source_;
  std::unique_ptr<ArrayDecoder> decoder_;
  std::vector<uint64_t> items_of_page_;
  uint64_t items_before_ = 0;
  uint32_t offset_width_ = 0;
  std::vector<uint64_t> numbers_;
};

/// A field with its column and what its values are built in.
struct FieldPart {
  const FieldNode* node = nullptr;
  columnar::DataTypePtr type;
  std::unique_ptr<FieldColumn> column;  // none: a struct whose members are read alone
  std::unique_ptr<ValueBuilder> values;
  std::unique_ptr<ColumnFinisher> finisher;
  std::vector<FieldPart> children;
  std::vector<uint64_t> ends;
  std::vector<uint16_t> nulls;
  ValidityBuilder validity;
};

/// Rows of 2.0 files. Structs are never null there.
class FieldRowReader : public RowReader {
 public:
  explicit FieldRowReader(ReadRequest request)
      : request_(std::move(request)), state_(*request_.file, request_.options) {}

  Status Open() {
    schema_ = ReadSchema(request_.fields, request_.options);
    parts_.resize(request_.fields.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const FieldNode& field = request_.fields[i];
      PCHRONICLE_RETURN_IF_ERROR(
          InFile(Bind(field, schema_[i].type, field.name, true, &parts_[i])));
    }
    return Status::Ok();
  }

  const std::vector<FieldNode>& fields() const override { return request_.fields; }
  const std::vector<columnar::DataField>& schema() const override { return schema_; }
  const ReadCounters& counters() const override { return state_.counters; }

  uint64_t SuggestRows(uint64_t bytes) const override {
    uint64_t stored = 0;
    for (const FieldPart& part : parts_) {
      stored += StoredBytes(part);
    }
    const auto count = static_cast<double>(std::max<uint64_t>(rows(), 1));
    return RowsForBytes(1 + static_cast<double>(stored) * 2 / count, bytes);
  }

  Result<std::vector<uint64_t>> SplitPoints(size_t parts) override {
    std::vector<uint64_t> cuts;
    for (const FieldPart& part : parts_) {
      if (part.column != nullptr && part.column->column().first_row.size() > cuts.size()) {
        cuts = part.column->column().first_row;
      }
    }
    return ChooseCuts(std::move(cuts), rows(), parts);
  }

  Status ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out) override {
    *out = columnar::RecordBatch();
    PCHRONICLE_RETURN_IF_ERROR(InFile(CheckRowRange(begin, end, rows())));
    for (FieldPart& part : parts_) {
      auto array = ReadPart(&part, begin, end);
      if (!array.ok()) {
        *out = columnar::RecordBatch();
        return InFile(array.status());
      }
      out->columns.push_back(*std::move(array));
    }
    Finish(end - begin, out);
    return Status::Ok();
  }

  Status Take(std::span<const uint64_t> taken, columnar::RecordBatch* out) override {
    *out = columnar::RecordBatch();
    PCHRONICLE_RETURN_IF_ERROR(InFile(CheckTakeRows(taken, rows())));
    for (FieldPart& part : parts_) {
      auto array = TakePart(&part, taken);
      if (!array.ok()) {
        *out = columnar::RecordBatch();
        return InFile(array.status());
      }
      out->columns.push_back(*std::move(array));
    }
    Finish(taken.size(), out);
    return Status::Ok();
  }

 private:
  uint64_t rows() const { return request_.owner->rows(); }
  Status InFile(const Status& status) const {
    return status.ok() ? status : status.WithContext(request_.owner->name());
  }
  void Finish(uint64_t count, columnar::RecordBatch* out) {
    out->fields = schema_;
    out->rows = static_cast<int64_t>(count);
    state_.counters.chunks_decoded = state_.context.chunks;
    state_.counters.rows += count;
  }

  static uint64_t StoredBytes(const FieldPart& part) {
    uint64_t sum = part.column == nullptr ? 0 : part.column->column().stored_bytes;
    for (const FieldPart& child : part.children) {
      sum += StoredBytes(child);
    }
    return sum;
  }

  /// `rows_known`: not below a list, so the column has a row for each row of the file.
  Status Bind(const FieldNode& node, const columnar::DataTypePtr& type, const std::string& label,
              bool rows_known, FieldPart* part) {
    part->node = &node;
    part->type = type;
    const auto index = request_.columns.find(node.id);
    const bool list = node.kind == FieldNode::Kind::kList;
    const bool leaf = !list && node.kind != FieldNode::Kind::kStruct;
    if (leaf && type == nullptr) {
      return Status::Unsupported("column '{}': logical type '{}'", label, node.logical_type);
    }
    if (leaf || list) {
      if (index == request_.columns.end()) {
        return Status::Corruption("field '{}' has no column of its own in a 2.0 file", label);
      }
      const std::string name = fmt::format("column {} '{}'", index->second, label);
      auto column = request_.load_column(index->second);
      if (!column.ok()) {
        return column.status().WithContext(name);
      }
      if (rows_known && (*column)->rows() != rows()) {
        return Status::Corruption("{}: pages of {} rows in a file of {}", name, (*column)->rows(),
                                  rows());
      }
      part->column = std::make_unique<FieldColumn>(*std::move(column), name, node, &state_);
    }
    if (leaf) {
      part->values = std::make_unique<ValueBuilder>(StoredShape(node));
      part->finisher = std::make_unique<ColumnFinisher>(node, request_.blobs, &state_);
      return Status::Ok();
    }
    part->children.resize(node.children.size());
    for (size_t i = 0; i < part->children.size(); ++i) {
      PCHRONICLE_RETURN_IF_ERROR(
          Bind(node.children[i], type == nullptr ? nullptr : type->children[i].type,
               label + "." + node.children[i].name, rows_known && !list, &part->children[i]));
    }
    return Status::Ok();
  }

  Result<ArrayPtr> ReadPart(FieldPart* part, uint64_t begin, uint64_t end) {
    const uint64_t one = end;
    if (part->node->kind == FieldNode::Kind::kList) {
      return ReadLists(part, std::span(&begin, 1), std::span(&one, 1));
    }
    if (part->values == nullptr) {
      return ReadStruct(part, end - begin,
                        [&](FieldPart* child) { return ReadPart(child, begin, end); });
    }
    return ReadLeaf(part, std::span(&begin, 1), std::span(&one, 1));
  }

  Result<ArrayPtr> TakePart(FieldPart* part, std::span<const uint64_t> taken) {
    if (part->values == nullptr && part->node->kind != FieldNode::Kind::kList) {
      return ReadStruct(part, taken.size(),
                        [&](FieldPart* child) { return TakePart(child, taken); });
    }
    std::vector<uint64_t> begins, ends;
    for (const uint64_t row : taken) {
      if (!ends.empty() && ends.back() == row) {
        ++ends.back();
      } else {
        begins.push_back(row);
        ends.push_back(row + 1);
      }
    }
    return part->values == nullptr ? ReadLists(part, begins, ends) : ReadLeaf(part, begins, ends);
  }

  Result<ArrayPtr> ReadLeaf(FieldPart* part, std::span<const uint64_t> begins,
                            std::span<const uint64_t> ends) {
    part->values->Reset();
    part->validity.Reset();
    const uint64_t width = part->values->shape().PlainBytes();
    for (size_t i = 0; i < begins.size(); ++i) {
      const uint64_t count = ends[i] - begins[i];
      if (width != 0 && count > request_.options.max_batch_bytes / width) {
        return Status::ResourceExhausted("{}: {} rows of {} bytes in one batch: read fewer rows",
                                         part->column->label(), count, width);
      }
      PCHRONICLE_RETURN_IF_ERROR(part->column->Append(begins[i], ends[i], part->values->shape(),
                                                      part->values.get(), &part->validity));
      if (part->values->bytes() > request_.options.max_batch_bytes) {
        return Status::ResourceExhausted("a batch of more than {} bytes: read fewer rows",
                                         request_.options.max_batch_bytes);
      }
    }
    size_t nulls = part->validity.nulls();
    columnar::BufferPtr validity = part->validity.Finish();
    if (part->node->kind == FieldNode::Kind::kBlob1) {
      validity = BlobValidity(part, &nulls);
    }
    return part->finisher->Finish(part->values.get(), std::move(validity), nulls);
  }

  /// Size 0 and a position: a null (lance.md E1).
  columnar::BufferPtr BlobValidity(FieldPart* part, size_t* nulls) {
    part->nulls.clear();
    for (size_t i = 0; i < part->values->size(); ++i) {
      const auto number = [&](size_t member) {
        return LoadLe<uint64_t>(
            reinterpret_cast<const uint8_t*>(part->values->child(member).View(i).data()));
      };
      part->nulls.push_back(number(1) == 0 && number(0) != 0 ? 1 : 0);
    }
    part->validity.AppendLevels(part->nulls.data(), part->nulls.size(), 1);
    *nulls = part->validity.nulls();
    return part->validity.Finish();
  }

  template <typename ReadChild>
  Result<ArrayPtr> ReadStruct(FieldPart* part, uint64_t count, ReadChild&& read_child) {
    auto array = std::make_shared<Array>();
    array->type = part->type;
    array->length = static_cast<int64_t>(count);
    for (FieldPart& child : part->children) {
      PCHRONICLE_ASSIGN_OR_RETURN(ArrayPtr values, read_child(&child));
      array->children.push_back(std::move(values));
    }
    return ArrayPtr(std::move(array));
  }

  /// Items of neighbouring lists are neighbours, so each row range is one item range; those of
  /// several row ranges are put together at the end.
  Result<ArrayPtr> ReadLists(FieldPart* part, std::span<const uint64_t> begins,
                             std::span<const uint64_t> ends) {
    std::vector<uint64_t> item_begins, item_ends, lengths;
    part->nulls.clear();
    for (size_t i = 0; i < begins.size(); ++i) {
      part->ends.clear();
      uint64_t at = 0;
      PCHRONICLE_RETURN_IF_ERROR(
          part->column->AppendLists(begins[i], ends[i], &at, &part->ends, &part->nulls));
      if (!part->ends.empty() && part->ends.back() != at) {
        item_begins.push_back(at);
        item_ends.push_back(part->ends.back());
      }
      for (const uint64_t end : part->ends) {
        if (end < at) {
          return Status::Corruption("{}: lists that do not follow each other",
                                    part->column->label());
        }
        lengths.push_back(end - at);
        at = end;
      }
    }
    return MakeLists(part, item_begins, item_ends, lengths);
  }

  Result<ArrayPtr> MakeLists(FieldPart* part, const std::vector<uint64_t>& item_begins,
                             const std::vector<uint64_t>& item_ends,
                             const std::vector<uint64_t>& lengths) {
    auto array = std::make_shared<Array>();
    array->type = part->type;
    array->length = static_cast<int64_t>(lengths.size());
    const bool large = columnar::HasLargeOffsets(part->type->id);
    auto offsets = std::make_shared<columnar::Buffer>((lengths.size() + 1) * (large ? 8 : 4));
    uint64_t items = 0;
    for (size_t i = 0; i <= lengths.size(); ++i) {
      if (!large && items > INT32_MAX) {
        return Status::ResourceExhausted("more than 2^31 list items in one batch: read fewer rows");
      }
      if (large) {
        offsets->as<uint64_t>()[i] = items;
      } else {
        offsets->as<uint32_t>()[i] = static_cast<uint32_t>(items);
      }
      items += i < lengths.size() ? lengths[i] : 0;
    }
    array->offsets = std::move(offsets);
    part->validity.AppendLevels(part->nulls.data(), part->nulls.size(), 1);
    array->null_count = static_cast<int64_t>(part->validity.nulls());
    array->validity = part->validity.Finish();
    FieldPart* child = &part->children[0];
    ArrayPtr values;
    if (item_begins.size() <= 1) {
      PCHRONICLE_ASSIGN_OR_RETURN(values, ReadPart(child, item_begins.empty() ? 0 : item_begins[0],
                                                   item_begins.empty() ? 0 : item_ends[0]));
    } else {
      std::vector<uint64_t> rows;
      for (size_t i = 0; i < item_begins.size(); ++i) {
        for (uint64_t item = item_begins[i]; item < item_ends[i]; ++item) {
          rows.push_back(item);
        }
      }
      PCHRONICLE_ASSIGN_OR_RETURN(values, TakePart(child, rows));
    }
    array->children.push_back(std::move(values));
    return ArrayPtr(std::move(array));
  }

  ReadRequest request_;
  ReadState state_;
  std::vector<columnar::DataField> schema_;
  std::vector<FieldPart> parts_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> MakeFieldRowReader(ReadRequest request) {
  auto reader = std::make_unique<FieldRowReader>(std::move(request));
  PCHRONICLE_RETURN_IF_ERROR(reader->Open());
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace pchronicle::lance
