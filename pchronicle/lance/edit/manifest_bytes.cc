#include "pchronicle/lance/edit/manifest_bytes.h"

#include <cstdint>

#include "pchronicle/lance/table/manifest_file.h"

namespace pchronicle::lance {
namespace {

void Put(uint64_t value, size_t width, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), width);
}

// Gives the position of the section.
uint64_t PutSection(std::string_view message, std::string* out) {
  const uint64_t position = out->size();
  Put(message.size(), 4, out);
  *out += message;
  return position;
}

}  // namespace

Result<std::string> EncodeManifestFile(proto::Manifest manifest,
                                       const std::vector<proto::Index>& indices,
                                       std::string_view transaction) {
  std::string out;
  manifest.index_section.reset();
  if (!indices.empty()) {
    manifest.index_section = PutSection(proto::WriteIndexSection(indices).bytes(), &out);
  }
  manifest.transaction_section = PutSection(transaction, &out);
  const uint64_t position = PutSection(proto::Write(manifest).bytes(), &out);
  if (out.size() > kMaxManifestBytes) {
    return Status::ResourceExhausted(
        "the manifest of version {} would have {} bytes, at most {} are read; compact the table",
        manifest.version, out.size(), kMaxManifestBytes);
  }
  Put(position, 8, &out);
  Put(0, 2, &out);
  Put(2, 2, &out);
  return out + "LANC";
}

}  // namespace pchronicle::lance
