#include "tests/same_answer/documents.h"

#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {

MadeText MakeAny() {
  switch (Number(0, 8)) {
    case 0:
    case 1:
    case 2:
      return MakeAtif();
    case 3:
    case 4:
      return MakeOpenAi();
    case 5:
      return MakeActf();
    case 6:
      return MakeStoryline();
    case 7:
      return MakeChat();
    default:
      return MakeAgenticMd();
  }
}

}  // namespace pchronicle::same_answer
