#include "pchronicle/model/actf/slotted_object.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/compare.h"
#include "pchronicle/json/pointer.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/compose.h"

namespace pchronicle::model::actf {
namespace {

/// Members that carry the structure: a residual replaces one only where the writer had nothing to
/// say.
constexpr std::array<std::string_view, 9> kStructure{"attempts",    "trajectory",        "steps",
                                                     "correct",     "step_id",           "tools",
                                                     "observation", "assistant_content", "metric"};

bool DiffersBySurrogatesOnly(std::string_view a, std::string_view b) {
  Arena arena(1024);
  const json::Raw left = json::RawFromText(a);
  const json::Raw right = json::RawFromText(b);
  return left.is_string() && right.is_string() &&
         json::DecodeString(left, arena) == json::DecodeString(right, arena);
}

/// A residual at a member that the hub also fills is there because the source's value had a wrong
/// type, or a text that no decoded string can hold.
bool MayReplace(std::string_view key, std::string_view canonical, std::string_view residual) {
  if (json::SameMeaning(canonical, residual) || IsEmptyValue(json::RawFromText(canonical))) {
    return true;
  }
  if (key == "task_id") {
    return DiffersBySurrogatesOnly(canonical, residual);
  }
  return std::find(kStructure.begin(), kStructure.end(), key) == kStructure.end();
}

}  // namespace

Status FieldSlots::Add(std::string_view pointer, std::string_view value) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<std::string> tokens, json::ParsePointer(pointer));
  if (tokens.empty()) {
    return Status::InvalidArgument("JSON Pointer '' collides with a canonical value");
  }
  const std::string parent(pointer.substr(0, pointer.rfind('/')));
  by_parent_[parent].push_back({std::move(tokens.back()), std::string(pointer), value, false});
  return Status::Ok();
}

std::vector<FieldSlots::Slot>* FieldSlots::Find(std::string_view parent) {
  const auto found = by_parent_.find(parent);
  return found == by_parent_.end() ? nullptr : &found->second;
}

std::vector<std::string> FieldSlots::Unused() const {
  std::vector<std::string> pointers;
  for (const auto& [parent, slots] : by_parent_) {
    for (const Slot& slot : slots) {
      if (!slot.used) {
        pointers.push_back(slot.pointer);
      }
    }
  }
  return pointers;
}

void SlottedObject::AddPlace(FieldSlots& slots, std::string_view pointer) {
  if (std::vector<FieldSlots::Slot>* place = slots.Find(pointer)) {
    places_.push_back(place);
  }
}

void SlottedObject::Separate(std::string_view key) {
  if (!first_) {
    out_ += ',';
  }
  first_ = false;
  json::AppendQuoted(key, out_);
  out_ += ':';
}

void SlottedObject::BeginMember(std::string_view key) { Separate(key); }

void SlottedObject::Add(std::string_view key, std::string_view text) {
  for (std::vector<FieldSlots::Slot>* place : places_) {
    for (FieldSlots::Slot& slot : *place) {
      if (slot.key != key) {
        continue;
      }
      slot.used = true;
      if (!MayReplace(key, text, slot.value)) {
        if (status_.ok()) {
          status_ = Status::InvalidArgument("JSON Pointer '{}' collides with a canonical value",
                                            slot.pointer);
        }
        continue;
      }
      text = slot.value;
    }
  }
  Separate(key);
  out_ += text;
}

Status SlottedObject::Finish() {
  std::unordered_set<std::string_view> written;
  for (std::vector<FieldSlots::Slot>* place : places_) {
    for (FieldSlots::Slot& slot : *place) {
      if (!slot.used && written.insert(slot.key).second) {
        Separate(slot.key);
        out_ += slot.value;
      }
      slot.used = true;
    }
  }
  out_ += '}';
  return status_;
}

}  // namespace pchronicle::model::actf
