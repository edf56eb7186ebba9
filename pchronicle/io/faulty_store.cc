#include "pchronicle/io/faulty_store.h"

namespace pchronicle::io {
namespace {

class FaultyReader final : public RandomReader {
 public:
  FaultyReader(std::unique_ptr<RandomReader> base, std::string path, FaultHook hook,
               size_t max_read_bytes)
      : base_(std::move(base)),
        path_(std::move(path)),
        hook_(std::move(hook)),
        max_read_bytes_(max_read_bytes) {}
  uint64_t size() const override { return base_->size(); }
  const Entry& entry() const override { return base_->entry(); }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kRead, path_));
    if (max_read_bytes_ != 0 && out.size() > max_read_bytes_) {
      out = out.first(max_read_bytes_);
    }
    return base_->ReadAt(offset, out);
  }
  Result<Entry> Stat() const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kStat, path_));
    return base_->Stat();
  }

 private:
  const std::unique_ptr<RandomReader> base_;
  const std::string path_;
  const FaultHook hook_;
  const size_t max_read_bytes_;
};

class FaultyWriter final : public ObjectWriter {
 public:
  FaultyWriter(std::unique_ptr<ObjectWriter> base, std::string path, FaultHook hook)
      : base_(std::move(base)), path_(std::move(path)), hook_(std::move(hook)) {}
  Status Append(std::string_view bytes) override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kAppend, path_));
    return base_->Append(bytes);
  }
  Status Finish() override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kFinish, path_));
    PCHRONICLE_RETURN_IF_ERROR(base_->Finish());
    return hook_(StoreCall::kFinishDone, path_);
  }
  void Abort() override { base_->Abort(); }

 private:
  const std::unique_ptr<ObjectWriter> base_;
  const std::string path_;
  const FaultHook hook_;
};

class FaultyStore final : public Store {
 public:
  FaultyStore(std::shared_ptr<Store> base, FaultHook hook, size_t max_read_bytes)
      : base_(std::move(base)), hook_(std::move(hook)), max_read_bytes_(max_read_bytes) {}

  const std::string& uri() const override { return base_->uri(); }
  Result<std::vector<Entry>> ListDirectory(std::string_view path,
                                           uint64_t max_entries) const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kList, path));
    return base_->ListDirectory(path, max_entries);
  }
  Result<std::vector<Entry>> ListDirectory(std::string_view path, uint64_t max_entries,
                                           const Context& context) const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kList, path));
    return base_->ListDirectory(path, max_entries, context);
  }
  Result<Entry> Stat(std::string_view path, bool follow) const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kStat, path));
    return base_->Stat(path, follow);
  }
  Result<std::unique_ptr<RandomReader>> Open(std::string_view path) const override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kOpen, path));
    PCHRONICLE_ASSIGN_OR_RETURN(auto reader, base_->Open(path));
    return std::unique_ptr<RandomReader>(
        new FaultyReader(std::move(reader), std::string(path), hook_, max_read_bytes_));
  }
  Status Put(std::string_view path, std::string_view bytes, bool if_absent) override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kPut, path));
    PCHRONICLE_RETURN_IF_ERROR(base_->Put(path, bytes, if_absent));
    return hook_(StoreCall::kPutDone, path);
  }
  Result<std::unique_ptr<ObjectWriter>> Create(std::string_view path) override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kCreate, path));
    PCHRONICLE_ASSIGN_OR_RETURN(auto writer, base_->Create(path));
    return std::unique_ptr<ObjectWriter>(
        new FaultyWriter(std::move(writer), std::string(path), hook_));
  }
  Status Delete(std::string_view path) override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kDelete, path));
    return base_->Delete(path);
  }
  Status DeleteEmptyDirectory(std::string_view path) override {
    PCHRONICLE_RETURN_IF_ERROR(hook_(StoreCall::kDelete, path));
    return base_->DeleteEmptyDirectory(path);
  }
  Counters counters() const override { return base_->counters(); }

 private:
  const std::shared_ptr<Store> base_;
  const FaultHook hook_;
  const size_t max_read_bytes_;
};

}  // namespace

std::shared_ptr<Store> MakeFaultyStore(std::shared_ptr<Store> base, FaultHook hook,
                                       size_t max_read_bytes) {
  return std::make_shared<FaultyStore>(std::move(base), std::move(hook), max_read_bytes);
}

}  // namespace pchronicle::io
