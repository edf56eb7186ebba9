#include "pchronicle/model/walker.h"

#include <array>
#include <utility>

#include "pchronicle/base/hashed_bytes.h"
#include "pchronicle/model/actf/walker.h"
#include "pchronicle/model/agenticmd/walker.h"
#include "pchronicle/model/atif/walker.h"
#include "pchronicle/model/chat/walker.h"
#include "pchronicle/model/openai/walker.h"
#include "pchronicle/model/storyline/walker.h"

namespace pchronicle::model {
namespace {

/// Stands for a format without a reader: one problem, no rows.
class UnsupportedWalker final : public Walker {
 public:
  UnsupportedWalker(Format format, DocumentSink& sink) : format_(format), sink_(sink) {}
  bool Advance() override {
    if (!told_) {
      told_ = true;
      Problem problem;
      problem.status = Status::Unsupported(
          "detected import format '{}' is not a queryable JSON format", HubFormatName(format_));
      problem.whole_source = true;
      sink_.OnProblem(std::move(problem));
    }
    return false;
  }
  bool needs_second_pass() const override { return false; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return false; }
  uint64_t records() const override { return 0; }
  uint64_t bytes_read() const override { return 0; }
  uint64_t buffer_peak_bytes() const override { return 0; }

 private:
  Format format_;
  DocumentSink& sink_;
  SourceNotes notes_;
  bool told_ = false;
};

}  // namespace

uint64_t SourceNotes::bytes() const {
  return HashedBytes(lost_documents) + HashedBytes(lost_records);
}

std::unique_ptr<Walker> MakeWalker(Format format, const json::ByteInput& input,
                                   const WalkOptions& options, const SourceNotes& notes,
                                   DocumentSink& sink) {
  switch (format) {
    case Format::kStoryline:
      return MakeStorylineWalker(input, options, notes, sink);
    case Format::kAtif:
      return MakeAtifWalker(input, options, notes, sink);
    case Format::kActf:
      return MakeActfWalker(input, options, notes, sink);
    case Format::kOpenAiMessages:
      return MakeOpenAiWalker(input, options, notes, sink);
    case Format::kHfChat:
      return MakeChatWalker(input, options, notes, sink);
    case Format::kAgenticMd:
      return MakeAgenticMdWalker(
          input, options, notes, sink,
          options.strict ? AgenticMdLevel::kAuthoritative : AgenticMdLevel::kLenient);
  }
  return std::make_unique<UnsupportedWalker>(format, sink);
}

bool CanSplit(Format format) {
  switch (format) {
    case Format::kStoryline:
    case Format::kAtif:
    case Format::kActf:
      return true;
    case Format::kOpenAiMessages:  // rows of a session may lie anywhere
    case Format::kHfChat:          // rows without an id are named by their number
    case Format::kAgenticMd:
      return false;
  }
  return false;
}

std::string_view FormatName(Format format) {
  return format == Format::kOpenAiMessages ? "openai_msg" : HubFormatName(format);
}

std::string_view HubFormatName(Format format) {
  switch (format) {
    case Format::kStoryline:
      return "storyline";
    case Format::kAtif:
      return "atif";
    case Format::kActf:
      return "actf";
    case Format::kOpenAiMessages:
      return "openai-msg";
    case Format::kAgenticMd:
      return "agenticmd";
    case Format::kHfChat:
      return "hf-chat";
  }
  return "";
}

std::optional<Format> ParseFormatName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Format>, 12> kNames{{
      {"storyline", Format::kStoryline},
      {"atif", Format::kAtif},
      {"actf", Format::kActf},
      {"openai-msg", Format::kOpenAiMessages},
      {"openai_msg", Format::kOpenAiMessages},
      {"openai-messages", Format::kOpenAiMessages},
      {"openai_messages", Format::kOpenAiMessages},
      {"session_steps", Format::kOpenAiMessages},
      {"agenticmd", Format::kAgenticMd},
      {"md", Format::kAgenticMd},
      {"hf-chat", Format::kHfChat},
      {"hf_chat", Format::kHfChat},
  }};
  for (const auto& [spelling, format] : kNames) {
    if (spelling == name) {
      return format;
    }
  }
  return std::nullopt;
}

}  // namespace pchronicle::model
