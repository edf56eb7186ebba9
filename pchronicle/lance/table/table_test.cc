#include "pchronicle/lance/table/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/lance/proto/wire.h"
#include "pchronicle/lance/table/feature_flags.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/scan_stream.h"

namespace pchronicle::lance {
namespace {

using proto::WireWriter;
using testing::HasSubstr;

std::string Word(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8 * i));
  }
  return out;
}

std::string Frame(const WireWriter& manifest) {
  return Word(manifest.bytes().size(), 4) + manifest.bytes() + Word(0, 8) + Word(0, 2) +
         Word(2, 2) + "LANC";
}

struct Fields {
  uint64_t version = 1, seconds = 100;
  uint64_t reader_flags = 0, writer_flags = 0;
  std::string format = "lance";
  std::vector<WireWriter> fragments, bases;
};

WireWriter Column(int32_t id, const char* name, const char* type, int32_t parent = -1) {
  WireWriter out;
  out.Text(2, name);
  out.Signed(3, id);
  out.Signed(4, parent);
  out.Text(5, type);
  out.Flag(6, true);
  return out;
}

WireWriter Manifest(const Fields& fields) {
  WireWriter out, time, writer, format;
  out.Message(1, Column(0, "a", "int64"));
  out.Message(1, Column(1, "s", "struct"));
  out.Message(1, Column(2, "k", "string", 1));
  out.Message(1, Column(3, "v", "double", 1));
  out.Message(1, Column(4, "odd", "int128"));
  for (const WireWriter& fragment : fields.fragments) {
    out.Message(2, fragment);
  }
  out.Number(3, fields.version);
  time.Number(1, fields.seconds);
  out.Message(7, time);
  out.Number(9, fields.reader_flags);
  out.Number(10, fields.writer_flags);
  writer.Text(1, "lance");
  writer.Text(2, "14.1.0");
  out.Message(13, writer);
  format.Text(1, fields.format);
  format.Text(2, "2.1");
  out.Message(15, format);
  for (const WireWriter& base : fields.bases) {
    out.Message(18, base);
  }
  return out;
}

WireWriter Fragment(uint64_t id, uint64_t rows) {
  WireWriter out;
  out.Number(1, id);
  out.Number(4, rows);
  return out;
}

std::shared_ptr<io::Store> MakeStore(const std::vector<Fields>& versions,
                                     NameScheme scheme = NameScheme::kV2) {
  auto store = io::MakeMemoryStore("memory://t.lance");
  for (const Fields& fields : versions) {
    EXPECT_TRUE(store
                    ->Put("_versions/" + ManifestName(fields.version, scheme),
                          Frame(Manifest(fields)), false)
                    .ok());
  }
  return store;
}

Fields At(uint64_t version, uint64_t seconds) {
  Fields out;
  out.version = version;
  out.seconds = seconds;
  return out;
}

std::string OpenError(const std::shared_ptr<io::Store>& store, OpenOptions options = {}) {
  const auto table = Table::Open(store, std::move(options));
  return table.ok() ? "opened" : table.status().ToString();
}

TEST(Table, OpensTheNewestVersionOfEitherScheme_LNC_A2) {
  for (const NameScheme scheme : {NameScheme::kV1, NameScheme::kV2}) {
    const auto store = MakeStore({At(1, 10), At(2, 20), At(11, 30)}, scheme);
    // What a crashed writer and detached versions leave there.
    for (const char* name : {"_versions/d99.manifest", "_versions/12.manifest-5c0ffee",
                             "_versions/latest_version_hint.json", "_versions/.tmp_13"}) {
      ASSERT_TRUE(store->Put(name, "x", false).ok());
    }
    const auto table = Table::Open(store);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    EXPECT_EQ((*table)->version(), 11u);
    EXPECT_EQ((*table)->Versions()->size(), 3u);
  }
}

TEST(Table, TravelsByVersionAndTime_LNC_A2) {
  const auto store = MakeStore({At(1, 10), At(2, 20), At(3, 30)});
  OpenOptions options;
  options.version = 2;
  EXPECT_EQ((*Table::Open(store, options))->timestamp_ns(), 20'000'000'000);
  options.version = 9;
  EXPECT_EQ(OpenError(store, options),
            "not_found: memory://t.lance: version 9 does not exist; there are 1, 2, 3");
  options.version.reset();
  options.timestamp_ns = 29'999'999'999;
  EXPECT_EQ((*Table::Open(store, options))->version(), 2u);
  options.timestamp_ns = 5;
  EXPECT_THAT(OpenError(store, options), HasSubstr("version 1 is the oldest"));
  options.version = 1;
  EXPECT_THAT(OpenError(store, options), HasSubstr("invalid_argument"));
}

TEST(Table, FollowsTagsAndBranches_LNC_A10) {
  const auto store = MakeStore({At(1, 10), At(2, 20)});
  ASSERT_TRUE(store
                  ->Put("_refs/tags/first.json",
                        R"({"branch":null,"version":1,"createdAt":"x","manifestSize":460,)"
                        R"("metadata":{"a":[1,{"b":"}"}]}})",
                        false)
                  .ok());
  ASSERT_TRUE(store
                  ->Put("_refs/branches/exp%2Fone.json",
                        R"({"parentBranch":null,"parentVersion":1,"createAt":5})", false)
                  .ok());
  ASSERT_TRUE(store
                  ->Put("tree/exp/one/_versions/" + ManifestName(7, NameScheme::kV2),
                        Frame(Manifest(At(7, 70))), false)
                  .ok());
  OpenOptions options;
  options.tag = "first";
  EXPECT_EQ((*Table::Open(store, options))->version(), 1u);
  options.tag = "second";
  EXPECT_EQ(OpenError(store, options),
            "not_found: memory://t.lance: tag 'second' does not exist; there are first");
  options.tag.clear();
  options.branch = "exp/one";
  EXPECT_EQ((*Table::Open(store, options))->version(), 7u);
  options.branch = "exp/two";
  EXPECT_THAT(OpenError(store, options), HasSubstr("branch 'exp/two' does not exist"));
  options.branch = "../../etc";
  EXPECT_THAT(OpenError(store, options), HasSubstr("is no name of a branch"));
  const auto table = *Table::Open(store);
  ASSERT_EQ(table->Branches()->size(), 1u);
  EXPECT_EQ(table->Branches()->at(0).name, "exp/one");
  EXPECT_EQ(table->Tags()->at(0).version, 1u);
}

TEST(Table, RefusesUnknownReaderFlagsByNumber_LNC_A4) {
  for (int bit = 0; bit < 64; ++bit) {
    Fields fields = At(12, 1);
    fields.reader_flags = uint64_t{1} << bit;
    const std::string error = OpenError(MakeStore({fields}));
    if ((kKnownReaderFlags & fields.reader_flags) != 0) {
      EXPECT_EQ(error, "opened") << bit;
    } else {
      EXPECT_THAT(error, HasSubstr(fmt::format("unsupported: memory://t.lance version 12 needs "
                                               "feature flags {}",
                                               fields.reader_flags)));
      EXPECT_THAT(error, HasSubstr("written by lance 14.1.0"));
      EXPECT_THAT(error, HasSubstr("knows 1, 2, 4, 8, 16, 32, 256"));
    }
  }
  Fields fields = At(1, 1);
  fields.writer_flags = 1024;  // reading goes on; only a commit would be refused
  EXPECT_EQ(OpenError(MakeStore({fields})), "opened");
  EXPECT_EQ(CheckWriterFlags(1024, "t", 1, "").code(), StatusCode::kUnsupported);
  EXPECT_TRUE(CheckWriterFlags(1 | 8 | 16 | 32, "t", 1, "").ok());
}

// The check is per version: an older one may be readable.
TEST(Table, AnOlderVersionWithoutTheFlagOpens_LNC_A4) {
  Fields newer = At(2, 20);
  newer.reader_flags = 2048;
  const auto store = MakeStore({At(1, 10), newer});
  EXPECT_THAT(OpenError(store), HasSubstr("2048"));
  OpenOptions options;
  options.version = 1;
  EXPECT_EQ(OpenError(store, options), "opened");
}

TEST(Table, RefusesWhatC3Names_LNC_C3) {
  Fields fields = At(1, 1);
  fields.format = "parquet";
  EXPECT_THAT(OpenError(MakeStore({fields})), HasSubstr("format 'parquet'"));
  fields = At(1, 1);
  WireWriter overlay = Fragment(0, 5);
  overlay.Message(11, WireWriter());
  fields.fragments = {overlay};
  EXPECT_THAT(OpenError(MakeStore({fields})), HasSubstr("overlays without feature flag 64"));
  fields.fragments = {Fragment(3, 5), Fragment(3, 5)};
  EXPECT_THAT(OpenError(MakeStore({fields})), HasSubstr("corruption"));
  EXPECT_THAT(OpenError(io::MakeMemoryStore("memory://empty")), HasSubstr("no Lance table"));
  const auto store = io::MakeMemoryStore("memory://t");
  ASSERT_TRUE(store->Put("_versions/3.manifest", Frame(Manifest(At(4, 1))), false).ok());
  EXPECT_THAT(OpenError(store), HasSubstr("the manifest says version 4"));
}

TEST(Table, NamesTheBaseThatIsMissing_LNC_A10) {
  WireWriter file, base, fragment = Fragment(0, 5);
  file.Text(1, "x.lance");
  file.Packed(2, std::vector<int32_t>{0});
  file.Packed(3, std::vector<int32_t>{0});
  file.Number(4, 2);
  file.Number(5, 1);
  file.PresentNumber(7, 3);
  fragment.Message(2, file);
  Fields fields = At(1, 1);
  fields.fragments = {fragment};
  const auto store = MakeStore({fields});
  const auto table = *Table::Open(store);
  EXPECT_THAT(table->OpenDataFile(0, 0).status().ToString(),
              HasSubstr("base 3 is not in the base paths"));
  base.Number(1, 3);
  base.Flag(3, true);
  base.Text(4, "/nowhere/parent.lance");
  fields.bases = {base};
  const auto moved = *Table::Open(MakeStore({fields}));
  const std::string error = moved->OpenDataFile(0, 0).status().ToString();
  EXPECT_THAT(error, HasSubstr("x.lance"));
  EXPECT_THAT(error, HasSubstr("/nowhere/parent.lance"));
}

// Columns that no data file holds are null; those of unknown types are refused only when asked for.
TEST(Table, ReadsAbsentColumnsAsNullAndRefusesUnknownTypesLazily_LNC_A3) {
  Fields fields = At(1, 1);
  fields.fragments = {Fragment(0, 3), Fragment(4, 2)};
  const auto table = *Table::Open(MakeStore({fields}));
  ScanOptions options;
  options.columns = std::vector<std::string>{"s.v", "a"};
  options.row_address = true;
  const auto scan = Scan::Plan(table, options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  EXPECT_EQ(columnar::ToString(*(*scan)->schema()[0].type), "struct<v: double>");
  const Context context;
  const auto stream = ScanStream::Start(*scan, 1, true, context);
  columnar::RecordBatch batch;
  ASSERT_TRUE(*stream->Next(&batch));
  EXPECT_EQ(batch.rows, 3);
  EXPECT_TRUE(batch.columns[0]->IsNull(2));
  ASSERT_TRUE(*stream->Next(&batch));
  EXPECT_EQ(batch.columns[2]->Value<uint64_t>(1), uint64_t{4} << 32 | 1);
  EXPECT_FALSE(*stream->Next(&batch));
  const auto all = Scan::Plan(table, {});
  EXPECT_EQ(all.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(all.status().message(), HasSubstr("column odd: logical type 'int128'"));
  options.columns = std::vector<std::string>{"s.x"};
  EXPECT_THAT(Scan::Plan(table, options).status().ToString(),
              HasSubstr("invalid_argument: there is no column 's.x'; there are a, s, odd"));
}

TEST(Projection, PrunesAndMergesPaths_LNC_5) {
  const auto table = *Table::Open(MakeStore({At(1, 1)}));
  const std::vector<std::string> paths = {"s.v", "a", "s.k", "a"};
  const auto fields = Project(table->schema(), paths);
  ASSERT_TRUE(fields.ok());
  ASSERT_EQ(fields->size(), 2u);
  EXPECT_EQ(columnar::ToString(*fields->at(0).type), "struct<k: utf8, v: double>");
  EXPECT_EQ(ColumnsOf(*fields), (ColumnIds{2, 3, 0}));
  EXPECT_EQ(ColumnsOf(Without(*fields, {2})), (ColumnIds{3, 0}));
  EXPECT_EQ(PathOfField(table->schema(), 3), "s.v");
  EXPECT_EQ(FindField(table->schema(), "s.k")->id, 2);
}

}  // namespace
}  // namespace pchronicle::lance
