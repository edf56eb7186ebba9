#include "fixture_table.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance::testing_support {
namespace {

using proto::WireReader;

Status ParseFile(WireReader in, FixtureTable::File* out) {
  std::vector<int32_t> fields, columns;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->path = in.Text();
        break;
      case 2:
        in.AppendTo(&fields);
        break;
      case 3:
        in.AppendTo(&columns);
        break;
      case 4:
        out->major = in.U32();
        break;
      case 5:
        out->minor = in.U32();
        break;
      case 7:
        out->elsewhere = true;
        break;
      default:
        break;
    }
  }
  for (size_t i = 0; i < std::min(fields.size(), columns.size()); ++i) {
    if (fields[i] >= 0 && columns[i] >= 0) {
      out->columns[fields[i]] = static_cast<uint32_t>(columns[i]);
    }
  }
  return in.status();
}

Status ParseFragment(WireReader in, FixtureTable::Fragment* out) {
  while (in.Next()) {
    if (in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(ParseFile(in.Message(), &out->files.emplace_back()));
    } else if (in.field() == 3) {
      out->deletions = true;
    } else if (in.field() == 4) {
      out->rows = in.U64();
    }
  }
  return in.status();
}

std::string NewestManifest(const std::string& root) {
  uint64_t newest = 0;
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/_versions")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".manifest") || name[0] == 'd') {
      continue;
    }
    const uint64_t number = std::stoull(name);
    const uint64_t version = name.size() == 29 ? UINT64_MAX - number : number;
    if (version >= newest) {
      newest = version;
      path = entry.path().string();
    }
  }
  return path;
}

class Sidecars : public BlobOpener {
 public:
  explicit Sidecars(std::string folder) : folder_(std::move(folder)) {}
  Result<std::shared_ptr<const io::RandomReader>> OpenSidecar(uint32_t blob_id) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store,
                                io::OpenLocalStore(folder_));
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> file,
                                store->Open(SidecarName(blob_id)));
    return std::shared_ptr<const io::RandomReader>(std::move(file));
  }

 private:
  std::string folder_;
};

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

Result<FixtureTable> FixtureTable::Open(const std::string& root) {
  const std::string bytes = ReadFile(NewestManifest(root));
  if (bytes.size() < 20) {
    return Status::NotFound("no manifest in {}", root);
  }
  uint64_t at = 0;
  std::memcpy(&at, bytes.data() + bytes.size() - 16, 8);
  if (at > bytes.size() - 20) {
    return Status::Corruption("manifest of {}", root);
  }
  FixtureTable table;
  table.root = root;
  std::vector<proto::Field> fields;
  WireReader in(std::string_view(bytes).substr(at + 4, bytes.size() - 20 - at));
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(proto::Parse(in.Message(), &fields.emplace_back()));
    } else if (in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(ParseFragment(in.Message(), &table.fragments.emplace_back()));
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(in.status());
  PCHRONICLE_ASSIGN_OR_RETURN(table.fields, BuildFieldTree(fields));
  return table;
}

Result<std::shared_ptr<const FileReader>> FixtureTable::OpenFile(const File& file) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const FileVersion version, CheckFileVersion(file.major, file.minor));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store,
                              io::OpenLocalStore(root + "/data"));
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> opened, store->Open(file.path));
  FileOptions options;
  options.name = file.path;
  options.expected_version = &version;
  options.blobs = std::make_shared<Sidecars>(
      root + "/data/" + file.path.substr(0, file.path.size() - std::strlen(".lance")));
  return FileReader::Open(std::shared_ptr<const io::RandomReader>(std::move(opened)),
                          std::move(options));
}

}  // namespace pchronicle::lance::testing_support
