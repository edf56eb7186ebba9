#include <algorithm>
#include <optional>
#include <utility>

#include "pchronicle/lance/encoding/block_decoder.h"
#include "pchronicle/lance/file/page_decoder.h"

// Constant pages (lance.md B5): every value that is there is the same one, or none is there.
// Buffers: [value] if it does not stand in the layout, then [repetition levels, definition levels].

namespace pchronicle::lance {
namespace {

class ConstantPage : public LayoutPage {
 public:
  ConstantPage(const PageOptions& options, PageSource source, LayerPlan plan)
      : LayoutPage(options, std::move(source), std::move(plan)) {}

  Status Open(const ValueShape& shape);
  Status Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) override;
  Status Prefetch(std::span<const uint64_t>) override { return Status::Ok(); }

 private:
  Status ReadScalar(size_t buffer);
  Status ReadLevels(size_t buffer, const std::optional<proto::CompressiveEncoding>& encoding,
                    uint64_t count, columnar::Buffer* out);
  Status AppendNested(uint64_t from, uint64_t to, LeafBuilder* out);
  Status AppendValues(size_t count, LeafBuilder* out);

  std::optional<std::string> value_;
  columnar::Buffer rep_, def_;
  bool all_null_ = false;  // without levels
  size_t entry_ = 0;       // where row next_row_ starts
  uint64_t next_row_ = 0;
};

/// A value buffer of its own: number and sizes of buffers, then the buffers of an array of length
/// one. The value is the last of them, also for texts.
Status ConstantPage::ReadScalar(size_t buffer) {
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, source_.Whole(buffer));
  if (bytes.size() < 4) {
    return Status::Corruption("constant value in {} bytes", bytes.size());
  }
  const uint64_t count = LoadLe<uint32_t>(bytes.data());
  if (count == 0 || count > 4 || bytes.size() < 4 + count * 4) {
    return Status::Corruption("constant value of {} buffers in {} bytes", count, bytes.size());
  }
  uint64_t at = 4 + count * 4, last = 0;
  for (uint64_t i = 0; i < count; ++i) {
    at += last;
    last = LoadLe<uint32_t>(bytes.data() + 4 + i * 4);
  }
  if (at > bytes.size() || last > bytes.size() - at) {
    return Status::Corruption("constant value at {}+{} of {} bytes", at, last, bytes.size());
  }
  const Bytes value = bytes.subspan(static_cast<size_t>(at), static_cast<size_t>(last));
  value_.emplace(reinterpret_cast<const char*>(value.data()), value.size());
  return Status::Ok();
}

Status ConstantPage::ReadLevels(size_t buffer,
                                const std::optional<proto::CompressiveEncoding>& encoding,
                                uint64_t count, columnar::Buffer* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, source_.Whole(buffer));
  if (bytes.empty()) {
    return Status::Ok();
  }
  if (encoding) {
    return DecodeBlock(*encoding, bytes, count, 2, options_.context, out);
  }
  if (bytes.size() % 2 != 0) {
    return Status::Corruption("levels of {} bytes", bytes.size());
  }
  out->Append(bytes.data(), bytes.size());
  return Status::Ok();
}

Status ConstantPage::Open(const ValueShape& shape) {
  size_t first = 0;
  if (layout_.inline_value) {
    value_.emplace(*layout_.inline_value);
  } else if (source_.buffers() % 2 == 1) {
    PCHRONICLE_RETURN_IF_ERROR(ReadScalar(0));
    first = 1;
  }
  if (value_ && shape.kind != ValueShape::Kind::kVariable && value_->size() != shape.PlainBytes()) {
    return Status::Corruption("a constant of {} bytes where the schema has {}", value_->size(),
                              shape.ToString());
  }
  if (source_.buffers() >= first + 2) {
    PCHRONICLE_RETURN_IF_ERROR(ReadLevels(first, layout_.rep, layout_.rep_values, &rep_));
    PCHRONICLE_RETURN_IF_ERROR(ReadLevels(first + 1, layout_.def, layout_.def_values, &def_));
  } else {
    all_null_ = !value_;
    if (all_null_ && plan_.max_def == 0) {
      plan_.layers[0].nullable = true;  // that they are null needs no level
      plan_.layers[0].null_level = 1;
    }
  }
  const size_t entries = std::max(rep_.size(), def_.size()) / 2;
  if (plan_.lists != 0) {
    if (rep_.size() == 0 || (def_.size() != 0 && def_.size() != rep_.size())) {
      return Status::Corruption("constant page with {} repetition and {} definition levels",
                                rep_.size() / 2, def_.size() / 2);
    }
  } else if (entries != 0 && entries != options_.rows) {
    return Status::Corruption("constant page with {} levels for {} rows", entries, options_.rows);
  }
  return Status::Ok();
}

Status ConstantPage::AppendValues(size_t count, LeafBuilder* out) {
  // What takes no bytes in the file is counted before it takes memory.
  const uint64_t value_bytes =
      std::max<uint64_t>(out->values.shape().PlainBytes(), value_ ? value_->size() : 0);
  if (value_bytes != 0 && count > options_.max_batch_bytes / value_bytes) {
    return Status::ResourceExhausted("{} times a value of {} bytes in one batch: read fewer rows",
                                     count, value_bytes);
  }
  if (!value_) {
    out->values.AppendEmpty(count);
    return Status::Ok();
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(value_->data());
  if (out->values.shape().kind != ValueShape::Kind::kVariable) {
    out->values.AppendPlain(bytes, count, 0);
    return Status::Ok();
  }
  for (size_t i = 0; i < count; ++i) {
    PCHRONICLE_RETURN_IF_ERROR(out->values.AppendText(bytes, value_->size()));
  }
  return Status::Ok();
}

Status ConstantPage::Append(uint64_t from, uint64_t to, uint64_t, LeafBuilder* out) {
  if (from == to) {
    return Status::Ok();
  }
  ++options_.context->chunks;
  if (plan_.lists != 0) {
    return AppendNested(from, to, out);
  }
  const auto count = static_cast<size_t>(to - from);
  PCHRONICLE_RETURN_IF_ERROR(AppendValues(count, out));
  if (all_null_) {
    const std::vector<uint16_t> nulls(count, 1);
    out->structure.AppendFlat(plan_, nulls.data(), count);
  } else {
    out->structure.AppendFlat(plan_, def_.size() == 0 ? nullptr : def_.as<uint16_t>() + from,
                              count);
  }
  return CheckBatchBytes(options_, *out);
}

Status ConstantPage::AppendNested(uint64_t from, uint64_t to, LeafBuilder* out) {
  const std::span<const uint16_t> rep(rep_.as<uint16_t>(), rep_.size() / 2);
  const std::span<const uint16_t> def(def_.as<uint16_t>(), def_.size() / 2);
  if (from < next_row_) {
    entry_ = 0;
    next_row_ = 0;
  }
  // Row next_row_ starts at entry_; afterwards row `row` starts at `end`.
  const auto skip = [&](size_t entry, uint64_t rows) {
    while (rows > 0 && entry < rep.size()) {
      ++entry;
      while (entry < rep.size() && rep[entry] != plan_.lists) {
        ++entry;
      }
      --rows;
    }
    return std::pair(entry, rows);
  };
  const auto [begin, missing] = skip(entry_, from - next_row_);
  const auto [end, left] = skip(begin, to - from);
  if (missing != 0 || left != 0 || (end < rep.size()) != (to < options_.rows)) {
    return Status::Corruption("constant page whose levels do not make {} rows", options_.rows);
  }
  entry_ = end;
  next_row_ = to;
  const auto levels = rep.subspan(begin, end - begin);
  const auto defs = def.empty() ? def : def.subspan(begin, end - begin);
  const auto visible =
      defs.empty()
          ? levels.size()
          : static_cast<size_t>(std::count_if(
                defs.begin(), defs.end(), [&](uint16_t level) { return level <= plan_.visible; }));
  PCHRONICLE_RETURN_IF_ERROR(AppendValues(visible, out));
  PCHRONICLE_RETURN_IF_ERROR(out->structure.AppendNested(plan_, levels, defs));
  return CheckBatchBytes(options_, *out);
}

}  // namespace

Result<std::unique_ptr<PageDecoder>> OpenConstantPage(const PageOptions& options, PageSource source,
                                                      const ValueShape& shape, LayerPlan plan) {
  auto page = std::make_unique<ConstantPage>(options, std::move(source), std::move(plan));
  PCHRONICLE_RETURN_IF_ERROR(page->Open(shape));
  return std::unique_ptr<PageDecoder>(std::move(page));
}

}  // namespace pchronicle::lance
