#include "pchronicle/model/actf/record_head.h"

#include <algorithm>
#include <charconv>

#include "pchronicle/json/pointer.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

constexpr std::string_view kVersion = "ACTF_v1.0";

/// Root members that stand once (formats.md 1.1), and those a later one replaces.
enum RootMember : uint32_t {
  kTaskId = 1,
  kCategory = 2,
  kK = 4,
  kCorrect = 8,
  kAttemptsTried = 16,
  kSolvedAt = 32,
  kAttempts = 64,
  kRetryCount = 128,
  kRetryCounts = 256,
  kEnvelope = 512,
};

uint32_t RootMemberOf(std::string_view key) {
  constexpr std::pair<std::string_view, uint32_t> kMembers[] = {
      {"task_id", kTaskId},      {"category", kCategory},      {"k", kK},
      {"correct", kCorrect},     {"solved_at", kSolvedAt},     {"attempts_tried", kAttemptsTried},
      {"attempts", kAttempts},   {"retry_count", kRetryCount}, {"retry_counts", kRetryCounts},
      {"_storyline", kEnvelope},
  };
  for (const auto& [name, bit] : kMembers) {
    if (key == name) {
      return bit;
    }
  }
  return 0;
}

std::string PointerTo(std::string pointer, std::string_view key) {
  json::AppendPointerToken(key, pointer);
  return pointer;
}

class Skimmer {
 public:
  Skimmer(json::Cursor& cursor, const SkimOptions& options, Arena& arena, RecordHead* head)
      : cursor_(cursor), options_(options), arena_(arena), head_(*head) {}

  SkimError Run();

 private:
  void ReadRootMember(std::string_view key);
  void ReadAttempts();
  void ReadAttempt(AttemptHead* attempt);
  void ReadTrajectory(AttemptHead* attempt);
  void ReadVersion(AttemptHead* attempt);
  void ReadTime(AttemptHead* attempt, std::string_view key);
  void ReadSteps(AttemptHead* attempt);
  bool Capture(json::Raw* out);
  bool ReadCount(std::string_view key, const json::Raw& raw, int64_t* out);
  void CheckRoot();
  void Sort();
  void Fail(Status status, uint64_t offset, std::string pointer);
  void Lose(AttemptHead* attempt, Status status, uint64_t offset, std::string_view below);
  void Note(std::string_view code, std::string pointer, std::string_view example) {
    head_.notes.push_back(
        {std::string(code), std::move(pointer), std::string(example.substr(0, 80))});
  }

  json::Cursor& cursor_;
  const SkimOptions& options_;
  Arena& arena_;
  RecordHead& head_;
  SkimError error_;
  uint32_t seen_ = 0;
};

/// The first finding is the one that is told.
void Skimmer::Fail(Status status, uint64_t offset, std::string pointer) {
  if (error_.status.ok()) {
    error_ = {std::move(status), offset, std::move(pointer)};
  }
}

void Skimmer::Lose(AttemptHead* attempt, Status status, uint64_t offset, std::string_view below) {
  if (attempt->problem.ok()) {
    attempt->problem = std::move(status);
    attempt->problem_offset = offset;
    attempt->problem_pointer = attempt->pointer + std::string(below);
  }
}

/// Captured values are copied at once: the skim goes on over any number of bytes.
bool Skimmer::Capture(json::Raw* out) {
  json::Raw raw;
  if (!cursor_.Capture(&raw)) {
    return false;
  }
  *out = Own(raw, arena_);
  cursor_.ReleaseViews();
  return true;
}

SkimError Skimmer::Run() {
  const uint64_t begin = cursor_.offset();
  if (cursor_.Peek() != Kind::kObject) {
    if (cursor_.ok() && cursor_.Skip()) {
      Fail(Status::InvalidArgument("an ACTF document must be an object"), begin, "");
    }
  } else if (cursor_.BeginObject()) {
    for (std::string_view key; cursor_.NextKey(&key);) {
      ReadRootMember(key);
      if (!cursor_.ok()) {
        break;
      }
    }
  }
  if (!cursor_.ok()) {
    return {cursor_.status(), cursor_.error_offset(), ""};
  }
  if (error_.status.ok()) {
    CheckRoot();
  }
  if (!error_.status.ok() && error_.offset == 0) {
    error_.offset = begin;
  }
  return std::move(error_);
}

void Skimmer::ReadRootMember(std::string_view view) {
  const uint32_t member = RootMemberOf(view);
  const uint64_t at = cursor_.offset();
  if ((seen_ & member) != 0) {
    const std::string key(view);
    if ((member & (kTaskId | kAttempts)) != 0) {
      Fail(Status::InvalidArgument("duplicate key '{}'", key), at, "/" + key);
      cursor_.Skip();
      return;
    }
    Note("duplicate_key", "/" + key, "");
  }
  seen_ |= member;
  json::Raw raw;
  switch (member) {
    case kAttempts:
      return ReadAttempts();
    case 0: {
      if (!options_.residuals) {
        cursor_.Skip();
        return;
      }
      const std::string_view pointer = arena_.Copy(PointerTo("", view));
      if (Capture(&raw)) {
        head_.more.emplace_back(pointer, raw);
      }
      return;
    }
    case kEnvelope:
      if (!options_.residuals) {
        cursor_.Skip();
      } else {
        Capture(&head_.envelope);
      }
      return;
    default:
      break;
  }
  if (!Capture(&raw)) {
    return;
  }
  switch (member) {
    case kTaskId:
      head_.task_id = raw.is_string() ? json::DecodeString(raw, arena_) : std::string_view();
      if (raw.is_string() && (raw.flags & json::kHasLoneSurrogate) != 0) {
        Note("lone_surrogate", "/task_id", "");
        head_.more.emplace_back("/task_id", raw);
      }
      break;
    case kCategory:
      head_.category = raw;
      break;
    case kK:
      if (!ReadCount("k", raw, &head_.k)) {
        Fail(Status::InvalidArgument("ACTF k must be positive"), at, "/k");
      }
      break;
    case kAttemptsTried:
      if (!ReadCount("attempts_tried", raw, &head_.attempts_tried)) {
        Fail(Status::InvalidArgument("ACTF attempts_tried must be an unsigned integer"), at,
             "/attempts_tried");
      }
      break;
    case kCorrect:
      head_.correct = raw;
      break;
    case kSolvedAt:
      if (raw.has_value() && !raw.is_string()) {
        if (options_.strict) {
          Fail(Status::InvalidArgument("ACTF solved_at must be a string or null"), at,
               "/solved_at");
        }
        Note("bad_value", "/solved_at", raw.text);
        head_.more.emplace_back("/solved_at", raw);
        head_.solved_at = {};
      } else {
        head_.solved_at = raw;
      }
      break;
    case kRetryCount:
      head_.retry_count = raw;
      break;
    case kRetryCounts:
      head_.retry_counts = raw;
      break;
    default:
      break;
  }
}

/// An unsigned integer, also as decimal text (formats.md 1.2).
bool Skimmer::ReadCount(std::string_view key, const json::Raw& raw, int64_t* out) {
  if (json::ToInt64(raw, out)) {
    return *out >= 0;
  }
  if (options_.strict || !raw.is_string()) {
    return false;
  }
  const std::string_view digits = raw.text.substr(1, raw.text.size() - 2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || *out < 0) {
    return false;
  }
  Note("number_as_text", "/" + std::string(key), digits);
  return true;
}

void Skimmer::CheckRoot() {
  if (IsBlank(head_.task_id)) {
    return Fail(Status::InvalidArgument("ACTF task_id is required"), 0, "/task_id");
  }
  if (!head_.category.is_string() || IsBlank(json::DecodeString(head_.category, arena_))) {
    return Fail(Status::InvalidArgument("ACTF category is required"), 0, "/category");
  }
  if (head_.k <= 0) {
    return Fail(Status::InvalidArgument("ACTF k must be positive"), 0, "/k");
  }
  if (head_.correct.kind != Kind::kBool) {
    return Fail(Status::InvalidArgument("ACTF correct is required"), 0, "/correct");
  }
  if ((seen_ & kAttemptsTried) == 0) {
    return Fail(Status::InvalidArgument("ACTF attempts_tried is required"), 0, "/attempts_tried");
  }
  if (head_.attempts.empty()) {
    return Fail(Status::InvalidArgument("ACTF attempts must not be empty"), 0, "/attempts");
  }
  Sort();
  const auto count = static_cast<int64_t>(head_.attempts.size());
  Status mismatch;
  if (head_.attempts_tried != count) {
    mismatch = Status::InvalidArgument("ACTF attempts_tried={} does not match attempts length {}",
                                       head_.attempts_tried, count);
  } else if (head_.attempts_tried > head_.k) {
    mismatch = Status::InvalidArgument("ACTF attempts_tried={} exceeds k={}", head_.attempts_tried,
                                       head_.k);
  }
  if (!mismatch.ok()) {
    if (options_.strict) {
      return Fail(std::move(mismatch), 0, "/attempts_tried");
    }
    Note("attempts_tried_mismatch", "/attempts_tried", std::to_string(head_.attempts_tried));
  }
}

/// Byte order of UTF-8 is code point order. Two attempts under one key are two sets of rows;
/// neither is guessed right.
void Skimmer::Sort() {
  auto& attempts = head_.attempts;
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const AttemptHead& a, const AttemptHead& b) { return a.key < b.key; });
  size_t kept = 0;
  for (size_t i = 1; i < attempts.size(); ++i) {
    if (attempts[i].key == attempts[kept].key) {
      attempts[kept].problem = Status::InvalidArgument("duplicate key '{}'", attempts[i].key);
      attempts[kept].problem_offset = attempts[i].offset;
      attempts[kept].problem_pointer = attempts[i].pointer;
    } else if (++kept != i) {
      attempts[kept] = std::move(attempts[i]);
    }
  }
  attempts.erase(attempts.begin() + static_cast<std::ptrdiff_t>(kept) + 1, attempts.end());
}

void Skimmer::ReadAttempts() {
  const uint64_t at = cursor_.offset();
  if (cursor_.Peek() != Kind::kObject) {
    Fail(Status::InvalidArgument("ACTF attempts must be an object"), at, "/attempts");
    cursor_.Skip();
    return;
  }
  if (!cursor_.BeginObject()) {
    return;
  }
  for (std::string_view key; cursor_.NextKey(&key);) {
    AttemptHead attempt;
    attempt.key = arena_.Copy(key);
    attempt.pointer = PointerTo("/attempts", attempt.key);
    const Kind kind = cursor_.Peek();
    attempt.offset = cursor_.offset();
    if (IsBlank(attempt.key)) {
      Lose(&attempt, Status::InvalidArgument("ACTF attempt id must not be empty"), attempt.offset,
           "");
    }
    if (kind == Kind::kObject) {
      ReadAttempt(&attempt);
    } else {
      Lose(&attempt, Status::InvalidArgument("an ACTF attempt must be an object"), attempt.offset,
           "");
      cursor_.Skip();
    }
    if (!cursor_.ok()) {
      return;
    }
    attempt.end = cursor_.offset();
    head_.attempts.push_back(std::move(attempt));
  }
}

void Skimmer::ReadAttempt(AttemptHead* attempt) {
  bool has_correct = false;
  bool has_trajectory = false;
  cursor_.BeginObject();
  for (std::string_view key; cursor_.NextKey(&key);) {
    if (key == "correct") {
      has_correct = cursor_.Peek() == Kind::kBool;
      cursor_.Skip();
    } else if (key == "trajectory") {
      const Kind kind = cursor_.Peek();
      if (has_trajectory) {
        Lose(attempt, Status::InvalidArgument("duplicate key 'trajectory'"), cursor_.offset(),
             "/trajectory");
      }
      has_trajectory = kind == Kind::kObject || kind == Kind::kArray;
      attempt->event_log = kind == Kind::kArray;
      if (kind == Kind::kObject) {
        ReadTrajectory(attempt);
      } else {
        cursor_.Skip();
      }
    } else {
      cursor_.Skip();
    }
    if (!cursor_.ok()) {
      return;
    }
  }
  if (!has_correct) {
    Lose(attempt, Status::InvalidArgument("ACTF attempt correct is required"), attempt->offset,
         "/correct");
  }
  if (!has_trajectory) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory is required"), attempt->offset,
         "/trajectory");
  }
}

void Skimmer::ReadTrajectory(AttemptHead* attempt) {
  constexpr uint32_t kSchema = 1;
  constexpr uint32_t kStarted = 2;
  constexpr uint32_t kFinished = 4;
  constexpr uint32_t kSteps = 8;
  const uint64_t begin = cursor_.offset();
  uint32_t seen = 0;
  cursor_.BeginObject();
  for (std::string_view key; cursor_.NextKey(&key);) {
    const uint32_t member = key == "schema_version" ? kSchema
                            : key == "started_at"   ? kStarted
                            : key == "finished_at"  ? kFinished
                            : key == "steps"        ? kSteps
                                                    : 0;
    if ((seen & member & (kSchema | kSteps)) != 0) {
      Lose(attempt, Status::InvalidArgument("duplicate key '{}'", key), cursor_.offset(),
           "/trajectory");
    }
    seen |= member;
    switch (member) {
      case kSchema:
        ReadVersion(attempt);
        break;
      case kStarted:
        ReadTime(attempt, "started_at");
        break;
      case kFinished:
        ReadTime(attempt, "finished_at");
        break;
      case kSteps:
        ReadSteps(attempt);
        break;
      default:
        cursor_.Skip();
    }
    if (!cursor_.ok()) {
      return;
    }
  }
  if ((seen & kSchema) == 0) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory schema_version is required"), begin,
         "/trajectory");
  }
  for (const auto& [bit, name] :
       {std::pair{kStarted, "started_at"}, std::pair{kFinished, "finished_at"}}) {
    if ((seen & bit) == 0) {
      Lose(attempt, Status::InvalidArgument("ACTF trajectory {} is required", name), begin,
           "/trajectory");
    }
  }
  if ((seen & kSteps) == 0) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory steps must not be empty"), begin,
         "/trajectory");
  }
}

void Skimmer::ReadVersion(AttemptHead* attempt) {
  const uint64_t at = cursor_.offset();
  json::Raw raw;
  if (!cursor_.Capture(&raw)) {
    return;
  }
  const std::string_view version = raw.is_string() ? json::DecodeString(raw, arena_) : raw.text;
  if (!raw.is_string() || version != kVersion) {
    Lose(attempt,
         Status::Unsupported("unsupported ACTF schema_version '{}'; expected {}",
                             version.substr(0, 80), kVersion),
         at, "/trajectory/schema_version");
  }
  cursor_.ReleaseViews();
}

void Skimmer::ReadTime(AttemptHead* attempt, std::string_view key) {
  const uint64_t at = cursor_.offset();
  json::Raw raw;
  if (!cursor_.Capture(&raw)) {
    return;
  }
  if (!raw.is_string() || IsBlank(raw.text.substr(1, raw.text.size() - 2))) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory {} is required", key), at,
         "/trajectory/" + std::string(key));
  }
  cursor_.ReleaseViews();
}

void Skimmer::ReadSteps(AttemptHead* attempt) {
  const uint32_t depth = cursor_.depth();
  const uint64_t at = cursor_.offset();
  if (cursor_.Peek() != Kind::kArray) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory steps must be an array"), at,
         "/trajectory/steps");
    cursor_.Skip();
    return;
  }
  cursor_.BeginArray();
  if (cursor_.NextElement()) {
    cursor_.SkipToDepth(depth);
  } else if (cursor_.ok()) {
    Lose(attempt, Status::InvalidArgument("ACTF trajectory steps must not be empty"), at,
         "/trajectory/steps");
  }
}

}  // namespace

SkimError SkimRecord(json::Cursor& cursor, const SkimOptions& options, Arena& arena,
                     RecordHead* head) {
  *head = {};
  return Skimmer(cursor, options, arena, head).Run();
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

}  // namespace pchronicle::model::actf
