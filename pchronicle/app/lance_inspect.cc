#include "pchronicle/app/lance_inspect.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/app/lance_cell_json.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/io/store.h"
#include "pchronicle/json/writer.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/table/feature_flags.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::app {
namespace {

using json::Writer;

// Adds one line of the table and, under the same name, one member of the JSON object.
class FieldList {
 public:
  explicit FieldList(LanceAnswer* answer) : answer_(answer), json_(Writer::Style::kPretty) {
    answer_->columns = {{"FIELD", false}, {"VALUE", false}};
    json_.BeginObject();
  }
  void Text(const std::string& name, const std::string& value) {
    answer_->rows.push_back({name, value.empty() ? "-" : value});
    json_.Key(name);
    if (value.empty()) {
      json_.Null();
    } else {
      WriteText(&json_, value);
    }
  }
  void Number(const std::string& name, uint64_t value) {
    answer_->rows.push_back({name, fmt::format("{}", value)});
    json_.Key(name);
    json_.UInt(value);
  }
  // One line for each value; an array of objects in JSON.
  void Line(const std::string& name, const std::string& value) {
    answer_->rows.push_back({name, value});
  }
  Writer& json() { return json_; }
  void Finish() {
    json_.EndObject();
    answer_->json = json_.Take() + "\n";
  }

 private:
  LanceAnswer* answer_;
  Writer json_;
};

struct Sizes {
  uint64_t deleted = 0, files = 0, bytes = 0;
  bool bytes_known = true;
};

Sizes SizesOf(const lance::Table& table) {
  Sizes out;
  for (const lance::proto::Fragment& fragment : table.fragments()) {
    out.deleted += fragment.deletion ? fragment.deletion->deleted_rows : 0;
    for (const lance::proto::DataFile& file : fragment.files) {
      ++out.files;
      out.bytes += file.size;
      out.bytes_known = out.bytes_known && file.size != 0;
    }
  }
  return out;
}

// How many live fragments an index covers.
uint64_t Covered(const lance::Table& table, const lance::proto::Index& index) {
  if (!index.fragment_bitmap) {
    return 0;
  }
  const Result<lance::RoaringBitmap> bitmap = lance::RoaringBitmap::Decode(*index.fragment_bitmap);
  uint64_t out = 0;
  for (const lance::proto::Fragment& fragment : table.fragments()) {
    out += bitmap.ok() && bitmap->Contains(static_cast<uint32_t>(fragment.id)) ? 1 : 0;
  }
  return out;
}

void AddIndices(const lance::Table& table, FieldList* out) {
  out->json().Key("indices");
  out->json().BeginArray();
  for (const lance::proto::Index& index : table.indices()) {
    std::string columns;
    for (const int32_t id : index.fields) {
      const std::string path = lance::PathOfField(table.schema(), id);
      columns += (columns.empty() ? "" : ", ") + (path.empty() ? fmt::format("#{}", id) : path);
    }
    const std::string unusable = lance::WhyUnusable(table, index);
    const uint64_t covered = Covered(table, index);
    uint64_t bytes = 0;
    for (const auto& file : index.files) {
      bytes += file.size;
    }
    Writer& json = out->json();
    json.BeginObject();
    for (const auto& [key, value] : {std::pair<const char*, std::string>{"name", index.name},
                                     {"uuid", index.UuidText()},
                                     {"type", index.type_url},
                                     {"columns", columns},
                                     {"not_used_because", unusable}}) {
      json.Key(key);
      WriteText(&json, value);
    }
    for (const auto& [key, value] : {std::pair<const char*, uint64_t>{"covered_fragments", covered},
                                     {"bytes", bytes},
                                     {"dataset_version", index.dataset_version}}) {
      json.Key(key);
      json.UInt(value);
    }
    json.EndObject();
    out->Line(
        "index " + index.name,
        fmt::format("{} on {}, {} of {} fragments{}", index.Kind(), columns, covered,
                    table.fragments().size(), unusable.empty() ? "" : "; not used: " + unusable));
  }
  out->json().EndArray();
}

Status AddReferences(const lance::Table& table, FieldList* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<lance::Tag> tags, table.Tags());
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<lance::Branch> branches, table.Branches());
  Writer& json = out->json();
  json.Key("tags");
  json.BeginArray();
  for (const lance::Tag& tag : tags) {
    json.BeginObject();
    json.Key("name");
    WriteText(&json, tag.name);
    json.Key("branch");
    WriteText(&json, tag.branch);
    json.Key("version");
    json.UInt(tag.version);
    json.EndObject();
    out->Line("tag " + tag.name, fmt::format("version {}{}", tag.version,
                                             tag.branch.empty() ? "" : " of branch " + tag.branch));
  }
  json.EndArray();
  json.Key("branches");
  json.BeginArray();
  for (const lance::Branch& branch : branches) {
    json.BeginObject();
    json.Key("name");
    WriteText(&json, branch.name);
    json.Key("parent");
    WriteText(&json, branch.parent);
    json.Key("parent_version");
    json.UInt(branch.parent_version);
    json.EndObject();
    out->Line("branch " + branch.name, fmt::format("from version {} of {}", branch.parent_version,
                                                   branch.parent.empty() ? "main" : branch.parent));
  }
  json.EndArray();
  return Status::Ok();
}

void AddField(const lance::FieldNode& field, const std::string& parent, LanceAnswer* out,
              Writer* json) {
  const std::string path = parent.empty() ? field.name : parent + "." + field.name;
  const std::string type = field.type == nullptr ? "not readable" : columnar::ToString(*field.type);
  std::string notes;
  for (const auto& [key, value] : field.metadata) {
    notes += fmt::format("{}{}={}", notes.empty() ? "" : " ", key, value);
  }
  out->rows.push_back({path, fmt::format("{}", field.id), type, field.logical_type,
                       field.nullable ? "yes" : "no", notes.empty() ? "-" : notes});
  json->BeginObject();
  json->Key("path");
  WriteText(json, path);
  json->Key("id");
  json->Int(field.id);
  json->Key("type");
  if (field.type == nullptr) {
    json->Null();
  } else {
    WriteText(json, type);
  }
  json->Key("logical_type");
  WriteText(json, field.logical_type);
  json->Key("nullable");
  json->Bool(field.nullable);
  json->Key("metadata");
  json->BeginObject();
  for (const auto& [key, value] : field.metadata) {
    json->Key(ValidText(key));
    WriteText(json, value);
  }
  json->EndObject();
  json->EndObject();
  for (const lance::FieldNode& child : field.children) {
    AddField(child, path, out, json);
  }
}

}  // namespace

Result<LanceTablePtr> OpenLanceTable(const LanceChoice& choice) {
  lance::OpenOptions options;
  options.version = choice.version;
  options.tag = choice.tag;
  options.branch = choice.branch;
  if (choice.at) {
    Result<Instant> at = ParseTimestampText(*choice.at);
    if (!at.ok()) {
      return at.status().WithContext("--at");
    }
    options.timestamp_ns = at->nanoseconds;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const io::LocalPlace place, io::LocateLocal(choice.path));
  if (!place.file.empty()) {
    return Status::InvalidArgument("{}: a Lance table is a folder, this is a file", choice.path);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<io::Store> store,
                              io::OpenLocalStore(place.directory));
  return lance::Table::Open(std::move(store), std::move(options));
}

uint64_t LanceVersion(const LanceTablePtr& table) { return table->version(); }

LanceAnswer CountLanceRows(const LanceTablePtr& table) {
  LanceAnswer answer;
  FieldList fields(&answer);
  fields.Number("version", table->version());
  fields.Number("rows", table->CountRows());
  fields.Finish();
  return answer;
}

Result<LanceAnswer> DescribeLanceTable(const LanceTablePtr& table) {
  LanceAnswer answer;
  FieldList fields(&answer);
  const lance::proto::Manifest& manifest = table->manifest();
  const Sizes sizes = SizesOf(*table);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<lance::VersionEntry> versions, table->Versions());
  fields.Text("uri", table->uri());
  fields.Number("version", table->version());
  fields.Text("branch", table->branch());
  fields.Text("timestamp", FormatTimestamp(table->timestamp_ns()));
  fields.Number("versions", versions.size());
  fields.Number("rows", table->CountRows());
  fields.Number("deleted_rows", sizes.deleted);
  fields.Number("columns", table->schema().size());
  fields.Number("fragments", table->fragments().size());
  fields.Number("data_files", sizes.files);
  if (sizes.bytes_known) {
    fields.Number("data_bytes", sizes.bytes);
  } else {
    fields.Text("data_bytes", "");  // old writers did not note sizes
  }
  fields.Text("file_version", manifest.file_version);
  fields.Text("writer", manifest.writer.Text());
  fields.Text("reader_flags", lance::DescribeFlags(manifest.reader_flags));
  fields.Text("writer_flags", lance::DescribeFlags(manifest.writer_flags));
  for (const auto& [name, entries] :
       {std::pair<const char*, const lance::proto::Metadata*>{"config", &manifest.config},
        {"table_metadata", &manifest.table_metadata},
        {"schema_metadata", &manifest.schema_metadata}}) {
    fields.json().Key(name);
    fields.json().BeginObject();
    for (const auto& [key, value] : *entries) {
      fields.json().Key(ValidText(key));
      WriteText(&fields.json(), value);
      fields.Line(fmt::format("{} {}", name, key), value);
    }
    fields.json().EndObject();
  }
  AddIndices(*table, &fields);
  PCHRONICLE_RETURN_IF_ERROR(AddReferences(*table, &fields));
  fields.Finish();
  return answer;
}

LanceAnswer DescribeLanceSchema(const LanceTablePtr& table) {
  LanceAnswer answer;
  answer.columns = {{"COLUMN", false},       {"ID", true},        {"TYPE", false},
                    {"LOGICAL TYPE", false}, {"NULLABLE", false}, {"METADATA", false}};
  Writer json(Writer::Style::kPretty);
  json.BeginArray();
  for (const lance::FieldNode& field : table->schema()) {
    AddField(field, "", &answer, &json);
  }
  json.EndArray();
  answer.json = json.Take() + "\n";
  return answer;
}

}  // namespace pchronicle::app
