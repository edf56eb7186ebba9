#include "pchronicle/model/openai/residual_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pchronicle/json/pointer.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::openai {
namespace {

/// Array indexes are visited in their order, not in that of their digits.
std::vector<std::pair<uint64_t, const ResidualNode*>> ByIndex(const ResidualNode& array) {
  std::vector<std::pair<uint64_t, const ResidualNode*>> sorted;
  for (const auto& [token, node] : array.children) {
    uint64_t index = 0;
    if (json::PointerIndex(token, &index)) {
      sorted.emplace_back(index, &node);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void Grow(ResidualNode& root, std::span<const std::string> tokens, std::string_view value) {
  ResidualNode* node = &root;
  for (const std::string& token : tokens) {
    node = &node->children[token];
  }
  node->value = value;
}

void Insert(const ResidualNode& residual, const std::string& path, JsonNode* target,
            std::vector<std::string>* dangling);

/// Elements that stand for themselves (`is_whole`) are put at their index, the rest goes into the
/// elements that are there.
template <typename IsWhole>
void InsertIntoArray(const ResidualNode& residual, const std::string& path, JsonNode* array,
                     IsWhole is_whole, std::vector<std::string>* dangling) {
  const auto elements = ByIndex(residual);
  std::set<uint64_t> put;
  for (const auto& [index, node] : elements) {
    if (is_whole(*node)) {
      const size_t at = std::min<size_t>(index, array->elements().size());
      put.insert(at);
      array->elements().insert(array->elements().begin() + static_cast<ptrdiff_t>(at),
                               WholeOf(*node));
    }
  }
  for (const auto& [index, node] : elements) {
    if (is_whole(*node)) {
      continue;
    }
    const std::string place = path + "/" + std::to_string(index);
    if (index < array->elements().size() && array->elements()[index].is_object() &&
        !put.contains(index)) {
      Insert(*node, place, &array->elements()[index], dangling);
    } else {
      dangling->push_back(place);
    }
  }
}

/// A call that the hub could not hold: it has no id, no name or no function.
bool IsWholeCall(const ResidualNode& call) {
  const ResidualNode* function = call.Find("function");
  return call.value || call.has("id") ||
         (function && (function->value || function->has("name") || function->has("arguments")));
}

/// A message of a role that makes no turn.
bool IsWholeMessage(const ResidualNode& message) {
  return message.value || message.has("role") || message.has("content");
}

/// The reader would have found a place for this member in `message`: it stood in another one, whose
/// index has changed.
bool IsOfAnotherRole(std::string_view key, std::string_view value, JsonNode& message) {
  const JsonNode* role = message.Find("role");
  return key == "reasoning_content" && value.front() == '"' && role != nullptr &&
         role->text() == R"("assistant")";
}

/// `/messages/3`.
bool IsHistory(std::string_view path) { return path.starts_with("/messages/"); }

void Insert(const ResidualNode& residual, const std::string& path, JsonNode* target,
            std::vector<std::string>* dangling) {
  for (const auto& [key, child] : residual.children) {
    const std::string place = path + "/" + key;
    JsonNode* member = target->Find(key);
    if (child.value) {
      if (IsHistory(path) && (member != nullptr || IsOfAnotherRole(key, *child.value, *target))) {
        dangling->push_back(place);
      } else if (member == nullptr) {
        target->Add(key, JsonNode(std::string(*child.value)));
      } else {
        *member = JsonNode(std::string(*child.value));
      }
      continue;
    }
    if (key == "tool_calls") {
      JsonNode made = JsonNode::Array();
      JsonNode& calls = member != nullptr ? *member : made;
      if (calls.is_array()) {
        InsertIntoArray(child, place, &calls, IsWholeCall, dangling);
      }
      if (member == nullptr && !made.empty()) {
        target->Add(key, std::move(made));
      }
      continue;
    }
    if (member == nullptr) {
      member = &target->Add(key, JsonNode());
    }
    if (member->is_object()) {
      Insert(child, place, member, dangling);
    } else {
      dangling->push_back(place);
    }
  }
}

/// What the pointers of a Storyline say about one row of its source file.
struct SourceRow {
  ResidualNode residuals;
  std::optional<int64_t> step;  // the residual `step_id`
  std::string first_pointer;
  uint64_t fields = 0;
};

/// Finds the row of the output that each source row became.
class RowMatcher {
 public:
  RowMatcher(std::vector<PlacedRow>& rows, uint64_t first_row)
      : rows_(rows), taken_(rows.size(), false), first_row_(first_row) {}

  /// The first row with that step which nothing else has taken.
  std::optional<size_t> ByStep(int64_t step) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].interaction && rows_[i].step_id == step && !taken_[i]) {
        taken_[i] = true;
        return i;
      }
    }
    return std::nullopt;
  }
  /// The session's rows follow each other in its file. In an export of that file they stand where
  /// they stood; otherwise the first row with a residual is taken for the session's first.
  void SetPlace(uint64_t lowest, uint64_t highest) {
    const bool same_place = lowest >= first_row_ && highest < first_row_ + rows_.size();
    begin_ = same_place ? first_row_ : lowest;
  }
  std::optional<size_t> ByPlace(uint64_t row) const {
    if (rows_.size() == 1 && rows_[0].interaction) {
      return 0;
    }
    if (row < begin_ || row - begin_ >= rows_.size()) {
      return std::nullopt;
    }
    const size_t index = static_cast<size_t>(row - begin_);
    return rows_[index].interaction ? std::optional<size_t>(index) : std::nullopt;
  }

 private:
  std::vector<PlacedRow>& rows_;
  std::vector<bool> taken_;
  uint64_t first_row_;
  uint64_t begin_ = 0;
};

/// The residuals of a row's messages without what could make one of them an answer.
ResidualNode WithoutSpeech(const ResidualNode& messages, std::vector<std::string>* dangling) {
  ResidualNode quiet = messages;
  for (auto& [index, message] : quiet.children) {
    for (const char* key : {"refusal", "tool_calls"}) {
      if (!IsWholeMessage(message) && message.children.erase(key) > 0) {
        dangling->push_back("/messages/" + index + "/" + key);
      }
    }
  }
  return quiet;
}

}  // namespace

const ResidualNode* ResidualNode::Find(std::string_view key) const {
  const auto found = children.find(key);
  return found == children.end() ? nullptr : &found->second;
}

JsonNode WholeOf(const ResidualNode& node) {
  if (node.value) {
    return JsonNode(std::string(*node.value));
  }
  JsonNode object;
  for (const auto& [key, child] : node.children) {
    object.Add(key, WholeOf(child));
  }
  return object;
}

Result<StorylineResiduals> SplitResiduals(std::span<const UnknownField> fields,
                                          std::span<const int64_t> steps, uint64_t first_row) {
  StorylineResiduals out;
  std::map<uint64_t, SourceRow> sources;
  for (const UnknownField& field : fields) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<std::string> tokens,
                                json::ParsePointer(field.pointer));
    uint64_t row = 0;
    if (tokens.size() < 3 || tokens[0] != "session_steps" || !json::PointerIndex(tokens[1], &row)) {
      Grow(out.root, tokens, field.value.text);
      continue;
    }
    SourceRow& source = sources[row];
    source.first_pointer = source.fields++ == 0 ? std::string(field.pointer) : source.first_pointer;
    Grow(source.residuals, std::span(tokens).subspan(2), field.value.text);
    int64_t step = 0;
    if (tokens.size() == 3 && tokens[2] == "step_id" &&
        json::ToInt64(json::RawFromText(field.value.text), &step)) {
      source.step = step;
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    out.rows.push_back({steps[i], i, {}});
  }
  // Rows that made no turn stand behind those of the same step.
  for (auto at = sources.begin(); at != sources.end();) {
    SourceRow& source = at->second;
    if (!source.residuals.has("session_id") || !source.residuals.has("step_id")) {
      ++at;
      continue;
    }
    const int64_t step = source.step.value_or(INT64_MAX);
    const auto behind =
        std::upper_bound(out.rows.begin(), out.rows.end(), step,
                         [](int64_t wanted, const PlacedRow& row) { return wanted < row.step_id; });
    out.rows.insert(behind, {step, std::nullopt, std::move(source.residuals)});
    at = sources.erase(at);
  }

  RowMatcher matcher(out.rows, first_row);
  uint64_t lowest = UINT64_MAX;
  uint64_t highest = 0;
  for (const auto& [row, source] : sources) {
    if (!source.step) {
      lowest = std::min(lowest, row);
      highest = row;
    }
  }
  matcher.SetPlace(lowest, highest);
  for (auto& [row, source] : sources) {
    const std::optional<size_t> target =
        source.step ? matcher.ByStep(*source.step) : matcher.ByPlace(row);
    if (target && out.rows[*target].residuals.children.empty()) {
      out.rows[*target].residuals = std::move(source.residuals);
    } else {
      out.first_misplaced = out.misplaced == 0 ? source.first_pointer : out.first_misplaced;
      out.misplaced += source.fields;
    }
  }
  return out;
}

void InsertResiduals(const ResidualNode& residuals, bool answer_speaks, JsonNode* row,
                     std::vector<std::string>* dangling) {
  ResidualNode rest;
  for (const auto& [key, child] : residuals.children) {
    const bool fixed =
        key == "session_id" || key == "step_id" || key == "messages" || key == "response";
    JsonNode* member = row->Find(key);
    if (!fixed || (child.value && member == nullptr)) {
      rest.children.emplace(key, child);
    } else if (child.value) {
      // The canonical member stays.
      if (key == "messages" || key == "response") {
        dangling->push_back("/" + key);
      }
    } else if (key == "messages" && member != nullptr && member->is_array()) {
      InsertIntoArray(answer_speaks ? child : WithoutSpeech(child, dangling), "/messages", member,
                      IsWholeMessage, dangling);
    } else {
      rest.children.emplace(key, child);
    }
  }
  Insert(rest, "", row, dangling);
}

void InsertRootResiduals(const ResidualNode& residuals, JsonNode* root) {
  for (const auto& [key, child] : residuals.children) {
    if (root->Find(key) == nullptr) {
      root->Add(key, WholeOf(child));
    }
  }
}

}  // namespace pchronicle::model::openai
