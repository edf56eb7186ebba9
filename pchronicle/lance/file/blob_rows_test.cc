#include <gtest/gtest.h>

#include <map>

#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/file/built_file_test.h"
#include "pchronicle/lance/file/file_writer.h"

namespace pchronicle::lance {
namespace {

using columnar::RecordBatch;
using testing_support::MakeField;

using Payloads = std::vector<std::optional<std::string>>;
using Sidecars = std::map<uint32_t, std::string>;

columnar::ArrayPtr ToArray(const Payloads& payloads) {
  const auto type = columnar::MakeType(columnar::TypeId::kLargeBinary);
  ValueBuilder values(ValueShape::Of(*type));
  ValidityBuilder validity;
  for (const auto& payload : payloads) {
    payload ? validity.AppendValid(1) : validity.AppendNull(1);
    const std::string text = payload.value_or("");
    EXPECT_TRUE(values.AppendText(reinterpret_cast<const uint8_t*>(text.data()), text.size()).ok());
  }
  const size_t nulls = validity.nulls();
  columnar::BufferPtr bits = validity.Finish();
  return values.Finish(type, std::move(bits), nulls);
}

/// The table's form of a blob v2 field.
std::vector<proto::Field> Version2Fields() {
  std::vector<proto::Field> fields = {MakeField(0, "id", "int64"),
                                      MakeField(1, "blob", "struct"),
                                      MakeField(2, "data", "large_binary", 1),
                                      MakeField(3, "uri", "string", 1),
                                      MakeField(4, "position", "uint64", 1),
                                      MakeField(5, "size", "uint64", 1)};
  fields[1].metadata = {{"ARROW:extension:name", "lance.blob.v2"},
                        {"lance-encoding:blob-inline-size-threshold", "10"},
                        {"lance-encoding:blob-dedicated-size-threshold", "100"},
                        {"lance-encoding:blob-pack-file-size-threshold", "150"}};
  return fields;
}

struct OneFile : BlobOpener {
  Sidecars sidecars;
  Result<std::shared_ptr<const io::RandomReader>> OpenSidecar(uint32_t blob_id) override {
    const std::shared_ptr<io::Store> store = io::MakeMemoryStore();
    PCHRONICLE_RETURN_IF_ERROR(store->Put("b", sidecars[blob_id], false));
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> file, store->Open("b"));
    return std::shared_ptr<const io::RandomReader>(std::move(file));
  }
};

std::string WriteFile(const std::vector<proto::Field>& fields, const RecordBatch& batch,
                      FileWriterOptions options) {
  std::string bytes;
  const auto sink = [&](std::string_view more) {
    bytes += more;
    return Status::Ok();
  };
  auto writer = FileWriter::Create(fields, sink, std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  for (int i = 0; i < 2; ++i) {
    const Status status = (*writer)->Append(batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

void ExpectPayloads(const std::string& bytes, std::shared_ptr<BlobOpener> opener,
                    const Payloads& payloads) {
  const std::shared_ptr<io::Store> store = io::MakeMemoryStore();
  ASSERT_TRUE(store->Put("f.lance", bytes, false).ok());
  FileOptions options;
  options.blobs = std::move(opener);
  const auto file = FileReader::Open(
      std::shared_ptr<const io::RandomReader>(std::move(*store->Open("f.lance"))), options);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  for (uint64_t half = 0; half < 2; ++half) {
    RecordBatch read;
    const Status status =
        (*reader)->ReadRows(half * payloads.size(), (half + 1) * payloads.size(), &read);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(SameValues(*ToArray(payloads), *read.columns.back()));
  }
}

RecordBatch BatchOf(const Payloads& payloads) {
  RecordBatch batch;
  batch.rows = static_cast<int64_t>(payloads.size());
  batch.columns = {
      columnar::MakeNullArray(columnar::MakeType(columnar::TypeId::kInt64), batch.rows),
      ToArray(payloads)};
  return batch;
}

const Payloads kPayloads = {"tiny",
                            std::nullopt,
                            "",
                            std::string(60, 'p'),
                            std::string(99, 'q'),
                            std::string(100, 'd'),
                            std::nullopt,
                            std::string(1000, 'e')};

TEST(LanceBlobs, PayloadsGoWhereTheirSizeSays_LNCE2) {
  for (const size_t threads : {1, 3}) {
    const auto opener = std::make_shared<OneFile>();
    FileWriterOptions options;
    options.version = {2, 2};
    options.threads = threads;
    options.sidecar = [&](uint32_t blob_id, std::string_view bytes, bool) {
      opener->sidecars[blob_id] += bytes;
      return Status::Ok();
    };
    const std::string bytes = WriteFile(Version2Fields(), BatchOf(kPayloads), options);
    // 100 bytes are not above the limit yet; they do not fit into a pack with others.
    EXPECT_EQ(opener->sidecars[1], std::string(60, 'p'));
    EXPECT_EQ(opener->sidecars[2], std::string(99, 'q'));
    EXPECT_EQ(opener->sidecars[3], std::string(100, 'd'));
    EXPECT_EQ(opener->sidecars[4], std::string(1000, 'e'));
    ExpectPayloads(bytes, opener, kPayloads);
  }
}

TEST(LanceBlobs, WithoutSidecarsAllStandInTheFile_LNCE2) {
  FileWriterOptions options;
  options.version = {2, 2};
  options.page_bytes = 64;  // pages of two rows
  const std::string bytes = WriteFile(Version2Fields(), BatchOf(kPayloads), options);
  ExpectPayloads(bytes, nullptr, kPayloads);
}

TEST(LanceBlobs, Version1StandsInTheFile_LNCE1) {
  std::vector<proto::Field> fields = {MakeField(0, "id", "int64"),
                                      MakeField(1, "blob", "large_binary")};
  fields[1].metadata = {{"lance-encoding:blob", "true"}};
  for (const uint32_t minor : {1U, 2U}) {
    FileWriterOptions options;
    options.version = {2, minor};
    ExpectPayloads(WriteFile(fields, BatchOf(kPayloads), options), nullptr, kPayloads);
  }
}

TEST(LanceBlobs, Version2NeedsVersion22OfTheFile_LNCE2) {
  const auto writer =
      FileWriter::Create(Version2Fields(), [](std::string_view) { return Status::Ok(); });
  EXPECT_EQ(writer.status().ToString(),
            "unsupported: writing field 'blob' of type 'struct' in a file before version 2.2");
}

}  // namespace
}  // namespace pchronicle::lance
