#include "pchronicle/json/value.h"

#include <memory>
#include <type_traits>

#include "pchronicle/json/cursor.h"

namespace pchronicle::json {

static_assert(std::is_trivially_copyable_v<Value> &&
              std::is_trivially_destructible_v<Value::Member>);

/// Builds nodes bottom-up: entries of open containers wait in two stacks and are copied out when
/// one closes.
class TreeBuilder {
 public:
  TreeBuilder(Cursor& cursor, Arena& arena) : cursor_(cursor), arena_(arena) {}

  bool Build(Value* out) {
    switch (cursor_.Peek()) {
      case Kind::kObject:
        return BuildObject(out);
      case Kind::kArray:
        return BuildArray(out);
      default:
        break;
    }
    if (!cursor_.Capture(&out->raw_)) {
      return false;
    }
    if (out->is_string()) {
      out->string_ = DecodeString(out->raw_, arena_);
    }
    return true;
  }

  const Value* Keep(const Value& value) { return Copy(&value, 1); }

  /// Fills text of containers, whose bounds are known as offsets while they are built.
  void set_text(std::string_view text) { text_ = text; }

 private:
  bool BuildObject(Value* out) {
    const uint64_t start = cursor_.offset();
    const size_t base = members_.size();
    cursor_.BeginObject();
    for (std::string_view key; cursor_.NextKey(&key);) {
      Value::Member member{arena_.Copy(key), {}};
      if (!Build(&member.value)) {
        return false;
      }
      members_.push_back(member);
    }
    out->count_ = members_.size() - base;
    out->members_ = Copy(members_.data() + base, out->count_);
    members_.resize(base);
    return Finish(Kind::kObject, start, out);
  }

  bool BuildArray(Value* out) {
    const uint64_t start = cursor_.offset();
    const size_t base = elements_.size();
    cursor_.BeginArray();
    while (cursor_.NextElement()) {
      Value element;
      if (!Build(&element)) {
        return false;
      }
      elements_.push_back(element);
    }
    out->count_ = elements_.size() - base;
    out->elements_ = Copy(elements_.data() + base, out->count_);
    elements_.resize(base);
    return Finish(Kind::kArray, start, out);
  }

  bool Finish(Kind kind, uint64_t start, Value* out) {
    if (!cursor_.ok()) {
      return false;
    }
    const std::string_view text =
        text_.substr(static_cast<size_t>(start), static_cast<size_t>(cursor_.offset() - start));
    out->raw_ = {text, kind, 0};
    return true;
  }

  template <typename T>
  const T* Copy(const T* from, size_t count) {
    constexpr size_t kAlign = alignof(T);
    char* room = arena_.Allocate(count * sizeof(T) + kAlign);
    const auto misaligned = reinterpret_cast<uintptr_t>(room) % kAlign;
    room += misaligned == 0 ? 0 : kAlign - misaligned;
    T* to = reinterpret_cast<T*>(room);
    std::uninitialized_copy_n(from, count, to);
    return to;
  }

  Cursor& cursor_;
  Arena& arena_;
  std::string_view text_;
  std::vector<Value> elements_;
  std::vector<Value::Member> members_;
};

std::span<const Value::Member> Value::members() const {
  return {members_, raw_.kind == Kind::kObject ? count_ : 0};
}

const Value& Value::Find(std::string_view key) const {
  static const Value kAbsentValue;
  const std::span<const Member> all = members();
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].key == key) {
      return all[i].value;
    }
  }
  return kAbsentValue;
}

const Value& Value::At(size_t index) const {
  static const Value kAbsentValue;
  return index < elements().size() ? elements_[index] : kAbsentValue;
}

Result<Tree> Tree::Parse(std::string_view text, uint32_t max_depth) {
  Tree tree;
  tree.arena_ = std::make_unique<Arena>(4 << 10);
  Cursor cursor(text, 0, {.max_record_bytes = UINT64_MAX, .max_depth = max_depth});
  TreeBuilder builder(cursor, *tree.arena_);
  builder.set_text(text);
  Value root;
  if (cursor.Peek() == Kind::kAbsent && cursor.ok()) {
    return Status::InvalidArgument("JSON text is empty");
  }
  if (!builder.Build(&root)) {
    return cursor.status();
  }
  if (!cursor.AtEnd()) {
    return Status::InvalidArgument("trailing data after JSON document");
  }
  tree.root_ = builder.Keep(root);
  return tree;
}

}  // namespace pchronicle::json
