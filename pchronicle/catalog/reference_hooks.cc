#include "pchronicle/catalog/reference_hooks.h"

#include <algorithm>
#include <utility>

namespace pchronicle::catalog {

std::shared_ptr<model::FileIds> AddReferenceHooks(const std::vector<Source>& sources,
                                                  const Source& source,
                                                  std::shared_ptr<const ResolvedSource> resolved,
                                                  const Limits& limits, const Context& context,
                                                  model::RowSink::Request& request) {
  request.file_exists = [&sources](std::string_view file) {
    const auto found =
        std::lower_bound(sources.begin(), sources.end(), file,
                         [](const Source& a, std::string_view b) { return a.file < b; });
    return found != sources.end() && found->file == file;
  };
  if (!resolved->format || resolved->input == nullptr) {
    return nullptr;  // a Harbor trial without a trajectory
  }
  model::WalkOptions walk;
  walk.container = resolved->container;
  walk.source_path = source.file;
  walk.cursor.max_record_bytes = limits.max_record_bytes;
  // Reads the file once more when it is asked: that must stop as well.
  auto input = std::make_shared<ContextInput>(*resolved->input, context);
  auto ids = std::make_shared<model::FileIds>(*resolved->format, *input, walk);
  request.count_documents = [ids, input, resolved = std::move(resolved)](std::string_view id) {
    return ids->CountDocuments(id);
  };
  return ids;
}

}  // namespace pchronicle::catalog
