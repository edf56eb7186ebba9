#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/sink.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

/// Collects whole documents: the hub as a sink. Text is copied, cells minified with lone surrogates
/// kept as written. Documents come out in the order their objects open (pre-order of subtrees). Not
/// thread-safe.
class HubSink final : public DocumentSink {
 public:
  HubSink();
  ~HubSink() override;
  Wish OnDocument(const Document& document) override;
  void OnTurn(const Document& document, const Turn& turn) override;
  void OnDocumentEnd(const Document& document) override;
  void OnRecordEnd() override;
  void OnDocumentLost(const Document& document) override;
  bool OnProblem(Problem problem) override;
  void OnDiagnostic(const Document* document, std::string_view code, std::string_view pointer,
                    std::string_view example) override;

  /// Documents of finished records so far, handed over.
  std::vector<Storyline> Take();
  const std::vector<Problem>& problems() const;  // the first ones, as FirstProblems keeps them
  uint64_t problems_left_out() const;
  /// A problem said that nothing of the source counts.
  bool lost_source() const;
  const Diagnostics& diagnostics() const;
  /// OnProblem answers this; false (default): the first problem stops the walker.
  void set_keep_going(bool keep_going);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a whole input into Storylines. The first problem is the error (context: its location).
Result<std::vector<Storyline>> Decode(Format format, const json::ByteInput& input,
                                      WalkOptions options, Diagnostics* diagnostics = nullptr);

/// The same with the problems beside what was usable (formats.md 1.7). Runs again when a walker
/// asks for it (STL-127).
struct Decoded {
  std::vector<Storyline> storylines;
  std::vector<Problem> problems;  // the first ones, as FirstProblems keeps them
  uint64_t problems_left_out = 0;
  Diagnostics diagnostics;
};
/// `keep_going` false: stops at the first problem.
Result<Decoded> DecodeAll(Format format, const json::ByteInput& input, const WalkOptions& options,
                          bool keep_going);

/// Deep copy of the parts a sink was given. `sidecar` stays the caller's.
Turn CopyTurn(const Turn& turn, Arena& arena);
Document CopyDocument(const Document& document, Arena& arena);
/// The minified cell of a value (D6), lone surrogates as written, owned by the arena.
json::Raw CopyCell(const json::Raw& raw, Arena& arena);

}  // namespace pchronicle::model
