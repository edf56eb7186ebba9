#include "pchronicle/model/openai/root_members.h"

#include <string>
#include <utility>

#include "pchronicle/json/pointer.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::openai {

Result<RootMembers> ReadRootMembers(const json::ByteInput& input,
                                    const json::CursorOptions& options,
                                    const std::vector<EnvelopeEntry>& objects, Arena& arena,
                                    uint64_t* error_offset) {
  RootMembers root;
  for (const EnvelopeEntry& object : objects) {
    *error_offset = object.offset;
    PCHRONICLE_ASSIGN_OR_RETURN(auto source, input.Open(object.offset, object.length));
    json::Cursor cursor(std::move(source), object.offset, options);
    if (!cursor.BeginObject()) {
      *error_offset = cursor.error_offset();
      return cursor.status();
    }
    for (std::string_view key; cursor.NextKey(&key);) {
      if (key == "session_steps") {
        cursor.Skip();
        continue;
      }
      const bool is_envelope = key == kEnvelopeKey;
      std::string pointer;
      json::AppendPointerToken(key, pointer);
      json::Raw raw;
      if (!cursor.Capture(&raw)) {
        break;
      }
      const json::Raw owned = Own(raw, arena);
      cursor.ReleaseViews();
      if (is_envelope) {
        root.envelope = owned;
      } else {
        root.fields.push_back({arena.Copy(pointer), owned});
      }
    }
    if (!cursor.ok()) {
      *error_offset = cursor.error_offset();
      return cursor.status();
    }
  }
  return root;
}

}  // namespace pchronicle::model::openai
