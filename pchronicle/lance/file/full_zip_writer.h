#pragma once

#include <functional>

#include "pchronicle/codec/fsst_encoder.h"
#include "pchronicle/lance/encoding/text_encoder.h"
#include "pchronicle/lance/file/page_encoder.h"

namespace pchronicle::lance {

/// Full-zip pages (lance.md B5): each value with its levels, found by row. Texts in a form; `fsst`
/// and `zstd` as in MakeTextEncoder.
Result<EncodedPage> WriteFullZipTexts(const LeafLevels& levels, const LeafValues& values,
                                      TextForm form, const codec::FsstEncoder* fsst,
                                      codec::ZstdCompressor* zstd);

/// Values of a fixed width, booleans, and fixed size lists.
EncodedPage WriteFullZipFixed(const LeafLevels& levels, const LeafValues& values);

/// Values of any size behind their length of 32 bits: append(slot, out) appends the bytes of one.
EncodedPage WriteFullZipPacked(const LeafLevels& levels, const proto::CompressiveEncoding& encoding,
                               const std::function<void(size_t, columnar::Buffer*)>& append);

}  // namespace pchronicle::lance
