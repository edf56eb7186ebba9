#include "pchronicle/model/file_ids.h"

#include <gtest/gtest.h>

#include "pchronicle/json/byte_source.h"

namespace pchronicle::model {
namespace {

std::string Line(std::string_view ids) {
  return R"({"schema_version":"ATIF-v1.5",)" + std::string(ids) +
         R"(,"agent":{"name":"a","version":"1"},"steps":[]})" + "\n";
}

TEST(FileIds, CountsDocumentsByDocumentAndSessionIdAndReadsPastBadLines) {
  const json::MemoryInput input(Line(R"("session_id":"s","trajectory_id":"t1")") + "not json\n" +
                                Line(R"("session_id":"s","trajectory_id":"t2")") +
                                Line(R"("session_id":"alone")"));
  WalkOptions options;
  options.container = json::Container::kLines;
  FileIds ids(Format::kAtif, input, options);
  EXPECT_EQ(ids.CountDocuments("t2"), 1u);
  EXPECT_EQ(ids.CountDocuments("s"), 2u);
  EXPECT_EQ(ids.CountDocuments("alone"), 1u);
  EXPECT_EQ(ids.CountDocuments("none"), 0u);
}

}  // namespace
}  // namespace pchronicle::model
