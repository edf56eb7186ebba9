// A scan of files gives the same rows in the same order for any number of threads, and compressed
// files give those of their texts.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "pchronicle/catalog/test_dataset_test.h"
#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/reading.h"

namespace pchronicle::same_answer {
namespace {

using catalog::QueryScope;
using catalog::RelationScan;
using catalog::testing::TempDataset;
using Cells = std::vector<std::vector<std::string>>;

/// Rows of a scan that `threads` threads read, put together by task order (REL-14).
Cells ScanRows(const std::string& path, const catalog::ScanRequest& request, size_t threads) {
  const auto snapshot = catalog::testing::Take(path);
  const Context context;
  QueryScope scope(*snapshot, false, context);
  Cells rows;
  for (int pass = 0; pass < 2; ++pass) {
    auto scan = RelationScan::Create(scope, request);
    RC_ASSERT(scan.ok());
    std::mutex mutex;  // guards what follows
    std::map<uint64_t, Cells> by_order;
    std::string error;
    const auto work = [&] {
      while (true) {
        auto task = (*scan)->NextTask();
        if (!task.ok() || *task == nullptr) {
          return;
        }
        Cells part;
        while (true) {
          auto batch = (*task)->Next();
          if (!batch.ok()) {
            const std::lock_guard lock(mutex);
            error = batch.status().ToString();
            return;
          }
          if (*batch == nullptr) {
            break;
          }
          for (size_t row = 0; row < (*batch)->rows; ++row) {
            auto& cells = part.emplace_back();
            for (const columnar::Column& column : (*batch)->columns) {
              cells.push_back(CellText(column, row));
            }
          }
        }
        const std::lock_guard lock(mutex);
        by_order[(*task)->order()] = std::move(part);
      }
    };
    std::vector<std::thread> workers;
    for (size_t i = 1; i < threads; ++i) {
      workers.emplace_back(work);
    }
    work();
    for (std::thread& worker : workers) {
      worker.join();
    }
    RC_LOG() << error << "\n";
    RC_ASSERT(error.empty());
    rows.clear();
    for (auto& [order, part] : by_order) {
      std::move(part.begin(), part.end(), std::back_inserter(rows));
    }
    if (!scope.restart_requested()) {
      return rows;
    }
    scope.BeginRestart();
  }
  RC_FAIL("a third pass");
  return rows;
}

RC_GTEST_PROP(SameAnswerScan, ThreadsChangeNeitherRowsNorOrder_REL14, ()) {
  TempDataset dir;
  Dice::Seed(*rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<uint64_t>())));
  const int64_t files = Dice::Number(1, 5);
  for (int64_t i = 0; i < files; ++i) {
    MadeText made = MakeAny();
    while (made.format == model::Format::kAgenticMd) {
      made = MakeAny();  // no source of a folder
    }
    RC_LOG() << i << made.name << "\n" << made.text << "\n";
    dir.Write(fmt::format("{}/{}", i, made.name), made.text);
  }
  catalog::ScanRequest request;
  request.relation = RandomRelation();
  request.columns = AllColumns(request.relation);
  const Cells all = ScanRows(dir.path(), request, 1);
  RC_ASSERT(ScanRows(dir.path(), request, 4) == all);
  request.predicates = RandomPredicates(request.relation, all);
  request.columns = RandomColumns(request.relation, request.predicates);
  const Cells projected = ScanRows(dir.path(), request, 3);
  if (request.columns.empty()) {
    RC_ASSERT(projected.size() == all.size());
  } else {
    RC_ASSERT(Filter(projected, request.columns, request.predicates, request.relation) ==
              Filter(Project(all, request.columns), request.columns, request.predicates,
                     request.relation));
  }
}

}  // namespace
}  // namespace pchronicle::same_answer
