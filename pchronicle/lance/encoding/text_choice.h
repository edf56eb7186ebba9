#pragma once

#include "pchronicle/codec/compression.h"
#include "pchronicle/codec/fsst_trainer.h"
#include "pchronicle/lance/encoding/leaf_values.h"
#include "pchronicle/lance/encoding/text_encoder.h"

namespace pchronicle::lance {

/// A form for the texts of a page, with the symbols when it is FSST.
struct TextChoice {
  TextForm form = TextForm::kPlain;
  const codec::FsstEncoder* fsst = nullptr;  // of the trainer
};

/// Tries FSST and zstd on pieces from all over the page. FSST is read several times as fast, so
/// zstd must be clearly smaller; both must save a tenth, and pages of less than 4 KiB stay plain.
/// `by_value`: zstd would compress each text alone, otherwise chunks of them.
Result<TextChoice> ChooseTextForm(const LeafValues& values, bool by_value,
                                  codec::FsstTrainer* trainer, codec::ZstdCompressor* zstd);

}  // namespace pchronicle::lance
