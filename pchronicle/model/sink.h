#pragma once

#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// Receives what a walker reads (D29). Calls come in the order the bytes stand in the source: a
/// parent's OnDocument, then in any mixture its turns and whole children, then its OnDocumentEnd;
/// OnRecordEnd after the root's. Views are valid during the call, those of a Document until
/// OnRecordEnd returned. Called from the thread that walks.
class DocumentSink {
 public:
  enum class Wish { kTurns, kSkip };

  virtual ~DocumentSink() = default;

  /// The members that stand in every row are known: session_id, and, if asked for, document_id,
  /// run_id, ordinal. kSkip: the walker need not read the turns (required members are still
  /// checked); children are asked on their own.
  virtual Wish OnDocument(const Document& document) = 0;
  virtual void OnTurn(const Document& document, const Turn& turn) = 0;
  /// All wanted members are known.
  virtual void OnDocumentEnd(const Document& document) = 0;
  /// Root and all children of one record are complete.
  virtual void OnRecordEnd() = 0;

  /// A document that OnDocument announced is given up; what came of it, and of its children, must
  /// not count.
  virtual void OnDocumentLost(const Document& document) = 0;

  /// A unit of input is lost; the walker goes on with the next one unless the sink says stop
  /// (false).
  virtual bool OnProblem(Problem problem) = 0;
  /// `document` is null for a note about the source itself.
  virtual void OnDiagnostic(const Document* document, std::string_view code,
                            std::string_view pointer, std::string_view example) = 0;
};

}  // namespace pchronicle::model
