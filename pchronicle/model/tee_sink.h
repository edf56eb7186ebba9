#pragma once

#include <cstddef>
#include <vector>

#include "pchronicle/model/sink.h"

namespace pchronicle::model {

/// Lets several sinks watch one walk: every call reaches every sink in the order they were added. A
/// sink must ignore turns of a document for which it answered kSkip, because another one may want
/// them. Not thread-safe.
class TeeSink final : public DocumentSink {
 public:
  void Add(DocumentSink& sink) { sinks_.push_back(&sink); }
  bool empty() const { return sinks_.empty(); }
  size_t size() const { return sinks_.size(); }
  /// Keeps only the first `count` sinks from now on; count <= size().
  void KeepFirst(size_t count) { sinks_.resize(count); }

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
