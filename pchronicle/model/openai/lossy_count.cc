#include "pchronicle/model/openai/lossy_count.h"

#include "pchronicle/model/openai/corpus_keys.h"
#include "pchronicle/model/openai/message_writer.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

class Counter {
 public:
  explicit Counter(EncodeReport& report) : report_(report) {}
  void Add(bool lost, const char* field) {
    if (lost) {
      ++report_.lossy[field];
    }
  }

 private:
  EncodeReport& report_;
};

void CountTurn(const Turn& turn, bool from_corpus, Counter& counter) {
  const bool answer = turn.source == "agent" && !turn.copied.value_or(false);
  counter.Add(turn.llm_calls.has_value() && !(answer && *turn.llm_calls == 1), "nllm");
  counter.Add(turn.effort.has_value(), "effort");
  counter.Add(turn.extra.has_value(), "turn.extra");
  counter.Add(turn.prompt.has_value(), "turn.prompt");
  counter.Add(turn.finished_at.scalar.present() || turn.finished_at.nanoseconds.has_value(),
              "turn.finished_at");
  counter.Add(!answer && turn.metrics.has_value(), "metrics");
  counter.Add(!answer && turn.env.has_value(), "env");
  counter.Add(!answer && turn.reasoning.has_value() && turn.source != "agent", "reason");
  counter.Add(!answer && turn.source != "agent" && !turn.calls.empty(), "tool_calls");
  counter.Add(turn.source == "user" && turn.observation.has_value(), "observation");
  // What the reader derives says nothing of its own.
  counter.Add(!from_corpus && turn.kind.has_value() && turn.kind != "dialogue" &&
                  turn.kind != "autonomous" && turn.kind != "llm.request" &&
                  turn.kind != "llm.response" && turn.kind != "context",
              "kind");
  for (const ToolCall& call : turn.calls) {
    counter.Add(call.result.has_value(), "tool_calls.result");
    counter.Add(call.extra.has_value(), "tool_calls.extra");
    counter.Add(call.response.has_value(), "tool_calls.response");
    counter.Add(call.kind.has_value(), "tool_calls.kind");
    counter.Add(call.duration_ms.has_value(), "tool_calls.duration_ms");
  }
}

}  // namespace

void CountLost(const Storyline& storyline, EncodeReport& report) {
  Counter counter(report);
  const Document& document = storyline.document;
  const bool from_corpus = document.origin_format == kHubName;
  counter.Add(document.trajectory_id.has_value(), "trajectory");
  counter.Add(document.attempt_id.has_value(), "attempt_id");
  counter.Add(document.agent_name && *document.agent_name != document.agent_id, "agent.name");
  counter.Add(document.agent_version.has_value(), "agent.ver");
  counter.Add(document.agent_tools.has_value(), "agent.tools");
  counter.Add(document.agent_extra.has_value(), "agent.extra");
  counter.Add(document.notes.has_value(), "notes");
  counter.Add(document.parent.has_value(), "parent");
  counter.Add(document.children.has_value(), "children");
  counter.Add(FindMember(document.task, "result").has_value(), "task.result");
  counter.Add(FindMember(document.task, "llm").has_value(), "task.llm");
  counter.Add(document.prompt.has_value(), "prompt");
  counter.Add(document.meta.has_value(), "meta");
  counter.Add(document.extra.has_value(), "extra");
  counter.Add(document.continued_ref.has_value(), "continued_trajectory_ref");
  counter.Add(document.started_at.scalar.present() || document.started_at.nanoseconds.has_value(),
              "started_at");
  counter.Add(document.finished_at.scalar.present() || document.finished_at.nanoseconds.has_value(),
              "finished_at");
  const Turn* last_answer = nullptr;
  for (const Turn& turn : storyline.turns) {
    CountTurn(turn, from_corpus, counter);
    last_answer = turn.source == "agent" ? &turn : last_answer;
  }
  counter.Add(document.final_metrics.has_value() &&
                  (last_answer == nullptr ||
                   CellOrNull(last_answer->metrics) != CellOrNull(document.final_metrics)),
              "final_metrics");
}

}  // namespace pchronicle::model::openai
