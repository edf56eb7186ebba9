#include <utility>

#include "pchronicle/lance/file/page_decoder.h"

// Blob pages of 2.1 and 2.2 (lance.md E1): position and size of payloads that stand elsewhere in
// the file. A position of nulls holds their levels.

namespace pchronicle::lance {
namespace {

class BlobPage : public PageDecoder {
 public:
  BlobPage(LayerPlan plan, std::unique_ptr<PageDecoder> inner, const ValueShape& shape)
      : plan_(std::move(plan)), inner_(std::move(inner)), descriptors_(shape, {PathStep{}}) {}

  Status Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) override {
    descriptors_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(inner_->Append(from, to, ahead, &descriptors_));
    const auto count = static_cast<size_t>(to - from);
    levels_.clear();
    ValueBuilder &positions = descriptors_.values.child(0), &sizes = descriptors_.values.child(1);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t position = LoadLe<uint64_t>(Data(positions.View(i)));
      const uint64_t size = LoadLe<uint64_t>(Data(sizes.View(i)));
      const bool null = size == 0 && position != 0;
      levels_.push_back(null ? static_cast<uint16_t>(position >> 16) : uint16_t{0});
    }
    if (count != 0) {
      for (size_t member = 0; member < 2; ++member) {
        out->values.child(member).AppendPlain(Data(descriptors_.values.child(member).View(0)),
                                              count, sizeof(uint64_t));
        out->values.child(member).validity().AppendValid(count);
      }
      out->values.AdvanceNested(count);
      out->structure.AppendFlat(plan_, levels_.data(), count);
    }
    return Status::Ok();
  }
  Status Prefetch(std::span<const uint64_t> rows) override { return inner_->Prefetch(rows); }
  std::vector<uint64_t> Cuts() const override { return inner_->Cuts(); }

 private:
  static const uint8_t* Data(std::string_view view) {
    return reinterpret_cast<const uint8_t*>(view.data());
  }

  LayerPlan plan_;
  std::unique_ptr<PageDecoder> inner_;
  LeafBuilder descriptors_;
  std::vector<uint16_t> levels_;
};

}  // namespace

Result<std::unique_ptr<PageDecoder>> OpenBlobPage(const PageOptions& options, PageSource source,
                                                  const ValueShape& shape, LayerPlan plan) {
  if (options.layout->inner.size() != 1) {
    return Status::Corruption("blob page without an inner layout");
  }
  const proto::PageLayout& layout = options.layout->inner[0];
  if (plan.lists != 0) {
    return Status::Unsupported("lists of blobs");
  }
  if (layout.kind == proto::PageLayout::Kind::kBlob) {
    return Status::Corruption("a blob page within a blob page");
  }
  PageOptions inner_options = options;
  inner_options.layout = &layout;
  const PathStep step;
  PCHRONICLE_ASSIGN_OR_RETURN(auto inner,
                              OpenPage(inner_options, std::move(source), shape, {&step, 1}));
  return std::unique_ptr<PageDecoder>(
      std::make_unique<BlobPage>(std::move(plan), std::move(inner), shape));
}

}  // namespace pchronicle::lance
