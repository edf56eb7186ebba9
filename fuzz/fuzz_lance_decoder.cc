// Single decoders of Lance pages on hostile bytes. Input: kind of decoder, shape, number of values
// (two bytes), length of an encoding message, the message, then the bytes to decode. Equation: what
// decodes as a whole decodes the same in slices.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "pchronicle/columnar/data_type.h"
#include "pchronicle/lance/encoding/block_decoder.h"
#include "pchronicle/lance/encoding/jsonb.h"
#include "pchronicle/lance/encoding/structure_builder.h"
#include "pchronicle/lance/encoding/value_decoder.h"
#include "pchronicle/lance/encoding/zip_value.h"
#include "pchronicle/lance/file/field_tree.h"

namespace {

namespace lance = pchronicle::lance;
namespace columnar = pchronicle::columnar;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

constexpr std::string_view kTypes[] = {"bool",
                                       "int8",
                                       "int16",
                                       "int32",
                                       "int64",
                                       "decimal:128:20:2",
                                       "string",
                                       "large_binary",
                                       "fixed_size_list:float:3",
                                       "fixed_size_list:fixed_size_list:bool:3:5",
                                       "null"};

columnar::DataTypePtr TypeOf(uint8_t choice) {
  if (choice % 16 < std::size(kTypes)) {
    return lance::ParseLogicalType(kTypes[choice % 16]);
  }
  return columnar::MakeStruct({{"a", columnar::MakeType(columnar::TypeId::kInt64)},
                               {"b", columnar::MakeType(columnar::TypeId::kUtf8)}});
}

columnar::ArrayPtr Finish(lance::ValueBuilder* values, const columnar::DataTypePtr& type) {
  return values->Finish(type, nullptr, 0);
}

void DecodeValues(const lance::proto::CompressiveEncoding& encoding,
                  const columnar::DataTypePtr& type, size_t count, lance::Bytes bytes) {
  lance::DecodeContext context;
  context.max_bytes = 1 << 20;
  const auto shape = lance::ValueShape::Of(*type);
  auto decoder = lance::MakeValueDecoder(encoding, shape, &context);
  if (!decoder.ok()) {
    return;
  }
  // The bytes are shared out to up to three buffers.
  const size_t third = bytes.size() / 3;
  const lance::Bytes buffers[] = {bytes.subspan(0, third), bytes.subspan(third, third),
                                  bytes.subspan(2 * third)};
  std::span<const lance::Bytes> left(buffers);
  if (!(*decoder)->Load(&left, count).ok()) {
    return;
  }
  lance::ValueBuilder whole(shape), slices(shape);
  if (!(*decoder)->Append(0, count, &whole).ok()) {
    return;
  }
  for (size_t at = 0; at < count;) {
    const size_t n = std::min(count - at, at % 13 + 1);
    Require((*decoder)->Append(at, n, &slices).ok(), "a slice of what decodes decodes");
    at += n;
  }
  Require(SameValues(*Finish(&whole, type), *Finish(&slices, type)), "slices make the whole");
}

void DecodeZipValues(const lance::proto::CompressiveEncoding& encoding,
                     const columnar::DataTypePtr& type, size_t size, lance::Bytes bytes) {
  lance::DecodeContext context;
  context.max_bytes = 1 << 20;
  const auto shape = lance::ValueShape::Of(*type);
  auto decoder = lance::MakeZipValueDecoder(encoding, shape, size, &context);
  if (!decoder.ok()) {
    return;
  }
  lance::ValueBuilder out(shape);
  if ((*decoder)->Append(bytes.subspan(0, std::min(size, bytes.size())), &out).ok()) {
    Require(out.size() == 1, "one value is one value");
    (void)Finish(&out, type);
  }
}

void DecodeItems(const lance::proto::CompressiveEncoding& encoding,
                 const columnar::DataTypePtr& type, uint64_t count, lance::Bytes bytes) {
  lance::DecodeContext context;
  context.max_bytes = 1 << 20;
  const auto shape = lance::ValueShape::Of(*type);
  const auto items = lance::DecodeItems(encoding, bytes, count, shape, &context);
  if (items.ok()) {
    lance::ValueBuilder out(shape);
    (void)(*items)->Gather<uint8_t>(bytes.data(), std::min<size_t>(bytes.size(), 100), &out).ok();
  }
}

void DecodeLevels(std::string_view layers, uint8_t choice, lance::Bytes bytes) {
  std::vector<uint32_t> stored;
  std::vector<lance::PathStep> path;
  for (const char layer : layers.substr(0, 6)) {
    stored.push_back(static_cast<uint8_t>(layer));
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    const uint32_t layer = stored[stored.size() - 1 - i];
    path.push_back({layer == 2 || layer >= 4, (choice & 1) != 0});
  }
  const auto plan = lance::LayerPlan::Make(stored, path);
  if (!plan.ok() || path.empty()) {
    return;
  }
  std::vector<uint16_t> rep, def;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    rep.push_back(bytes[i] & 7);
    def.push_back(bytes[i + 1] & 15);
  }
  lance::StructureBuilder structure(path);
  if (structure.AppendNested(*plan, rep, def).ok()) {
    Require(structure.length(0) <= rep.size(), "no more rows than entries");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 5) {
    return 0;
  }
  const uint8_t kind = data[0], choice = data[1];
  const size_t count = data[2] | size_t{data[3]} << 8;
  const size_t message_size = std::min<size_t>(data[4], size - 5);
  const std::string_view message(reinterpret_cast<const char*>(data) + 5, message_size);
  const lance::Bytes bytes(data + 5 + message_size, size - 5 - message_size);
  if (kind % 6 == 0) {
    std::string text;
    (void)lance::AppendJsonbText(bytes, &text).ok();
    return 0;
  }
  if (kind % 6 == 1) {
    DecodeLevels(message, choice, bytes);
    return 0;
  }
  lance::proto::CompressiveEncoding encoding;
  if (!lance::proto::Parse(lance::proto::WireReader(message), &encoding).ok()) {
    return 0;
  }
  const columnar::DataTypePtr type = TypeOf(choice);
  if (kind % 6 == 2) {
    DecodeItems(encoding, type, count, bytes);
  } else if (kind % 6 == 3) {
    DecodeZipValues(encoding, type, count, bytes);
  } else {
    DecodeValues(encoding, type, count, bytes);
  }
  return 0;
}
