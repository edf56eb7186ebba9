#include "pchronicle/model/agenticmd/live_view.h"

#include <algorithm>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/utf8.h"
#include "pchronicle/model/agenticmd/block_writer.h"
#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/object_writer.h"

namespace pchronicle::model::agenticmd {
namespace {

constexpr uint32_t kMaxDepth = 128;

Status Check(const LiveBlock& block) {
  if (block.call_id.empty()) {
    return Status::InvalidArgument("a live block needs a call_id");
  }
  if (block.source != "user" && block.source != "agent" && block.source != "system") {
    return Status::InvalidArgument("live block source must be user, agent or system");
  }
  if (!json::IsValidUtf8(block.body) || !json::IsValidUtf8(block.call_id)) {
    return Status::InvalidArgument("a live block must be UTF-8");
  }
  return Status::Ok();
}

bool IsSame(const Block& old, const LiveBlock& block) {
  const json::Raw id = old.Find("call_id");
  Arena scratch(256);
  return old.source == block.source && id.is_string() &&
         json::DecodeString(id, scratch) == block.call_id;
}

bool IsRewritten(std::string_view key) {
  constexpr std::string_view kKeys[] = {"type",    "length",           "source",   "role",
                                        "call_id", "message_encoding", "storyline"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

/// The block as text, without the blank line behind it.
std::string Written(const LiveBlock& block, const Block* old) {
  std::string header;
  ObjectWriter writer(header);
  writer.String("type", std::string_view("text"));
  writer.Int("length", static_cast<int64_t>(block.body.size()));
  writer.String("source", block.source);
  writer.String("call_id", block.call_id);
  if (old != nullptr) {
    for (const auto& [key, value] : old->header) {
      if (!IsRewritten(key)) {
        writer.QuotedKey(key);
        header += value.text;
      }
    }
  }
  writer.Close();
  std::string out;
  AppendBlock(block.source, header, block.body, out);
  out.resize(out.size() - 2);
  return out;
}

/// Line breaks that part the end of the text from a new block; what a body ends with is its own.
size_t BreaksAtEnd(std::string_view text, const BlockDocument& document) {
  if (document.blocks.empty()) {
    return !document.frontmatter || text.ends_with("\n\n") || text.ends_with("\n\r\n") ? 2
           : text.ends_with('\n')                                                      ? 1
                                                                                       : 0;
  }
  const std::string_view tail = text.substr(document.blocks.back().end());
  return static_cast<size_t>(std::count(tail.begin(), tail.end(), '\n'));
}

}  // namespace

Result<std::string> PutLiveBlock(std::string_view text, const LiveBlock& block) {
  PCHRONICLE_RETURN_IF_ERROR(Check(block));
  BlockDocument document;
  if (const std::optional<Problem> problem = ParseBlocks(text, kMaxDepth, &document)) {
    return problem->status.WithContext(problem->location);
  }
  const auto old = std::find_if(document.blocks.rbegin(), document.blocks.rend(),
                                [&](const Block& b) { return IsSame(b, block); });
  if (old != document.blocks.rend()) {
    std::string out(text.substr(0, old->begin));
    out += Written(block, &*old);
    const std::string_view behind = text.substr(old->end());
    out += behind.empty() ? "\n\n" : behind;
    return out;
  }
  if (!document.blocks.empty() && document.blocks.back().plain) {
    return Status::InvalidArgument(
        "expected <!-- persisting:block:{{speaker}} {{json}} --> at offset {}",
        document.blocks.back().begin);
  }
  std::string out(text);
  for (size_t breaks = BreaksAtEnd(text, document); breaks < 2; ++breaks) {
    out += '\n';
  }
  return out + Written(block, nullptr) + "\n\n";
}

}  // namespace pchronicle::model::agenticmd
