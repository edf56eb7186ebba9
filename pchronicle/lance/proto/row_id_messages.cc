#include "pchronicle/lance/proto/member_walk.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance::proto {
namespace {

Status ParseEncodedArray(std::string_view bytes, std::vector<uint64_t>* out) {
  return ForEachMember(bytes, "EncodedU64Array", [&](const Member& m) -> Status {
    const uint32_t width = m.number() == 1 ? 2 : m.number() == 2 ? 4 : 8;
    if (m.number() < 1 || m.number() > 3) {
      return Status::Ok();
    }
    uint64_t base = 0;
    std::string_view offsets;
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
    PCHRONICLE_RETURN_IF_ERROR(ForEachMember(inner, "id array", [&](const Member& part) -> Status {
      if (part.number() == 1 && width != 8) {
        return part.Get(&base);
      }
      if (part.number() == 2) {
        PCHRONICLE_ASSIGN_OR_RETURN(offsets, part.Bytes());
      }
      return Status::Ok();
    }));
    if (offsets.size() % width != 0) {
      return Status::Corruption("id array of {} bytes, not a multiple of {}", offsets.size(),
                                width);
    }
    for (size_t at = 0; at < offsets.size(); at += width) {
      uint64_t value = 0;
      for (uint32_t i = 0; i < width; ++i) {
        value |= uint64_t{static_cast<uint8_t>(offsets[at + i])} << (8 * i);
      }
      out->push_back(base + value);
    }
    return Status::Ok();
  });
}

Result<IdSegment> ParseSegment(std::string_view bytes) {
  IdSegment out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "U64Segment", [&](const Member& m) -> Status {
    if (m.number() < 1 || m.number() > 5) {
      return Status::Ok();
    }
    out = IdSegment{};
    out.kind = static_cast<IdSegment::Kind>(m.number() - 1);
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
    if (out.kind == IdSegment::Kind::kSorted || out.kind == IdSegment::Kind::kArray) {
      return ParseEncodedArray(inner, &out.values);
    }
    return ForEachMember(inner, "id range", [&](const Member& part) -> Status {
      switch (part.number()) {
        case 1:
          return part.Get(&out.start);
        case 2:
          return part.Get(&out.end);
        case 3:
          if (out.kind == IdSegment::Kind::kRangeWithHoles) {
            PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view holes, part.Bytes());
            return ParseEncodedArray(holes, &out.values);
          }
          return out.kind == IdSegment::Kind::kRangeWithBitmap ? part.Get(&out.bitmap)
                                                               : Status::Ok();
        default:
          return Status::Ok();
      }
    });
  }));
  return out;
}

}  // namespace

Result<std::vector<IdSegment>> ParseRowIdSequence(std::string_view bytes) {
  std::vector<IdSegment> out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "RowIdSequence", [&](const Member& m) {
    return m.number() == 1 ? AppendMessage(m, &out, ParseSegment) : Status::Ok();
  }));
  return out;
}

Result<std::vector<VersionRun>> ParseVersionRuns(std::string_view bytes) {
  std::vector<VersionRun> out;
  const auto parse_run = [](std::string_view run) -> Result<VersionRun> {
    VersionRun value;
    PCHRONICLE_RETURN_IF_ERROR(ForEachMember(run, "version run", [&](const Member& m) -> Status {
      if (m.number() == 1) {
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view span, m.Bytes());
        PCHRONICLE_ASSIGN_OR_RETURN(value.span, ParseSegment(span));
        return Status::Ok();
      }
      return m.number() == 2 ? m.Get(&value.version) : Status::Ok();
    }));
    return value;
  };
  PCHRONICLE_RETURN_IF_ERROR(
      ForEachMember(bytes, "RowDatasetVersionSequence", [&](const Member& m) {
        return m.number() == 1 ? AppendMessage(m, &out, parse_run) : Status::Ok();
      }));
  return out;
}

namespace {

WireWriter WriteSegment(const IdSegment& segment) {
  WireWriter out, inner;
  if (segment.kind == IdSegment::Kind::kRange) {
    inner.Number(1, segment.start);
    inner.Number(2, segment.end);
  } else {
    PCHRONICLE_CHECK(segment.kind == IdSegment::Kind::kArray ||
                     segment.kind == IdSegment::Kind::kSorted);
    WireWriter values;
    values.Bytes(2, std::string_view(reinterpret_cast<const char*>(segment.values.data()),
                                     segment.values.size() * sizeof(uint64_t)));
    inner.Message(3, values);
  }
  out.Message(static_cast<uint32_t>(segment.kind) + 1, inner);
  return out;
}

}  // namespace

WireWriter WriteRowIdSequence(const std::vector<IdSegment>& segments) {
  WireWriter out;
  for (const IdSegment& segment : segments) {
    out.Message(1, WriteSegment(segment));
  }
  return out;
}

WireWriter WriteVersionRuns(const std::vector<VersionRun>& runs) {
  WireWriter out;
  for (const VersionRun& run : runs) {
    WireWriter item;
    item.Message(1, WriteSegment(run.span));
    item.Number(2, run.version);
    out.Message(1, item);
  }
  return out;
}

}  // namespace pchronicle::lance::proto
