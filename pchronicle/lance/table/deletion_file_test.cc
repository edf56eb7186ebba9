#include "pchronicle/lance/table/deletion_file.h"

#include <gtest/gtest.h>

#include <string>

#include "pchronicle/base/base64.h"

namespace pchronicle::lance {
namespace {

// Made with pyarrow: one batch of 0, 3, .. 297 as uint32 `row_id`, not null.
//   pyarrow.ipc.new_file(out, table.schema, options=IpcWriteOptions(compression="lz4" or "zstd"))
constexpr const char* kLz4File =
    "QVJST1cxAAD/////eAAAABAAAAAAAAoADAAGAAUACAAKAAAAAAEEAAwAAAAIAAgAAAAEAAgAAAAEAAAAAQAAABQA"
    "AAAQABQACAAAAAcADAAAABAAEAAAAAAAAAIQAAAAIAAAAAQAAAAAAAAABgAAAHJvd19pZAAAAAAGAAgABAAGAAAA"
    "IAAAAP////+YAAAAFAAAAAAAAAAMABgABgAFAAgADAAMAAAAAAMEABwAAACoAQAAAAAAAAAAAAAMABwAEAAEAAgA"
    "DAAMAAAASAAAABwAAAAUAAAAZAAAAAAAAAAAAAAABAAEAAQAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "pwEAAAAAAAAAAAAAAQAAAGQAAAAAAAAAAAAAAAAAAACQAQAAAAAAAAQiTRhgQIKQAQCAAAAAAAMAAAAGAAAACQAA"
    "AAwAAAAPAAAAEgAAABUAAAAYAAAAGwAAAB4AAAAhAAAAJAAAACcAAAAqAAAALQAAADAAAAAzAAAANgAAADkAAAA8"
    "AAAAPwAAAEIAAABFAAAASAAAAEsAAABOAAAAUQAAAFQAAABXAAAAWgAAAF0AAABgAAAAYwAAAGYAAABpAAAAbAAA"
    "AG8AAAByAAAAdQAAAHgAAAB7AAAAfgAAAIEAAACEAAAAhwAAAIoAAACNAAAAkAAAAJMAAACWAAAAmQAAAJwAAACf"
    "AAAAogAAAKUAAACoAAAAqwAAAK4AAACxAAAAtAAAALcAAAC6AAAAvQAAAMAAAADDAAAAxgAAAMkAAADMAAAAzwAA"
    "ANIAAADVAAAA2AAAANsAAADeAAAA4QAAAOQAAADnAAAA6gAAAO0AAADwAAAA8wAAAPYAAAD5AAAA/AAAAP8AAAAC"
    "AQAABQEAAAgBAAALAQAADgEAABEBAAAUAQAAFwEAABoBAAAdAQAAIAEAACMBAAAmAQAAKQEAAAAAAAAA/////wAA"
    "AAAQAAAADAAUAAYACAAMABAADAAAAAAABAA0AAAAJAAAAAQAAAABAAAAiAAAAAAAAACgAAAAAAAAAKgBAAAAAAAA"
    "AAAAAAgACAAAAAQACAAAAAQAAAABAAAAFAAAABAAFAAIAAAABwAMAAAAEAAQAAAAAAAAAhAAAAAgAAAABAAAAAAA"
    "AAAGAAAAcm93X2lkAAAAAAYACAAEAAYAAAAgAAAAoAAAAEFSUk9XMQ==";
constexpr const char* kZstdFile =
    "QVJST1cxAAD/////eAAAABAAAAAAAAoADAAGAAUACAAKAAAAAAEEAAwAAAAIAAgAAAAEAAgAAAAEAAAAAQAAABQA"
    "AAAQABQACAAAAAcADAAAABAAEAAAAAAAAAIQAAAAIAAAAAQAAAAAAAAABgAAAHJvd19pZAAAAAAGAAgABAAGAAAA"
    "IAAAAP////+gAAAAFAAAAAAAAAAMABgABgAFAAgADAAMAAAAAAMEABwAAADgAAAAAAAAAAAAAAAMAB4AEAAEAAgA"
    "DAAMAAAAUAAAACQAAAAYAAAAZAAAAAAAAAAAAAAAAAAGAAgABwAGAAAAAAAAAQIAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAADaAAAAAAAAAAAAAAABAAAAZAAAAAAAAAAAAAAAAAAAAJABAAAAAAAAKLUv/WCQAEUGAAYZMS8wd2UN"
    "cHcj9jdifyP2N2J/I/Y3Yn8j9jdifyP2N2J/I/YvVNcxBAkCBAgQICBEpiEAIwAjAMf4xS1ecYpPXOIRh/jDHc5w"
    "hSPc4AQXOMBtp1122F1nfY85zF/u8pazfOUqTznKT27ykpN85CIPOcg/7vGOc3zjGs8IV3rSkX50oxed6EMXetCB"
    "/nOf95znO9d5znF+c5vXnOYzlwlfw7fwJXwHX8E38AV8t6/2zb7Y9/pa3+pVp/rUpR51qD/d6U1n+lIAAAAAAAAA"
    "/////wAAAAAQAAAADAAUAAYACAAMABAADAAAAAAABAA0AAAAJAAAAAQAAAABAAAAiAAAAAAAAACoAAAAAAAAAOAA"
    "AAAAAAAAAAAAAAgACAAAAAQACAAAAAQAAAABAAAAFAAAABAAFAAIAAAABwAMAAAAEAAQAAAAAAAAAhAAAAAgAAAA"
    "BAAAAAAAAAAGAAAAcm93X2lkAAAAAAYACAAEAAYAAAAgAAAAoAAAAEFSUk9XMQ==";

std::string FileOf(const char* text) { return DecodeBase64(text).value_or(""); }

TEST(DeletionFile, ReadsCompressedBodies_LNC_A9) {
  for (const char* text : {kLz4File, kZstdFile}) {
    const auto deleted = DecodeArrowDeletions(FileOf(text), 100);
    ASSERT_TRUE(deleted.ok()) << deleted.status().ToString();
    EXPECT_EQ(deleted->cardinality(), 100U);
    EXPECT_TRUE(deleted->Contains(0) && deleted->Contains(3) && deleted->Contains(297));
    EXPECT_FALSE(deleted->Contains(1) || deleted->Contains(300));
    EXPECT_EQ(DecodeArrowDeletions(FileOf(text), 99).status().code(), StatusCode::kCorruption);
    EXPECT_EQ(DecodeArrowDeletions(FileOf(text), 1'000'000'000).status().code(),
              StatusCode::kCorruption);
  }
}

TEST(DeletionFile, ChangedBytesGiveAnErrorOrRows_LNC_A9) {
  for (const char* text : {kLz4File, kZstdFile}) {
    const std::string file = FileOf(text);
    size_t errors = 0;
    for (size_t at = 0; at < file.size(); ++at) {
      for (const int mask : {1, 0x80, 0xff}) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ mask);
        const auto deleted = DecodeArrowDeletions(changed, 100);
        errors += deleted.ok() ? 0 : 1;
        EXPECT_TRUE(!deleted.ok() || deleted->cardinality() == 100U);
      }
      EXPECT_FALSE(DecodeArrowDeletions(file.substr(0, at), 100).ok()) << at;
    }
    EXPECT_GT(errors, 100U);
  }
}

}  // namespace
}  // namespace pchronicle::lance
