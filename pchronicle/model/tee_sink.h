#pragma once

#include <vector>

#include "pchronicle/model/sink.h"

namespace pchronicle::model {

/// Lets several sinks watch one walk: every call reaches every sink in the order they were added. A
/// sink must ignore turns of a document for which it answered kSkip, because another one may want
/// them. Not thread-safe.
class TeeSink final : public DocumentSink {
 public:
  void Add(DocumentSink& sink) { sinks_.push_back(&sink); }
  /// Keeps only the first sink from now on.
  void KeepFirst() { sinks_.resize(1); }

  /// kTurns when any sink wants them.
  Wish OnDocument(const Document& document) override;
  void OnTurn(const Document& document, const Turn& turn) override;
  void OnDocumentEnd(const Document& document) override;
  void OnRecordEnd() override;
  void OnDocumentLost(const Document& document) override;
  /// False when any sink says stop.
  bool OnProblem(Problem problem) override;
  void OnDiagnostic(const Document* document, std::string_view code, std::string_view pointer,
                    std::string_view example) override;

 private:
  std::vector<DocumentSink*> sinks_;
};

}  // namespace pchronicle::model
