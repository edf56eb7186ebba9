#include "pchronicle/lance/encoding/leaf_levels.h"

#include <algorithm>
#include <utility>

#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using proto::RepDefLayer;

RepDefLayer ListLayer(bool null, bool empty) {
  return null && empty ? RepDefLayer::kNullAndEmptyList
         : null        ? RepDefLayer::kNullableList
         : empty       ? RepDefLayer::kEmptyableList
                       : RepDefLayer::kAllValidList;
}

}  // namespace

LevelBuilder::LevelBuilder(std::vector<PathStep> path, std::vector<size_t> members)
    : path_(std::move(path)), members_(std::move(members)), numbers_(path_.size()) {
  uint16_t next = 0;
  for (size_t i = path_.size(); i-- > 0;) {
    numbers_[i].null = ++next;
    if (path_[i].list) {
      numbers_[i].empty = ++next;
      ++lists_;
    }
    inner_items_ = lists_ == 0 ? next : inner_items_;
  }
}

void LevelBuilder::Start() {
  page_ = LeafLevels();
  page_.lists = lists_;
  used_.assign(path_.size() * 2 + 1, 0);
}

void LevelBuilder::AddRun(std::vector<SlotRun>* runs, const Array* leaf, int64_t from,
                          int64_t count) const {
  if (!runs->empty() && runs->back().leaf == leaf &&
      runs->back().from + runs->back().count == from) {
    runs->back().count += count;
  } else {
    runs->push_back({leaf, from, count});
  }
}

void LevelBuilder::NeedDef() {
  if (!has_def_) {
    def_.assign(entries_, 0);
    has_def_ = true;
  }
}

void LevelBuilder::Append(const Array& root, int64_t from, int64_t to) {
  if (from == to) {
    return;
  }
  entries_ = static_cast<size_t>(to - from);
  has_def_ = false;
  def_.clear();
  rep_.assign(lists_ == 0 ? 0 : entries_, lists_);
  runs_.assign(1, {&root, from, to - from});
  Enter(root, 0);
  page_.rows += static_cast<size_t>(to - from);
  if (has_def_ && page_.def.empty()) {
    page_.def.assign(page_.entries, 0);
  }
  if (has_def_) {
    page_.def.insert(page_.def.end(), def_.begin(), def_.end());
  } else if (!page_.def.empty()) {
    page_.def.resize(page_.entries + entries_, 0);
  }
  page_.rep.insert(page_.rep.end(), rep_.begin(), rep_.end());
  page_.entries += entries_;
  for (const SlotRun& run : runs_) {
    page_.slots += static_cast<size_t>(run.count);
    AddRun(&page_.runs, run.leaf, run.from, run.count);
  }
}

void LevelBuilder::Enter(const Array& root, size_t first) {
  const Array* array = &root;
  uint16_t list = lists_;
  for (size_t step = first; step < path_.size(); ++step) {
    if (path_[step].list) {
      --list;
      EnterList(*array, numbers_[step], list);
    } else {
      EnterItem(*array, numbers_[step].null, list == 0);
    }
    if (step + 1 < path_.size()) {
      array = array->children[members_[step]].get();
      for (SlotRun& run : runs_) {
        run.leaf = array;
      }
    }
  }
}

void LevelBuilder::EnterItem(const Array& array, uint16_t level, bool keep_slots) {
  const bool null_type = array.type->id == columnar::TypeId::kNull;
  if (array.validity == nullptr && !null_type) {
    return;
  }
  NeedDef();
  const uint16_t owns = keep_slots ? inner_items_ : uint16_t{0};
  next_runs_.clear();
  size_t entry = 0;
  for (const SlotRun& run : runs_) {
    for (int64_t slot = run.from; slot < run.from + run.count; ++slot, ++entry) {
      while (def_[entry] > owns) {
        ++entry;
      }
      const bool null = array.IsNull(slot);
      if (null && def_[entry] == 0) {
        def_[entry] = level;
        used_[level] = 1;
      }
      if (!keep_slots && !null) {
        AddRun(&next_runs_, run.leaf, slot, 1);
      }
    }
  }
  if (!keep_slots) {
    runs_.swap(next_runs_);
  }
}

void LevelBuilder::EnterList(const Array& array, StepLevels levels, uint16_t rep_of_items) {
  next_runs_.clear();
  next_rep_.clear();
  next_def_.clear();
  bool next_has_def = has_def_;
  const auto put = [&](uint16_t rep, uint16_t def) {
    if (def != 0 && !next_has_def) {
      next_def_.assign(next_rep_.size(), 0);
      next_has_def = true;
    }
    used_[def] = 1;
    next_rep_.push_back(rep);
    if (next_has_def) {
      next_def_.push_back(def);
    }
  };
  size_t entry = 0;
  const auto pass_absent = [&] {
    while (has_def_ && entry < entries_ && def_[entry] != 0) {
      put(rep_[entry], def_[entry]);
      ++entry;
    }
  };
  for (const SlotRun& run : runs_) {
    for (int64_t slot = run.from; slot < run.from + run.count; ++slot) {
      pass_absent();
      const uint16_t rep = rep_[entry++];
      if (array.IsNull(slot)) {
        put(rep, levels.null);
        continue;
      }
      const int64_t from = array.Offset(slot), items = array.Offset(slot + 1) - from;
      if (items == 0) {
        put(rep, levels.empty);
        continue;
      }
      put(rep, 0);
      next_rep_.insert(next_rep_.end(), static_cast<size_t>(items - 1), rep_of_items);
      if (next_has_def) {
        next_def_.insert(next_def_.end(), static_cast<size_t>(items - 1), 0);
      }
      AddRun(&next_runs_, run.leaf, from, items);
    }
  }
  pass_absent();
  entries_ = next_rep_.size();
  has_def_ = next_has_def;
  rep_.swap(next_rep_);
  def_.swap(next_def_);
  runs_.swap(next_runs_);
}

/// What lies right below a null struct is null, too: the official reader wants levels for that,
/// even if no entry has them.
void LevelBuilder::ReserveBelowNulls(std::vector<uint16_t>* used) const {
  bool below = false;
  for (size_t i = 0; i < path_.size(); ++i) {
    uint16_t& null = (*used)[numbers_[i].null];
    null = below || null != 0 ? 1 : 0;
    below = !path_[i].list && null != 0;
  }
}

LeafLevels LevelBuilder::Finish() {
  std::vector<uint16_t> renumber = used_;
  ReserveBelowNulls(&renumber);
  uint16_t next = 0;
  uint16_t visible = 0;
  bool inside = true;
  for (size_t i = path_.size(); i-- > 0;) {
    const StepLevels numbers = numbers_[i];
    const bool null = renumber[numbers.null] != 0;
    const bool empty = path_[i].list && renumber[numbers.empty] != 0;
    if (null) {
      renumber[numbers.null] = ++next;
    }
    if (empty) {
      renumber[numbers.empty] = ++next;
    }
    inside = inside && !path_[i].list;
    visible = inside ? next : visible;
    page_.layers.push_back(static_cast<uint32_t>(
        path_[i].list ? ListLayer(null, empty)
                      : (null ? RepDefLayer::kNullableItem : RepDefLayer::kAllValidItem)));
  }
  renumber[0] = 0;
  if (next == 0) {
    page_.def.clear();
  }
  for (uint16_t& level : page_.def) {
    level = renumber[level];
  }
  page_.visible = visible;
  page_.max_def = next;
  return std::move(page_);
}

}  // namespace pchronicle::lance
