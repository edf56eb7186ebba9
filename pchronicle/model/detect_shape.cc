#include "pchronicle/model/detect_shape.h"

#include <algorithm>
#include <array>

namespace pchronicle::model {
namespace {

using json::Cursor;
using json::Kind;

constexpr size_t kTextBytes = 64;
/// Members kept per object: far more than any format needs, few enough for a hostile file.
constexpr size_t kMaxMembers = 512;
constexpr size_t kMaxNameBytes = 128;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool TextWanted(std::string_view name) {
  return IsOneOf(name, {"schema_version", "type", "record_type", "trajectory_format",
                        "atof_version", "format"});
}

/// Lists that some producers keep as JSON text.
bool MayBeText(std::string_view name) {
  return IsOneOf(name, {"messages", "conversations", "chosen_messages", "trajectory"});
}

bool MembersWanted(std::string_view name) { return IsOneOf(name, {"message", "stats"}); }

/// All names that a rule asks for.
bool IsTelling(std::string_view name) {
  static constexpr std::string_view kNames[] = {"action",
                                                "agent",
                                                "agent_info",
                                                "agent_name",
                                                "agents",
                                                "atof_version",
                                                "attempts",
                                                "chosen_messages",
                                                "content",
                                                "conversations",
                                                "cwd",
                                                "data",
                                                "datasets",
                                                "eval",
                                                "from",
                                                "history",
                                                "id",
                                                "info",
                                                "instance_id",
                                                "issue",
                                                "items",
                                                "job_name",
                                                "jobs_dir",
                                                "loglines",
                                                "message",
                                                "message_type",
                                                "messages",
                                                "messages_json",
                                                "n_attempts",
                                                "n_total_trials",
                                                "observation",
                                                "orchestrator",
                                                "parentUuid",
                                                "payload",
                                                "projectHash",
                                                "record_type",
                                                "resourceSpans",
                                                "resource_spans",
                                                "response",
                                                "response_json",
                                                "reward",
                                                "reward_info",
                                                "role",
                                                "schema_version",
                                                "session",
                                                "sessionId",
                                                "session_id",
                                                "session_steps",
                                                "simulations",
                                                "source",
                                                "stats",
                                                "status",
                                                "step_id",
                                                "steps",
                                                "task",
                                                "task_id",
                                                "task_name",
                                                "tasks",
                                                "termination_reason",
                                                "thought",
                                                "ticks",
                                                "timestamp",
                                                "traj",
                                                "trajectory",
                                                "trajectory_format",
                                                "trial_name",
                                                "trials_dir",
                                                "type",
                                                "usage",
                                                "uuid",
                                                "verifier_result",
                                                "version"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Room for the member `name`. Beyond the bound only telling names are kept, each once.
Shape& AddMember(Shape& object, std::string_view name, Shape& dropped) {
  if (object.members.size() >= kMaxMembers) {
    if (!IsTelling(name)) {
      dropped = Shape();
      return dropped;
    }
    for (auto it = object.members.rbegin(); it != object.members.rend(); ++it) {
      if (it->name == name) {
        it->value = Shape();
        return it->value;
      }
    }
  }
  object.members.push_back({std::string(name.substr(0, kMaxNameBytes)), Shape()});
  return object.members.back().value;
}

bool ReadText(Cursor& cursor, Shape& shape) {
  std::string_view text;
  if (!cursor.ReadString(&text)) {
    return false;
  }
  shape.text = text.substr(0, kTextBytes);
  cursor.ReleaseViews();
  return true;
}

/// Names and kinds of an object's members, nothing below.
bool ReadMembers(Cursor& cursor, Shape& shape) {
  shape.kind = cursor.Peek();
  if (shape.kind != Kind::kObject) {
    return cursor.Skip();
  }
  if (!cursor.BeginObject()) {
    return false;
  }
  Shape dropped;
  for (std::string_view key; cursor.NextKey(&key);) {
    Shape& member = AddMember(shape, key, dropped);
    member.kind = cursor.Peek();
    if (!cursor.Skip()) {
      return false;
    }
  }
  return cursor.ok();
}

bool ReadFirst(Cursor& cursor, Shape& shape) {
  const uint32_t depth = cursor.depth();
  if (!cursor.BeginArray()) {
    return false;
  }
  if (cursor.NextElement()) {
    shape.elements.emplace_back();
    return ReadMembers(cursor, shape.elements.back()) && cursor.SkipToDepth(depth);
  }
  return cursor.ok();
}

/// A list of messages kept as JSON text: its first element is looked at as if it stood there
/// (BR-37).
bool ReadEmbedded(Cursor& cursor, Shape& shape) {
  std::string_view text;
  if (!cursor.ReadString(&text)) {
    return false;
  }
  Cursor inner(text);
  if (inner.Peek() == Kind::kArray) {
    ReadFirst(inner, shape);
  }
  shape.text = text.substr(0, kTextBytes);
  cursor.ReleaseViews();
  return true;
}

/// `attempts`: each value has `trajectory`, a list of objects or an object with an ACTF version.
bool ReadAttempts(Cursor& cursor, Shape& shape) {
  if (!cursor.BeginObject()) {
    return false;
  }
  size_t attempts = 0, good = 0;
  for (std::string_view number; cursor.NextKey(&number);) {
    ++attempts;
    if (cursor.Peek() != Kind::kObject) {
      if (!cursor.Skip()) {
        return false;
      }
      continue;
    }
    bool has_trajectory = false;
    if (!cursor.BeginObject()) {
      return false;
    }
    for (std::string_view key; cursor.NextKey(&key);) {
      const Kind kind = cursor.Peek();
      if (key == "trajectory" && kind == Kind::kArray) {
        Shape list;
        if (!ReadFirst(cursor, list)) {
          return false;
        }
        has_trajectory = list.elements.empty() || list.first().Is(Kind::kObject);
      } else if (key == "trajectory" && kind == Kind::kObject) {
        has_trajectory = false;
        if (!cursor.BeginObject()) {
          return false;
        }
        for (std::string_view inner; cursor.NextKey(&inner);) {
          Shape version;
          if (inner == "schema_version" && cursor.Peek() == Kind::kString) {
            if (!ReadText(cursor, version)) {
              return false;
            }
            has_trajectory = version.text.starts_with("ACTF_");
          } else if (!cursor.Skip()) {
            return false;
          }
        }
      } else if (!cursor.Skip()) {
        return false;
      }
      if (!cursor.ok()) {
        return false;
      }
    }
    if (!cursor.ok()) {
      return false;
    }
    good += has_trajectory ? 1 : 0;
  }
  shape.every_attempt = attempts > 0 && good == attempts;
  return cursor.ok();
}

bool ReadMember(Cursor& cursor, std::string_view name, Shape& member) {
  member.kind = cursor.Peek();
  switch (member.kind) {
    case Kind::kString:
      if (TextWanted(name)) {
        return ReadText(cursor, member);
      }
      return MayBeText(name) ? ReadEmbedded(cursor, member) : cursor.Skip();
    case Kind::kArray:
      return ReadFirst(cursor, member);
    case Kind::kObject:
      if (name == "attempts") {
        return ReadAttempts(cursor, member);
      }
      return MembersWanted(name) ? ReadMembers(cursor, member) : cursor.Skip();
    default:
      return cursor.Skip();
  }
}

}  // namespace

const Shape& Shape::operator[](std::string_view name) const {
  static const Shape absent;
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    if (it->name == name) {
      return it->value;
    }
  }
  return absent;
}

const Shape& Shape::first() const {
  static const Shape absent;
  return elements.empty() ? absent : elements.front();
}

bool ReadShape(Cursor& cursor, uint64_t window_end, const std::function<bool(const Shape&)>& enough,
               Shape& shape, bool* stopped_early) {
  *stopped_early = false;
  shape.kind = cursor.Peek();
  if (shape.kind == Kind::kAbsent) {
    return false;
  }
  if (shape.kind != Kind::kObject) {
    return cursor.Skip();
  }
  if (!cursor.BeginObject()) {
    return false;
  }
  Shape dropped;
  for (std::string_view key; cursor.NextKey(&key);) {
    const std::string name(key.substr(0, kMaxNameBytes));
    Shape& member = AddMember(shape, name, dropped);
    const bool read = ReadMember(cursor, name, member);
    if (!read) {
      return false;
    }
    const bool telling = name == "schema_version" && !member.text.empty();
    if ((telling || cursor.offset() > window_end) && enough(shape)) {
      *stopped_early = true;
      return true;
    }
  }
  return cursor.ok();
}

}  // namespace pchronicle::model
