#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"

namespace pchronicle::model::actf {

/// Residuals of one document on their way back to their places, grouped by the object they belong
/// to. Texts are views.
class FieldSlots {
 public:
  struct Slot {
    std::string key;  // decoded last token
    std::string pointer;
    std::string_view value;  // minified JSON
    bool used = false;
  };

  /// `pointer` is not empty.
  Status Add(std::string_view pointer, std::string_view value);
  /// The residuals of the object at `parent`; null when there are none.
  std::vector<Slot>* Find(std::string_view parent);
  /// Pointers of residuals that found no object.
  std::vector<std::string> Unused() const;

 private:
  std::map<std::string, std::vector<Slot>, std::less<>> by_parent_;
};

/// Writes one object of an ACTF document and puts the residuals of its place in (formats.md 5.3):
/// behind the canonical members, or over a member that the source owns.
class SlottedObject {
 public:
  SlottedObject(std::string& out, FieldSlots& slots, std::string_view pointer) : out_(out) {
    AddPlace(slots, pointer);
    out_ += '{';
  }
  /// A second place whose residuals belong here too.
  void AddPlace(FieldSlots& slots, std::string_view pointer);
  /// `text` is minified JSON; `key` needs no escape.
  void Add(std::string_view key, std::string_view text);
  /// Starts a member whose value the caller appends itself; not for members that a residual may
  /// replace.
  void BeginMember(std::string_view key);
  /// Error: `JSON Pointer 'P' collides with a canonical value`.
  Status Finish();

 private:
  void Separate(std::string_view key);

  std::string& out_;
  std::vector<std::vector<FieldSlots::Slot>*> places_;
  bool first_ = true;
  Status status_;
};

}  // namespace pchronicle::model::actf
