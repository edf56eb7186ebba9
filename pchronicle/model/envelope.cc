#include "pchronicle/model/envelope.h"

#include <algorithm>
#include <map>

#include "pchronicle/json/cursor.h"
#include "pchronicle/model/residual_insert.h"
#include "pchronicle/model/residuals.h"

namespace pchronicle::model {
namespace {

Status Invalid(std::string_view why) {
  return Status::InvalidArgument("invalid _storyline envelope: {}", why);
}

/// Captures the members of a closed object, all of them required.
Status ReadClosed(const json::Raw& object, std::span<const std::string_view> names,
                  std::span<json::Raw> values, std::string_view what) {
  if (object.kind != json::Kind::kObject) {
    return Invalid(fmt::format("{} must be an object", what));
  }
  json::Cursor cursor(object.text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const auto name = std::find(names.begin(), names.end(), key);
    if (name == names.end()) {
      return Invalid(fmt::format("unknown field '{}'", key));
    }
    if (!cursor.Capture(&values[static_cast<size_t>(name - names.begin())])) {
      break;
    }
  }
  if (!cursor.ok()) {
    return Invalid(cursor.status().message());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!values[i].present()) {
      return Invalid(fmt::format("missing field '{}'", names[i]));
    }
  }
  return Status::Ok();
}

/// The `sources` of one carrier.
Status ReadCarrier(const json::Raw& carrier, std::string_view target, Arena& arena,
                   std::vector<UnknownSource>* out) {
  constexpr std::string_view kNames[] = {"sources"};
  json::Raw values[1];
  PCHRONICLE_RETURN_IF_ERROR(ReadClosed(carrier, kNames, values, "a carrier"));
  Result<std::vector<UnknownSource>> sources = ParseUnknownSources(values[0], arena);
  if (!sources.ok()) {
    return Invalid(sources.status().message());
  }
  for (const UnknownSource& source : *sources) {
    if (source.format == target) {
      return Status::InvalidArgument("_storyline envelope must not carry target source '{}'",
                                     target);
    }
  }
  *out = std::move(*sources);
  return Status::Ok();
}

}  // namespace

Status DecodeEnvelope(const json::Raw& member, std::string_view target,
                      std::span<const EnvelopeBinding> bindings, Arena& arena) {
  constexpr std::string_view kRoot[] = {"unknown_fields"};
  constexpr std::string_view kFields[] = {"version", "by_trajectory"};
  json::Raw root[1];
  json::Raw fields[2];
  PCHRONICLE_RETURN_IF_ERROR(ReadClosed(member, kRoot, root, "the envelope"));
  PCHRONICLE_RETURN_IF_ERROR(ReadClosed(root[0], kFields, fields, "unknown_fields"));
  int64_t version = 0;
  if (!json::ToInt64(fields[0], &version)) {
    return Invalid("version must be an integer");
  }
  if (version != 1) {
    return Status::InvalidArgument("unsupported _storyline unknown_fields version {}; expected 1",
                                   version);
  }
  if (fields[1].kind != json::Kind::kObject) {
    return Invalid("by_trajectory must be an object");
  }
  json::Cursor cursor(fields[1].text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const std::string carrier(key);
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    std::vector<UnknownSource> sources;
    PCHRONICLE_RETURN_IF_ERROR(ReadCarrier(value, target, arena, &sources));
    const auto bound = std::find_if(bindings.begin(), bindings.end(),
                                    [&](const EnvelopeBinding& b) { return b.carrier == carrier; });
    if (bound == bindings.end()) {
      return Status::InvalidArgument(
          "_storyline envelope carrier '{}' is not bound to a trajectory", carrier);
    }
    // One document may stand behind several carriers (OpenAI: one per row), so parts merge.
    PCHRONICLE_RETURN_IF_ERROR(MergeUnknown(sources, *bound->unknown));
  }
  return cursor.ok() ? Status::Ok() : Invalid(cursor.status().message());
}

bool HasForeign(const std::vector<UnknownSource>& unknown, std::string_view target) {
  return std::any_of(unknown.begin(), unknown.end(), [&](const UnknownSource& source) {
    return source.format != target && !source.fields.empty();
  });
}

Result<std::string> AddEnvelope(std::string document, std::span<const CarrierBinding> bindings,
                                std::string_view target) {
  std::string members;
  std::vector<std::string> carriers;
  for (const CarrierBinding& binding : bindings) {
    if (!HasForeign(*binding.unknown, target)) {
      continue;
    }
    if (!document.starts_with('{')) {
      return Status::InvalidArgument("foreign unknown fields require an object document root");
    }
    carriers.push_back(binding.carrier);
    std::vector<UnknownSource> foreign;
    std::copy_if(binding.unknown->begin(), binding.unknown->end(), std::back_inserter(foreign),
                 [&](const UnknownSource& source) { return source.format != target; });
    members += members.empty() ? "" : ",";
    json::AppendQuoted(binding.carrier, members);
    members += ":" + UnknownFieldsJson(foreign);
  }
  if (members.empty()) {
    return document;
  }
  if (const std::optional<std::string> missing = FirstMissing(document, carriers)) {
    return Status::InvalidArgument("carrier JSON Pointer '{}' does not exist in target document",
                                   *missing);
  }
  const std::string reserved[] = {fmt::format("/{}", kEnvelopeKey)};
  if (!FirstMissing(document, reserved)) {
    return Status::InvalidArgument("target document already contains reserved key '{}'",
                                   kEnvelopeKey);
  }
  document.pop_back();
  document += document.size() == 1 ? "" : ",";
  return fmt::format("{}\"{}\":{{\"unknown_fields\":{{\"version\":1,\"by_trajectory\":{{{}}}}}}}}}",
                     document, kEnvelopeKey, members);
}

}  // namespace pchronicle::model
