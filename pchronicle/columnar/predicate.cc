#include "pchronicle/columnar/predicate.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace pchronicle::columnar {
namespace {

std::string ScalarText(const Scalar& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::string>) {
          std::string out = "'";
          for (const char c : v) {
            out += c == '\'' ? "''" : std::string(1, c);
          }
          return out + "'";
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

constexpr std::string_view OpText(CompareOp op) {
  constexpr std::string_view kTexts[] = {"=", "<>", "<", "<=", ">", ">="};
  return kTexts[static_cast<size_t>(op)];
}

PredicatePtr Make(Predicate::Kind kind, std::vector<PredicatePtr> children) {
  Predicate out;
  out.kind = kind;
  out.children = std::move(children);
  return std::make_shared<const Predicate>(std::move(out));
}

PredicatePtr MakeLeaf(Predicate::Kind kind, std::string path, std::vector<Scalar> values,
                      CompareOp op = CompareOp::kEq) {
  Predicate out;
  out.kind = kind;
  out.path = std::move(path);
  out.values = std::move(values);
  out.op = op;
  return std::make_shared<const Predicate>(std::move(out));
}

void CollectPaths(const Predicate& predicate, std::set<std::string, std::less<>>* out) {
  if (!predicate.path.empty()) {
    out->insert(predicate.path);
  }
  for (const PredicatePtr& child : predicate.children) {
    CollectPaths(*child, out);
  }
}

Truth NotOf(Truth a) {
  return a == Truth::kNull ? a : a == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}
Truth AndOf(Truth a, Truth b) {
  return a == Truth::kFalse || b == Truth::kFalse ? Truth::kFalse
         : a == Truth::kNull || b == Truth::kNull ? Truth::kNull
                                                  : Truth::kTrue;
}
Truth OrOf(Truth a, Truth b) { return NotOf(AndOf(NotOf(a), NotOf(b))); }

Result<Truths> EvaluateContains(const Array& list, const Scalar& value) {
  if (!IsListLike(list.type->id) && list.type->id != TypeId::kFixedSizeList) {
    return Status::InvalidArgument("{} is no list", ToString(*list.type));
  }
  const Array& items = *list.children.at(0);
  PCHRONICLE_ASSIGN_OR_RETURN(const Truths hits, EvaluateCompare(items, CompareOp::kEq, value));
  Truths out(static_cast<size_t>(list.length), Truth::kFalse);
  for (int64_t i = 0; i < list.length; ++i) {
    Truth& truth = out[static_cast<size_t>(i)];
    if (list.IsNull(i)) {
      truth = Truth::kNull;
      continue;
    }
    const bool fixed = list.type->id == TypeId::kFixedSizeList;
    const int64_t begin = fixed ? i * list.type->width : list.Offset(i);
    const int64_t end = fixed ? begin + list.type->width : list.Offset(i + 1);
    for (int64_t k = begin; k < end && truth != Truth::kTrue; ++k) {
      // An item that is null is no hit, and makes no answer unknown: `contains` looks for a value.
      if (hits[static_cast<size_t>(k)] == Truth::kTrue) {
        truth = Truth::kTrue;
      }
    }
  }
  return out;
}

Result<Truths> EvaluateLeaf(const Predicate& predicate, const Array& array) {
  switch (predicate.kind) {
    case Predicate::Kind::kCompare:
      return EvaluateCompare(array, predicate.op, predicate.values.at(0));
    case Predicate::Kind::kIn:
      return EvaluateIn(array, predicate.values);
    case Predicate::Kind::kContains:
      return EvaluateContains(array, predicate.values.at(0));
    default: {
      Truths out(static_cast<size_t>(array.length));
      for (int64_t i = 0; i < array.length; ++i) {
        out[static_cast<size_t>(i)] = array.IsNull(i) ? Truth::kTrue : Truth::kFalse;
      }
      return out;
    }
  }
}

}  // namespace

PredicatePtr Compare(std::string path, CompareOp op, Scalar value) {
  std::vector<Scalar> values;
  values.push_back(std::move(value));
  return MakeLeaf(Predicate::Kind::kCompare, std::move(path), std::move(values), op);
}
PredicatePtr In(std::string path, std::vector<Scalar> values) {
  return MakeLeaf(Predicate::Kind::kIn, std::move(path), std::move(values));
}
PredicatePtr IsNull(std::string path) {
  return MakeLeaf(Predicate::Kind::kIsNull, std::move(path), {});
}
PredicatePtr Contains(std::string path, Scalar value) {
  std::vector<Scalar> values;
  values.push_back(std::move(value));
  return MakeLeaf(Predicate::Kind::kContains, std::move(path), std::move(values));
}
PredicatePtr And(std::vector<PredicatePtr> children) {
  return Make(Predicate::Kind::kAnd, std::move(children));
}
PredicatePtr Or(std::vector<PredicatePtr> children) {
  return Make(Predicate::Kind::kOr, std::move(children));
}
PredicatePtr Not(PredicatePtr child) {
  std::vector<PredicatePtr> children;
  children.push_back(std::move(child));
  return Make(Predicate::Kind::kNot, std::move(children));
}

std::set<std::string, std::less<>> Paths(const Predicate& predicate) {
  std::set<std::string, std::less<>> out;
  CollectPaths(predicate, &out);
  return out;
}

std::string ToString(const Predicate& predicate) {
  switch (predicate.kind) {
    case Predicate::Kind::kCompare:
      return fmt::format("{} {} {}", predicate.path, OpText(predicate.op),
                         ScalarText(predicate.values.at(0)));
    case Predicate::Kind::kIn: {
      std::string list;
      for (const Scalar& value : predicate.values) {
        list += (list.empty() ? "" : ", ") + ScalarText(value);
      }
      return fmt::format("{} IN ({})", predicate.path, list);
    }
    case Predicate::Kind::kIsNull:
      return predicate.path + " IS NULL";
    case Predicate::Kind::kContains:
      return fmt::format("contains({}, {})", predicate.path, ScalarText(predicate.values.at(0)));
    case Predicate::Kind::kNot:
      return "NOT " + ToString(*predicate.children.at(0));
    case Predicate::Kind::kAnd:
    case Predicate::Kind::kOr:
      break;
  }
  const bool conjunction = predicate.kind == Predicate::Kind::kAnd;
  if (predicate.children.empty()) {
    return conjunction ? "true" : "false";
  }
  std::string out = "(";
  for (const PredicatePtr& child : predicate.children) {
    out += (out.size() == 1 ? "" : conjunction ? " AND " : " OR ") + ToString(*child);
  }
  return out + ")";
}

Result<Truths> Evaluate(const Predicate& predicate, const ColumnSource& columns, int64_t rows) {
  using Kind = Predicate::Kind;
  if (predicate.kind == Kind::kNot) {
    PCHRONICLE_ASSIGN_OR_RETURN(Truths out, Evaluate(*predicate.children.at(0), columns, rows));
    std::transform(out.begin(), out.end(), out.begin(), NotOf);
    return out;
  }
  if (predicate.kind == Kind::kAnd || predicate.kind == Kind::kOr) {
    const bool conjunction = predicate.kind == Kind::kAnd;
    Truths out(static_cast<size_t>(rows), conjunction ? Truth::kTrue : Truth::kFalse);
    for (const PredicatePtr& child : predicate.children) {
      PCHRONICLE_ASSIGN_OR_RETURN(const Truths more, Evaluate(*child, columns, rows));
      std::transform(out.begin(), out.end(), more.begin(), out.begin(), conjunction ? AndOf : OrOf);
    }
    return out;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const ArrayPtr array, columns(predicate.path));
  Result<Truths> out = EvaluateLeaf(predicate, *array);
  if (!out.ok()) {
    return out.status().WithContext(predicate.path);
  }
  PCHRONICLE_CHECK(out->size() == static_cast<size_t>(rows));
  return out;
}

std::vector<int64_t> SelectedRows(const Truths& truths) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < truths.size(); ++i) {
    if (truths[i] == Truth::kTrue) {
      out.push_back(static_cast<int64_t>(i));
    }
  }
  return out;
}

}  // namespace pchronicle::columnar
