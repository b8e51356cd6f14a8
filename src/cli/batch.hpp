// Many inputs in one run: files and folders in, a document of each into a folder, on all processors and within the
// memory that one may take. A bad input is named and left out. The folder's batch.json lists every input with its
// result or the reason, and another run into the folder makes only what is new or changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heapwright/cli/exit_code.hpp"
#include "heapwright/cli/options.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::cli {

struct BatchJob {
    std::vector<std::string> inputs;
    std::string done;    // "imported"
    std::string ending;  // of the results' names, behind that of the input: ".report.json"
    std::string recipe;  // what of a result is not the input's: results of another recipe are made anew
    // The document of one input. Called from several threads at once.
    std::function<Result<std::string>(const std::string& text, const std::string& name)> make;
};

// Whether these are several files, or a folder.
[[nodiscard]] bool is_batch(const std::vector<std::string>& inputs);

// Into the folder `output.file`; standard output gets a line, or with --json the index. All: 0, some: 5, none: 2;
// stopped by a signal: 4.
[[nodiscard]] ExitCode run_batch(const BatchJob& job, const OutputOptions& output);

}  // namespace heapwright::cli
