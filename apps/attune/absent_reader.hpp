// Ends the program when nobody reads what it prints any more: `| head` has enough, or the program that started it died.
#pragma once

namespace attune::cli {

// Watches the pipe or socket that is standard output, from now to the end of the process; of other kinds of output it
// does nothing. When its last reader goes, a command that measures is interrupted as by a hang-up, which keeps the best
// so far; another command ends as by a write into a broken pipe.
void end_without_reader();

}  // namespace attune::cli
