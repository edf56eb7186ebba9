#include "pchronicle/lance/file/constant_writer.h"

#include <algorithm>

#include "pchronicle/lance/file/page_layout_writer.h"

namespace pchronicle::lance {
namespace {

columnar::Buffer PlainLevels(const std::vector<uint16_t>& levels) {
  columnar::Buffer out;
  out.Append(levels.data(), levels.size() * sizeof(uint16_t));
  return out;
}

EncodedPage Finish(const LeafLevels& levels, proto::WireWriter constant) {
  EncodedPage page;
  page.rows = levels.rows;
  proto::WireWriter layout;
  layout.Message(2, constant);
  page.layout = layout.Take();
  return page;
}

}  // namespace

EncodedPage WriteValueless(const LeafLevels& levels) {
  proto::WireWriter constant;
  WriteLayers(5, levels, &constant);
  EncodedPage page = Finish(levels, std::move(constant));
  // Only when the item itself is null everywhere, the layout alone tells.
  const bool plain = levels.lists == 0 && levels.layers.size() == 1;
  if (!plain) {
    page.buffers.push_back(PlainLevels(levels.rep));
    page.buffers.push_back(PlainLevels(levels.def));
  }
  return page;
}

EncodedPage WriteConstant(const LeafLevels& levels, std::string_view value) {
  proto::WireWriter constant;
  WriteLayers(5, levels, &constant);
  constant.Bytes(6, value);
  return Finish(levels, std::move(constant));
}

}  // namespace pchronicle::lance
