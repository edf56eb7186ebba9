#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pchronicle/codec/compression.h"
#include "pchronicle/codec/fsst_encoder.h"
#include "pchronicle/lance/encoding/chunk_encoder.h"
#include "pchronicle/lance/encoding/leaf_values.h"

namespace pchronicle::lance {

/// How the texts of a page are compressed.
enum class TextForm : uint8_t { kPlain, kFsst, kZstd };

/// Texts of a mini-block page in a form; `fsst` is needed for kFsst, `zstd` for kZstd. All must
/// outlive the encoder.
std::unique_ptr<ChunkEncoder> MakeTextEncoder(const LeafValues& values, TextForm form,
                                              const codec::FsstEncoder* fsst,
                                              codec::ZstdCompressor* zstd);

/// The encoding of texts in a form, for both page layouts. `symbol_table`: of kFsst, not copied.
proto::CompressiveEncoding TextEncoding(TextForm form, bool large, std::string_view symbol_table);

/// Appends the size of `bytes` and their zstd frame (lance.md B6).
Status AppendZstd(std::string_view bytes, codec::ZstdCompressor* zstd, columnar::Buffer* out);

}  // namespace pchronicle::lance
