#include "pchronicle/lance/table/feature_flags.h"

namespace pchronicle::lance {
namespace {

struct FlagName {
  uint64_t bit;
  std::string_view name;
};
constexpr FlagName kNames[] = {
    {kFlagDeletionFiles, "deletion files"},
    {kFlagStableRowIds, "stable row ids"},
    {kFlagTableConfig, "table config"},
    {kFlagBasePaths, "base paths"},
    {kFlagNoTransactionFiles, "no transaction files"},
    {kFlagOverlayFiles, "data overlay files"},
    {128, "covered index metadata"},
    {kFlagMixedFileVersions, "mixed data file versions"},
};

// Names are for people; above 256 the number alone is certain.
template <typename Append>
void ForEachBit(uint64_t flags, Append append) {
  for (int i = 0; i < 64; ++i) {
    if (const uint64_t bit = uint64_t{1} << i; (flags & bit) != 0) {
      append(bit);
    }
  }
}

std::string Numbers(uint64_t flags) {
  std::string out;
  ForEachBit(flags,
             [&](uint64_t bit) { out += fmt::format("{}{}", out.empty() ? "" : ", ", bit); });
  return out;
}

Status Refuse(uint64_t unknown, uint64_t known, std::string_view what, std::string_view table,
              uint64_t version, std::string_view writer, std::string_view remedy) {
  return Status::Unsupported(
      "{} version {} needs feature flags {} (written by {}); this {} knows {}; {}", table, version,
      DescribeFlags(unknown), writer.empty() ? "an unnamed writer" : writer, what, Numbers(known),
      remedy);
}

}  // namespace

std::string DescribeFlags(uint64_t flags) {
  std::string out;
  ForEachBit(flags, [&](uint64_t bit) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", bit);
    for (const FlagName& entry : kNames) {
      if (entry.bit == bit) {
        out += fmt::format(" ({})", entry.name);
      }
    }
  });
  return out;
}

Status CheckReaderFlags(uint64_t reader_flags, std::string_view table, uint64_t version,
                        std::string_view writer) {
  const uint64_t unknown = reader_flags & ~kKnownReaderFlags;
  return unknown == 0
             ? Status::Ok()
             : Refuse(unknown, kKnownReaderFlags, "reader", table, version, writer,
                      "open an older version, or copy the table with a writer that leaves the "
                      "feature off");
}

Status CheckWriterFlags(uint64_t writer_flags, std::string_view table, uint64_t version,
                        std::string_view writer) {
  const uint64_t unknown = writer_flags & ~kKnownWriterFlags;
  return unknown == 0 ? Status::Ok()
                      : Refuse(unknown, kKnownWriterFlags, "writer", table, version, writer,
                               "the table can be read but not changed here");
}

}  // namespace pchronicle::lance
