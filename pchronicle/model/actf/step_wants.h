#pragma once

#include "pchronicle/model/fields.h"

namespace pchronicle::model::actf {

/// What has to be read of a step for a field mask; everything else is skipped.
struct StepWants {
  StepWants(FieldMask fields, bool is_strict)
      : strict(is_strict),
        residuals(fields.has(Field::kUnknown)),
        checks(is_strict || fields.has(Field::kDiagnostics)),
        message(checks || residuals || fields.has(Field::kMessage)),
        reasoning(checks || residuals || fields.has(Field::kReasoning)),
        started(fields.has(Field::kTimestamp)),
        finished(fields.has(Field::kTurnFinishedAt)),
        metrics(checks || fields.has(Field::kMetrics)),
        latency(fields.has_any(Field::kLatency | Field::kCallDuration)),
        turn_prompt(fields.has(Field::kTurnPrompt)),
        prompt(checks || residuals || fields.has_any(Field::kTurnPrompt | Field::kRootPrompt)),
        arguments(checks || residuals || fields.has(Field::kArguments)),
        result(fields.has(Field::kCallResult)),
        response(checks || residuals || fields.has(Field::kCallResponse)),
        calls(arguments || result || response ||
              fields.has_any(Field::kCalls | Field::kCallDuration | Field::kCallKind)),
        compare_tools(checks || residuals),
        observation(checks || residuals || fields.has(Field::kObservation)) {}

  bool strict;
  bool residuals;
  bool checks;
  bool message;
  bool reasoning;
  bool started;
  bool finished;
  bool metrics;
  bool latency;
  bool turn_prompt;
  bool prompt;
  bool arguments;
  bool result;
  bool response;
  bool calls;
  bool compare_tools;  // `tools` with `assistant_content.tool_calls`
  bool observation;
};

}  // namespace pchronicle::model::actf
