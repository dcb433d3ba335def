// Ends the program with the one that started it and reads what it prints, where that program wishes so. By itself
// attune goes on without a reader, because a search is worth more than what it prints.
#pragma once

namespace attune::cli {

// If $ATTUNE_WITHOUT_READER is `end`, watches the pipe or socket that is standard output, from now to the end of the
// process. When its last reader goes, a command that measures is interrupted as by a hang-up, which keeps the best so
// far; another command ends as by a write into a broken pipe.
void end_without_reader();

}  // namespace attune::cli
