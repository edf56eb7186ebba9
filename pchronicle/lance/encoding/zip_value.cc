#include "pchronicle/lance/encoding/zip_value.h"

#include <utility>

#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fsst.h"

namespace pchronicle::lance {
namespace {

using Encoding = proto::CompressiveEncoding;
using Kind = ValueShape::Kind;
using DecoderPtr = std::unique_ptr<ZipValueDecoder>;

/// Fixed-width values and booleans, which take a byte.
class PlainValue : public ZipValueDecoder {
 public:
  explicit PlainValue(uint64_t width) : width_(width) {}
  Status Append(Bytes value, ValueBuilder* out) override {
    if (value.size() != width_) {
      return Status::Corruption("a value of {} bytes instead of {}", value.size(), width_);
    }
    out->AppendPlain(value.data(), 1, width_);
    return Status::Ok();
  }
  bool plain() const override { return true; }

 private:
  size_t width_;
};

/// Stands for a null: its level says so, no bytes follow.
class NoValue : public ZipValueDecoder {
 public:
  Status Append(Bytes value, ValueBuilder* out) override {
    out->AppendEmpty(1);
    return value.empty() ? Status::Ok()
                         : Status::Corruption("{} bytes in the place of a null", value.size());
  }
};

class TextValue : public ZipValueDecoder {
 public:
  Status Append(Bytes value, ValueBuilder* out) override {
    return out->AppendText(value.data(), value.size());
  }
};

/// fsst and general compression around a text; the compressed form never nests further.
class FsstValue : public ZipValueDecoder {
 public:
  explicit FsstValue(codec::FsstTable table) : table_(table) {}
  Status Append(Bytes value, ValueBuilder* out) override {
    if (!table_.coding()) {
      return out->AppendText(value.data(), value.size());
    }
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool good, out->AppendDecoded(
                             1, [&](size_t) { return codec::FsstTable::MaxDecoded(value.size()); },
                             [&](size_t, uint8_t* to) { return table_.Decode(value, to); }));
    return good ? Status::Ok() : Status::Corruption("fsst: a code without a symbol");
  }

 private:
  codec::FsstTable table_;
};

class CompressedText : public ZipValueDecoder {
 public:
  CompressedText(uint32_t scheme, DecodeContext* context) : scheme_(scheme), context_(context) {}
  Status Append(Bytes value, ValueBuilder* out) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t size, context_->UnpackedSize(scheme_, value));
    Status status;
    PCHRONICLE_ASSIGN_OR_RETURN(const bool good,
                                out->AppendDecoded(
                                    1, [&](size_t) { return static_cast<size_t>(size); },
                                    [&](size_t, uint8_t* to) -> uint8_t* {
                                      status = context_->Unpack(
                                          scheme_, value, std::span(to, static_cast<size_t>(size)));
                                      return status.ok() ? to + size : nullptr;
                                    }));
    return good ? Status::Ok() : status;
  }

 private:
  uint32_t scheme_;
  DecodeContext* context_;
};

/// Compressed values of another form than text.
class CompressedValue : public ZipValueDecoder {
 public:
  CompressedValue(uint32_t scheme, DecoderPtr inner, DecodeContext* context)
      : scheme_(scheme), inner_(std::move(inner)), context_(context) {}
  Status Append(Bytes value, ValueBuilder* out) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes plain, context_->Unpack(scheme_, value, &plain_));
    return inner_->Append(plain, out);
  }

 private:
  uint32_t scheme_;
  DecoderPtr inner_;
  DecodeContext* context_;
  columnar::Buffer plain_;
};

/// Validity of every nesting level that has one, then the items.
class ListValue : public ZipValueDecoder {
 public:
  struct Level {
    size_t items;  // of the whole value at this level
    bool has_validity;
  };
  ListValue(std::vector<Level> levels, size_t item_bytes, bool stored)
      : levels_(std::move(levels)), item_bytes_(item_bytes), stored_(stored) {}

  uint64_t bytes() const {
    uint64_t sum = stored_ ? uint64_t{levels_.back().items} * item_bytes_ : 0;
    for (const Level& level : levels_) {
      sum += level.has_validity ? codec::BitmapBytes(level.items) : 0;
    }
    return sum;
  }
  Status Append(Bytes value, ValueBuilder* out) override {
    if (value.size() != bytes()) {
      return Status::Corruption("a list value of {} bytes instead of {}", value.size(), bytes());
    }
    const uint8_t* at = value.data();
    ValueBuilder* list = out;
    size_t lists = 1;
    for (const Level& level : levels_) {
      list->AdvanceNested(lists);
      list = &list->child(0);
      lists = level.items;
      if (level.has_validity) {
        list->validity().AppendBits(at, 0, level.items);
        at += codec::BitmapBytes(level.items);
      } else {
        list->validity().AppendValid(level.items);
      }
    }
    if (stored_) {
      list->AppendPlain(at, lists, item_bytes_);
    } else {
      list->AppendEmpty(lists);
    }
    return Status::Ok();
  }

 private:
  std::vector<Level> levels_;
  size_t item_bytes_;
  bool stored_;
};

/// Fields in order: fixed ones raw, variable ones behind their length.
class PackedValue : public ZipValueDecoder {
 public:
  struct Field {
    DecoderPtr value;
    size_t bytes = 0;         // fixed
    size_t length_bytes = 0;  // variable; 0: fixed
  };
  explicit PackedValue(std::vector<Field> fields) : fields_(std::move(fields)) {}

  Status Append(Bytes value, ValueBuilder* out) override {
    for (size_t i = 0; i < fields_.size(); ++i) {
      const Field& field = fields_[i];
      uint64_t size = field.bytes;
      if (field.length_bytes != 0) {
        if (value.size() < field.length_bytes) {
          return Status::Corruption("a packed value ends in field {}", i);
        }
        size = field.length_bytes == 4 ? LoadLe<uint32_t>(value.data())
                                       : LoadLe<uint64_t>(value.data());
        value = value.subspan(field.length_bytes);
      }
      if (value.size() < size) {
        return Status::Corruption("a packed value ends in field {}", i);
      }
      PCHRONICLE_RETURN_IF_ERROR(
          field.value->Append(value.subspan(0, static_cast<size_t>(size)), &out->child(i)));
      out->child(i).validity().AppendValid(1);
      value = value.subspan(static_cast<size_t>(size));
    }
    out->AdvanceNested(1);
    return Status::Ok();
  }

 private:
  std::vector<Field> fields_;
};

Result<std::unique_ptr<ListValue>> MakeList(const Encoding& encoding, const ValueShape& shape) {
  std::vector<ListValue::Level> levels;
  const Encoding* at = &encoding;
  const ValueShape* inner = &shape;
  uint64_t items = 1;
  while (at->kind == Encoding::Kind::kFixedSizeList) {
    if (inner->kind != Kind::kFixedSizeList || at->items != inner->width ||
        at->children.size() != 1) {
      return Status::Corruption("{} where the schema has {}", encoding.ToString(),
                                shape.ToString());
    }
    items *= at->items;  // shapes are limited to 2^31 bits
    levels.push_back({static_cast<size_t>(items), at->has_validity});
    at = &at->children[0];
    inner = &inner->children[0];
  }
  const uint64_t width = inner->PlainBytes();
  const bool constant = at->kind == Encoding::Kind::kConstant && !at->value;
  if (!constant && (at->kind != Encoding::Kind::kFlat || at->bits != width * 8)) {
    return Status::Unsupported("{} in a full-zip page", encoding.ToString());
  }
  return std::make_unique<ListValue>(std::move(levels), static_cast<size_t>(width), !constant);
}

Result<DecoderPtr> MakePacked(const Encoding& encoding, const ValueShape& shape,
                              DecodeContext* context) {
  if (shape.kind != Kind::kStruct || shape.children.size() != encoding.fields.size()) {
    return Status::Corruption("{} where the schema has {}", encoding.ToString(), shape.ToString());
  }
  std::vector<PackedValue::Field> fields(encoding.fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const Encoding::PackedField& field = encoding.fields[i];
    fields[i].bytes = field.bits_per_value / 8;
    fields[i].length_bytes = field.bits_per_length / 8;
    const bool known = field.bits_per_length == 0
                           ? field.bits_per_value != 0 && field.bits_per_value % 8 == 0
                           : field.bits_per_length == 32 || field.bits_per_length == 64;
    if (!known) {
      return Status::Unsupported("{} with a field of {} bits", encoding.ToString(),
                                 field.bits_per_value + field.bits_per_length);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(
        fields[i].value,
        MakeZipValueDecoder(encoding.children[i], shape.children[i], fields[i].bytes, context));
  }
  return DecoderPtr(std::make_unique<PackedValue>(std::move(fields)));
}

Status CheckBytes(const Encoding& encoding, uint64_t expected, uint64_t bytes) {
  return bytes == expected ? Status::Ok()
                           : Status::Corruption("{} with values of {} bytes instead of {}",
                                                encoding.ToString(), bytes, expected);
}

}  // namespace

Result<DecoderPtr> MakeZipValueDecoder(const Encoding& encoding, const ValueShape& shape,
                                       uint64_t bytes, DecodeContext* context) {
  switch (encoding.kind) {
    case Encoding::Kind::kFlat:
      if (shape.kind == Kind::kVariable) {
        return DecoderPtr(std::make_unique<TextValue>());
      }
      if (shape.PlainBytes() == 0 || encoding.bits != shape.PlainBytes() * 8) {
        return Status::Corruption("{} where the schema has {}", encoding.ToString(),
                                  shape.ToString());
      }
      PCHRONICLE_RETURN_IF_ERROR(CheckBytes(encoding, shape.PlainBytes(), bytes));
      return DecoderPtr(std::make_unique<PlainValue>(shape.PlainBytes()));
    case Encoding::Kind::kConstant:
      if (encoding.value || bytes != 0) {
        break;
      }
      return DecoderPtr(std::make_unique<NoValue>());
    case Encoding::Kind::kVariable:
      if (shape.kind != Kind::kVariable) {
        break;
      }
      return DecoderPtr(std::make_unique<TextValue>());
    case Encoding::Kind::kFsst: {
      if (shape.kind != Kind::kVariable || encoding.children.size() != 1 ||
          encoding.children[0].kind != Encoding::Kind::kVariable) {
        break;
      }
      const auto* table = reinterpret_cast<const uint8_t*>(encoding.symbol_table.data());
      PCHRONICLE_ASSIGN_OR_RETURN(
          const codec::FsstTable symbols,
          codec::FsstTable::FromLance({table, encoding.symbol_table.size()}));
      return DecoderPtr(std::make_unique<FsstValue>(symbols));
    }
    case Encoding::Kind::kGeneral: {
      if (encoding.children.size() != 1) {
        break;
      }
      if (encoding.children[0].kind == Encoding::Kind::kVariable && shape.kind == Kind::kVariable) {
        return DecoderPtr(std::make_unique<CompressedText>(encoding.scheme, context));
      }
      PCHRONICLE_ASSIGN_OR_RETURN(
          DecoderPtr inner,
          MakeZipValueDecoder(encoding.children[0], shape, shape.PlainBytes(), context));
      return DecoderPtr(
          std::make_unique<CompressedValue>(encoding.scheme, std::move(inner), context));
    }
    case Encoding::Kind::kFixedSizeList: {
      PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ListValue> list, MakeList(encoding, shape));
      PCHRONICLE_RETURN_IF_ERROR(CheckBytes(encoding, list->bytes(), bytes));
      return DecoderPtr(std::move(list));
    }
    case Encoding::Kind::kVariablePackedStruct:
      return MakePacked(encoding, shape, context);
    default:
      break;
  }
  return Status::Unsupported("{} of {} in a full-zip page", encoding.ToString(), shape.ToString());
}

}  // namespace pchronicle::lance
