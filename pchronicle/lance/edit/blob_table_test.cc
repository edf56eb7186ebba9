#include <gtest/gtest.h>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/update_rows.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/verify.h"

// Blobs of version 2 in tables (lance.md E2): payloads in the data file, in packs, alone.

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using io::StoreCall;
using StorePtr = std::shared_ptr<io::Store>;
using Payloads = std::vector<std::optional<std::string>>;

constexpr size_t kInline = 100, kDedicated = 1000;

std::vector<columnar::DataField> Schema() {
  return {{"id", columnar::MakeType(columnar::TypeId::kInt64), false, {}},
          {"blob",
           columnar::MakeType(columnar::TypeId::kLargeBinary),
           true,
           {{"ARROW:extension:name", "lance.blob.v2"},
            {"lance-encoding:blob-inline-size-threshold", std::to_string(kInline)},
            {"lance-encoding:blob-dedicated-size-threshold", std::to_string(kDedicated)},
            {"lance-encoding:blob-pack-file-size-threshold", "1500"}}}};
}

columnar::ArrayPtr Blobs(const Payloads& payloads) {
  auto out = std::make_shared<columnar::Array>(*Texts(payloads));
  auto offsets = std::make_shared<columnar::Buffer>(0);
  for (size_t i = 0; i <= payloads.size(); ++i) {
    const auto wide = static_cast<int64_t>(
        reinterpret_cast<const int32_t*>(std::as_const(*out->offsets).data())[i]);
    offsets->Append(&wide, sizeof(wide));
  }
  out->offsets = std::move(offsets);
  out->type = columnar::MakeType(columnar::TypeId::kLargeBinary);
  return out;
}

BatchSource From(int64_t first, const Payloads& payloads) {
  std::vector<int64_t> ids;
  for (size_t i = 0; i < payloads.size(); ++i) {
    ids.push_back(first + static_cast<int64_t>(i));
  }
  return FromBatches(
      {{Schema(), {Int64s(ids), Blobs(payloads)}, static_cast<int64_t>(payloads.size())}});
}

/// Null, empty and one byte around both limits.
Payloads Some(char letter) {
  Payloads out = {std::nullopt, ""};
  for (const size_t size : {size_t{1}, kInline, kInline + 1, kDedicated - 1, kDedicated,
                            kDedicated + 1, size_t{600}, size_t{700}}) {
    out.emplace_back(std::string(size, letter));
  }
  return out;
}

WriteOptions Options() {
  WriteOptions options;
  options.version = {2, 2};
  return options;
}

StorePtr NewTable() {
  const StorePtr store = io::MakeMemoryStore("memory://b.lance");
  const auto created = CreateTable(store, Schema(), From(0, Some('a')), Options());
  EXPECT_TRUE(created.ok()) << created.status().ToString();
  return store;
}

std::map<int64_t, std::optional<std::string>> Read(const StorePtr& store) {
  std::map<int64_t, std::optional<std::string>> out;
  const auto table = Table::Open(store);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  if (!table.ok()) {
    return out;
  }
  const auto batches = ScanAll(*table);
  EXPECT_TRUE(batches.ok()) << batches.status().ToString();
  for (const columnar::RecordBatch& batch :
       batches.ok() ? *batches : std::vector<columnar::RecordBatch>()) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      auto& payload = out[batch.columns[0]->Value<int64_t>(i)];
      if (!batch.columns[1]->IsNull(i)) {
        payload = std::string(batch.columns[1]->Bytes(i));
      }
    }
  }
  return out;
}

std::map<int64_t, std::optional<std::string>> Expected(int64_t first, const Payloads& payloads) {
  std::map<int64_t, std::optional<std::string>> out;
  for (const auto& payload : payloads) {
    out[first++] = payload;
  }
  return out;
}

/// Every file below data/, sidecars included.
std::vector<std::string> Files(const StorePtr& store) {
  std::vector<std::string> out;
  const auto entries = store->ListDirectory("data");
  for (const io::Entry& entry : entries.ok() ? *entries : std::vector<io::Entry>()) {
    out.push_back(entry.path);
    if (entry.kind == io::Entry::Kind::kDirectory) {
      const auto sidecars = store->ListDirectory(entry.path);
      EXPECT_TRUE(sidecars.ok());
      for (const io::Entry& sidecar : sidecars.ok() ? *sidecars : std::vector<io::Entry>()) {
        out.push_back(sidecar.path);
      }
    }
  }
  return out;
}

size_t Sidecars(const StorePtr& store) {
  const auto files = Files(store);
  return static_cast<size_t>(std::count_if(
      files.begin(), files.end(), [](const auto& name) { return name.ends_with(".blob"); }));
}

TEST(BlobTable, LargePayloadsGoToSidecars_LNC_E2) {
  const StorePtr store = NewTable();
  EXPECT_EQ(Read(store), Expected(0, Some('a')));
  // Alone: 1001 bytes. Packs of at most 1500: 101 + 999, 1000, 600 + 700.
  EXPECT_EQ(Sidecars(store), 4u);
  ASSERT_TRUE(AppendRows(store, From(50, {std::string(kInline, 'i')})).ok());
  EXPECT_EQ(Sidecars(store), 4u);
  const auto table = Table::Open(store);
  EXPECT_TRUE(Verify(*table, Context())->problems.empty());
}

TEST(BlobTable, UpdatesAndCompactionCarryPayloadsOver_LNC_E2) {
  const StorePtr store = NewTable();
  ASSERT_TRUE(AppendRows(store, From(20, Some('b'))).ok());
  auto expected = Expected(0, Some('a'));
  expected.merge(Expected(20, Some('b')));
  const auto is = [](int64_t id) { return columnar::Compare("id", columnar::CompareOp::kEq, id); };
  ASSERT_TRUE(DeleteRows(store, is(7)).ok());
  expected.erase(7);
  const auto moved = UpdateRows(store, is(26), {{"id", columnar::Scalar(int64_t{99})}});
  ASSERT_TRUE(moved.ok()) << moved.status().ToString();
  auto node = expected.extract(26);
  node.key() = 99;
  expected.insert(std::move(node));
  EXPECT_EQ(Read(store), expected);
  CompactOptions compact;
  compact.deleted_share = 0;
  ASSERT_TRUE(CompactTable(store, compact).ok());
  EXPECT_EQ(Read(store), expected);
  const auto cleaned = CleanUp(store, {});
  ASSERT_TRUE(cleaned.ok()) << cleaned.status().ToString();
  EXPECT_EQ(Read(store), expected);
  const auto table = *Table::Open(store);
  ASSERT_EQ(table->fragments().size(), 1u);
  // One data file, its directory, and what lies in that: 3 alone, the rest in packs.
  EXPECT_EQ(Files(store).size(), 2 + Sidecars(store));
  EXPECT_TRUE(Verify(table, Context())->problems.empty());
}

TEST(BlobTable, WhateverStoreCallFailsNothingIsLostOrLeft_LNC_A6_E2) {
  const std::vector<std::function<Status(const StorePtr&)>> operations = {
      [](const StorePtr& s) { return AppendRows(s, From(50, Some('c')), {}).status(); },
      [](const StorePtr& s) {
        CompactOptions compact;
        compact.deleted_share = 0;
        return CompactTable(s, compact).status();
      }};
  for (const auto& operation : operations) {
    const auto before = [] {
      const StorePtr store = NewTable();
      EXPECT_TRUE(AppendRows(store, From(20, Some('b'))).ok());
      return store;
    };
    const StorePtr whole = before();
    const auto old_rows = Read(whole);
    ASSERT_TRUE(operation(whole).ok());
    const auto new_rows = Read(whole);
    int failures = 0;
    for (int n = 1; n < 1000; ++n) {
      const StorePtr base = before();
      const auto files = Files(base);
      int calls = 0;
      const StorePtr store = io::MakeFaultyStore(base, [&](StoreCall call, std::string_view) {
        return ++calls == n && call != StoreCall::kDelete ? Status::Unavailable("injected")
                                                          : Status::Ok();
      });
      const Status status = operation(store);
      if (calls < n) {
        break;
      }
      if (status.ok()) {
        EXPECT_EQ(Read(base), new_rows);
        continue;
      }
      ++failures;
      SCOPED_TRACE(fmt::format("call {}: {}", n, status.ToString()));
      if ((*Table::Open(base))->version() == 2) {
        EXPECT_EQ(Read(base), old_rows);
        EXPECT_EQ(Files(base), files);
      } else {
        EXPECT_EQ(Read(base), new_rows);
      }
    }
    EXPECT_GT(failures, 10);
  }
}

TEST(BlobTable, AreRefusedInFilesBefore22) {
  const auto created =
      CreateTable(io::MakeMemoryStore("memory://b.lance"), Schema(), From(0, Some('a')));
  EXPECT_EQ(created.status().code(), StatusCode::kUnsupported) << created.status().ToString();
}

}  // namespace
}  // namespace pchronicle::lance
