#include "pchronicle/model/encode.h"

#include "pchronicle/model/actf/encoder.h"
#include "pchronicle/model/agenticmd/encoder.h"
#include "pchronicle/model/atif/encoder.h"
#include "pchronicle/model/openai/encoder.h"
#include "pchronicle/model/storyline/encoder.h"

namespace pchronicle::model {

std::string LossyFields(const EncodeReport& report) {
  std::string names;
  for (const auto& [field, count] : report.lossy) {
    names += names.empty() ? "" : ",";
    names += field;
  }
  return names;
}

void AddReport(const EncodeReport& more, EncodeReport* report) {
  if (report == nullptr) {
    return;
  }
  for (const auto& [field, count] : more.lossy) {
    report->lossy[field] += count;
  }
  for (const auto& [topic, note] : more.notes) {
    report->notes.emplace(topic, note);
  }
}

Result<std::string> Encode(Format format, std::span<const Storyline> storylines,
                           const EncodeOptions& options, EncodeReport* report) {
  switch (format) {
    case Format::kStoryline:
      return EncodeStoryline(storylines, options, report);
    case Format::kAtif:
      return EncodeAtif(storylines, options, report);
    case Format::kActf:
      return EncodeActf(storylines, options, report);
    case Format::kOpenAiMessages:
      return EncodeOpenAi(storylines, options, report);
    case Format::kHfChat:
      return Status::Unsupported("{} is decode-only and cannot be exported", FormatName(format));
    case Format::kAgenticMd:
      return EncodeAgenticMd(storylines, options, report);
  }
  return Status::Unsupported("{} export is not available", FormatName(format));
}

}  // namespace pchronicle::model
