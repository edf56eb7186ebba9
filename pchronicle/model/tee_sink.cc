#include "pchronicle/model/tee_sink.h"

namespace pchronicle::model {

DocumentSink::Wish TeeSink::OnDocument(const Document& document) {
  Wish wish = Wish::kSkip;
  for (DocumentSink* const sink : sinks_) {
    if (sink->OnDocument(document) == Wish::kTurns) {
      wish = Wish::kTurns;
    }
  }
  return wish;
}

void TeeSink::OnTurn(const Document& document, const Turn& turn) {
  for (DocumentSink* const sink : sinks_) {
    sink->OnTurn(document, turn);
  }
}

void TeeSink::OnDocumentEnd(const Document& document) {
  for (DocumentSink* const sink : sinks_) {
    sink->OnDocumentEnd(document);
  }
}

void TeeSink::OnRecordEnd() {
  for (DocumentSink* const sink : sinks_) {
    sink->OnRecordEnd();
  }
}

void TeeSink::OnDocumentLost(const Document& document) {
  for (DocumentSink* const sink : sinks_) {
    sink->OnDocumentLost(document);
  }
}

bool TeeSink::OnProblem(Problem problem) {
  bool go_on = true;
  for (DocumentSink* const sink : sinks_) {
    go_on = sink->OnProblem(problem) && go_on;
  }
  return go_on;
}

void TeeSink::OnDiagnostic(const Document* document, std::string_view code,
                           std::string_view pointer, std::string_view example) {
  for (DocumentSink* const sink : sinks_) {
    sink->OnDiagnostic(document, code, pointer, example);
  }
}

}  // namespace pchronicle::model
