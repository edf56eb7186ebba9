#include "pchronicle/lance/encoding/structure_builder.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

using proto::RepDefLayer;

bool IsListLayer(RepDefLayer layer) {
  return layer == RepDefLayer::kAllValidList || layer == RepDefLayer::kNullableList ||
         layer == RepDefLayer::kEmptyableList || layer == RepDefLayer::kNullAndEmptyList;
}

}  // namespace

Result<LayerPlan> LayerPlan::Make(std::span<const uint32_t> stored,
                                  std::span<const PathStep> path) {
  if (stored.size() < path.size() || stored.size() > path.size() + 64) {
    return Status::Corruption("{} layers for a path of {} steps", stored.size(), path.size());
  }
  LayerPlan plan;
  uint16_t level = 0;
  const size_t extra = stored.size() - path.size();
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] < 1 || stored[i] > 6) {
      return Status::Unsupported("rep/def layer {}", stored[i]);
    }
    const auto kind = static_cast<RepDefLayer>(stored[i]);
    Layer layer;
    layer.list = IsListLayer(kind);
    layer.base = level;
    if (i < extra) {
      if (layer.list) {
        return Status::Corruption("a list layer within a packed column");
      }
      level = static_cast<uint16_t>(level + (kind == RepDefLayer::kNullableItem ? 1 : 0));
      continue;
    }
    if (layer.list != path[path.size() - 1 - (i - extra)].list) {
      return Status::Corruption("layer {} does not match the schema", stored[i]);
    }
    layer.nullable = kind == RepDefLayer::kNullableItem || kind == RepDefLayer::kNullableList ||
                     kind == RepDefLayer::kNullAndEmptyList;
    if (layer.nullable) {
      layer.null_level = ++level;
    }
    if (kind == RepDefLayer::kEmptyableList || kind == RepDefLayer::kNullAndEmptyList) {
      layer.empty_level = ++level;
    }
    if (i == extra && level > 0 && !layer.list) {
      layer.nullable = true;  // the layers within a packed column, too
      layer.null_level = 1;
    }
    layer.top = level;
    plan.layers.push_back(layer);
    plan.lists = static_cast<uint16_t>(plan.lists + (layer.list ? 1 : 0));
  }
  plan.max_def = level;
  // An entry has a slot in a list array as long as nothing outside the structs around it is absent.
  uint16_t mask = level;
  for (size_t i = plan.layers.size(); i-- > 0;) {
    if (plan.layers[i].list) {
      plan.layers[i].mask = mask;
      mask = plan.layers[i].base;
    }
  }
  plan.visible = mask;
  return plan;
}

StructureBuilder::StructureBuilder(std::vector<PathStep> path)
    : path_(std::move(path)), nodes_(path_.size()) {
  Reset();
}

void StructureBuilder::Reset() {
  for (size_t i = 0; i < path_.size(); ++i) {
    nodes_[i].validity.Reset();
    if (path_[i].list) {
      nodes_[i].offsets.reset();
      nodes_[i].offsets = nodes_[i].pool.Take();
      nodes_[i].offsets->AppendZeros(path_[i].large ? 8 : 4);
    }
  }
}

columnar::BufferPtr StructureBuilder::FinishOffsets(size_t step) { return nodes_[step].offsets; }

size_t StructureBuilder::bytes() const {
  size_t sum = 0;
  for (const Node& node : nodes_) {
    sum += node.validity.length() / 8 + (node.offsets == nullptr ? 0 : node.offsets->size());
  }
  return sum;
}

void StructureBuilder::AppendFlat(const LayerPlan& plan, const uint16_t* def, size_t count) {
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    Node& node = nodes_[nodes_.size() - 1 - i];
    if (def != nullptr && plan.layers[i].nullable) {
      node.validity.AppendLevels(def, count, plan.layers[i].null_level);
    } else {
      node.validity.AppendValid(count);
    }
  }
}

void StructureBuilder::AppendItems(const LayerPlan::Layer& layer, uint16_t mask, Node* node) {
  slots_.clear();
  for (const uint16_t level : def_) {
    if (level <= mask) {
      slots_.push_back(level);
    }
  }
  if (layer.nullable) {
    node->validity.AppendLevels(slots_.data(), slots_.size(), layer.null_level);
  } else {
    node->validity.AppendValid(slots_.size());
  }
}

Status StructureBuilder::AppendLists(const LayerPlan::Layer& layer, bool large, size_t children,
                                     Node* node) {
  const size_t width = large ? 8 : 4;
  // One end for each list that starts; the end of a list is where the next one starts.
  node->offsets->Reserve((def_.size() + 1) * width);
  const auto push = [&](uint64_t end) {
    std::memcpy(node->offsets->data() + node->offsets->size(), &end, width);
    node->offsets->Advance(width);
  };
  slots_.clear();  // 1: null list
  size_t kept = 0;
  bool open = false;
  for (size_t i = 0; i < def_.size(); ++i) {
    const uint16_t rep = rep_[i], def = def_[i];
    if (rep == 0) {
      if (!open || def > layer.base) {
        return Status::Corruption("an item that belongs to no list at entry {}", i);
      }
      ++children;
      continue;
    }
    open = def <= layer.base;
    if (def <= layer.mask) {
      if (!slots_.empty()) {
        push(children);
      }
      const bool null = (layer.nullable && def == layer.null_level) || def > layer.top;
      slots_.push_back(null ? 1 : 0);
    }
    children += open ? 1 : 0;
    rep_[kept] = static_cast<uint16_t>(rep - 1);
    def_[kept++] = open ? 0 : def;
  }
  if (!slots_.empty()) {
    push(children);
  }
  if (!large && children > INT32_MAX) {
    return Status::ResourceExhausted("more than 2^31 list items in one batch: read fewer rows");
  }
  rep_.resize(kept);
  def_.resize(kept);
  if (layer.nullable || layer.mask > layer.top) {
    node->validity.AppendLevels(slots_.data(), slots_.size(), 1);
  } else {
    node->validity.AppendValid(slots_.size());
  }
  return Status::Ok();
}

Status StructureBuilder::AppendNested(const LayerPlan& plan, std::span<const uint16_t> rep,
                                      std::span<const uint16_t> def) {
  rep_.assign(rep.begin(), rep.end());
  if (def.empty()) {
    def_.assign(rep.size(), 0);
  } else {
    def_.assign(def.begin(), def.end());
  }
  const auto above = [](const std::vector<uint16_t>& levels, uint16_t limit) {
    return !levels.empty() && *std::max_element(levels.begin(), levels.end()) > limit;
  };
  if (def_.size() != rep_.size() || above(rep_, plan.lists) || above(def_, plan.max_def)) {
    return Status::Corruption("repetition or definition levels out of range");
  }
  uint16_t mask = plan.visible;
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const size_t step = nodes_.size() - 1 - i;
    const LayerPlan::Layer& layer = plan.layers[i];
    if (!layer.list) {
      AppendItems(layer, mask, &nodes_[step]);
      continue;
    }
    // Items go on where the last list ended.
    size_t children = 0;
    std::memcpy(
        &children,
        nodes_[step].offsets->data() + nodes_[step].offsets->size() - (path_[step].large ? 8 : 4),
        path_[step].large ? 8 : 4);
    PCHRONICLE_RETURN_IF_ERROR(AppendLists(layer, path_[step].large, children, &nodes_[step]));
    mask = layer.mask;
  }
  return Status::Ok();
}

}  // namespace pchronicle::lance
