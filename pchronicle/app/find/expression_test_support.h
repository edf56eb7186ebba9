#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "pchronicle/app/find/expression.h"

namespace pchronicle::app::find_testing {

/// Texts with everything that could mislead a parser.
inline rc::Gen<std::string> AnyText() {
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "a", "B", " ", "(", ")", "\"", "'", "\\", "#", "$", ".", "=", ">", "AND", "or", "not",
          "\n", "\t", std::string(1, '\0'), "é", "中", "\U0001f600", "[", "]", "{", "}", "/"))),
      [](const std::vector<std::string>& parts) {
        std::string out;
        for (const std::string& part : parts) {
          out += part;
        }
        return out;
      });
}

inline rc::Gen<FindExpression> AnyLeaf() {
  return rc::gen::exec([] {
    FindExpression leaf;
    if (*rc::gen::inRange(0, 2) == 0) {
      leaf.text.field = static_cast<FindField>(*rc::gen::inRange(0, 11));
      leaf.text.text = *AnyText();
      return leaf;
    }
    leaf.kind = FindExpression::Kind::kJson;
    leaf.json.op = static_cast<FindOperator>(*rc::gen::inRange(0, 6));
    if (*rc::gen::inRange(0, 2) == 0) {
      leaf.json.column = *rc::gen::element<std::string>("extra", "metrics", "agent_extra");
    }
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      JsonPath::Segment& segment = leaf.json.path.segments.emplace_back();
      segment.is_index = *rc::gen::inRange(0, 2) == 0;
      if (segment.is_index) {
        segment.index = static_cast<uint64_t>(*rc::gen::inRange(0, 1000));
      } else {
        segment.key = *rc::gen::oneOf(AnyText(), rc::gen::element<std::string>("a", "b_1", ""));
      }
    }
    const std::string number = *rc::gen::element<std::string>("0", "-1", "3.50", "1e400",
                                                              "123456789012345678901234567890");
    if (IsRange(leaf.json.op) || *rc::gen::inRange(0, 2) == 0) {
      leaf.json.value = number;
    } else if (*rc::gen::inRange(0, 2) == 0) {
      json::AppendQuoted(*AnyText(), leaf.json.value);
    } else {
      leaf.json.value = *rc::gen::element<std::string>("true", "null", "[]", R"x({"a":[1,")"]})x",
                                                       R"(["x y",{"k":null}])");
    }
    return leaf;
  });
}

/// A tree of at most `depth` levels.
inline rc::Gen<FindExpression> AnyExpression(int depth) {
  return rc::gen::exec([depth]() -> FindExpression {
    const int kind = depth <= 1 ? 0 : *rc::gen::inRange(0, 4);
    if (kind == 0) {
      return *AnyLeaf();
    }
    if (kind == 1) {
      return Not(*AnyExpression(depth - 1));
    }
    std::vector<FindExpression> children;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      children.push_back(*AnyExpression(depth - 1));
    }
    return kind == 2 ? AllOf(std::move(children)) : AnyOf(std::move(children));
  });
}

}  // namespace pchronicle::app::find_testing
