// Writes the columns of a data file anew: rewrite_file IN.lance OUT.lance MINOR. Prints the
// names of the columns. The official library then reads what came out.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "pchronicle/lance/file/file_writer.h"

namespace {

using namespace pchronicle;

/// The field and everything below it, with new ids in the order of the list.
void Flatten(const lance::FieldNode& node, int32_t parent, std::vector<lance::proto::Field>* out) {
  lance::proto::Field field;
  field.id = static_cast<int32_t>(out->size());
  field.parent_id = parent;
  field.name = node.name;
  field.logical_type = node.logical_type;
  field.nullable = node.nullable;
  const bool blob =
      node.kind == lance::FieldNode::Kind::kBlob1 || node.kind == lance::FieldNode::Kind::kBlob2;
  field.metadata = blob ? node.metadata : columnar::Metadata();
  out->push_back(field);
  for (const lance::FieldNode& child : node.children) {
    Flatten(child, field.id, out);
  }
}

/// Sidecars in the folder that has the name of the data file.
class Sidecars : public lance::BlobOpener {
 public:
  explicit Sidecars(const std::filesystem::path& file)
      : folder_((file.parent_path() / file.stem()).string()) {}
  Result<std::shared_ptr<const io::RandomReader>> OpenSidecar(uint32_t blob_id) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store,
                                io::OpenLocalStore(folder_));
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> file,
                                store->Open(lance::SidecarName(blob_id)));
    return std::shared_ptr<const io::RandomReader>(std::move(file));
  }

 private:
  std::string folder_;
};

Status Rewrite(const std::filesystem::path& in, const char* out, uint32_t minor) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store,
                              io::OpenLocalStore(in.parent_path().string()));
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> opened,
                              store->Open(in.filename().string()));
  lance::FileOptions from;
  from.blobs = std::make_shared<Sidecars>(in);
  PCHRONICLE_ASSIGN_OR_RETURN(
      const auto file,
      lance::FileReader::Open(std::shared_ptr<const io::RandomReader>(std::move(opened)), from));
  lance::FileWriterOptions options;
  options.version = {2, minor};
  options.page_bytes = 100000;
  std::vector<lance::FieldNode> written;
  std::vector<lance::proto::Field> fields;
  for (const lance::FieldNode& node : file->schema()) {
    const auto ignore = [](std::string_view) { return Status::Ok(); };
    if (node.id < 0) {
      continue;  // members of a blob descriptor, which official writers put beside it
    }
    std::vector<lance::proto::Field> alone;
    Flatten(node, -1, &alone);
    if (lance::FileWriter::Create(alone, ignore, options).ok()) {
      written.push_back(node);
      Flatten(node, -1, &fields);
      std::printf("%s\n", node.name.c_str());
    }
  }
  std::ofstream stream(out, std::ios::binary);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto writer,
                              lance::FileWriter::Create(
                                  fields,
                                  [&](std::string_view bytes) {
                                    stream.write(bytes.data(),
                                                 static_cast<std::streamsize>(bytes.size()));
                                    return Status::Ok();
                                  },
                                  options));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, file->Read(written, file->SequentialColumns()));
  const uint64_t step = reader->SuggestRows();
  for (uint64_t at = 0; at < file->rows(); at += step) {
    columnar::RecordBatch batch;
    PCHRONICLE_RETURN_IF_ERROR(reader->ReadRows(at, std::min(file->rows(), at + step), &batch));
    PCHRONICLE_RETURN_IF_ERROR(writer->Append(batch));
  }
  const auto size = writer->Finish();
  return size.ok() && stream.flush() ? Status::Ok() : Status::Io("cannot write {}", out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: rewrite_file IN.lance OUT.lance MINOR\n");
    return 2;
  }
  const Status status = Rewrite(argv[1], argv[2], argv[3][0] == '2' ? 2 : 1);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
