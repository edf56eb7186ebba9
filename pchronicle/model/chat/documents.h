#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/chat/row_reader.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::chat {

/// Which conversation of a row a document is (HF-06).
enum class Side : uint8_t { kWhole, kChosen, kRejected };

/// The id a row states for itself (HF-01); empty when it states none.
std::string_view RowId(const Row& row, Arena& arena);
/// True when the row is a preference pair.
bool IsPreference(const Row& row);
/// True when the row holds this side.
bool HasSide(const Row& row, Side side);

/// Fills the members that come from the row (HF-07 to HF-09). `members` has the base of the row.
void FillDocument(const Row& row, Side side, FieldMask fields, MemberReader& members, Arena& arena,
                  Document* document);
/// Records the members of the row that nothing maps.
void AddRowResiduals(const Row& row, Side side, MemberReader& members);
/// `/resolved` and the like; empty when the row states no outcome.
std::string_view OutcomePointer(const Row& row);

/// The list that holds the messages of a row without a preference.
RowMember MessagesOf(const Row& row);

}  // namespace pchronicle::model::chat
