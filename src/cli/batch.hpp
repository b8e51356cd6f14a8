// Many inputs in one run: files and folders in, a document of each into a folder, on all processors and within the
// memory that one may take. A bad input is named and left out. The folder's batch.json lists every input with its
// result or the reason, and another run into the folder makes only what is new or changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/document.hpp"

namespace heapwright::cli {

struct BatchResult {
    std::optional<std::size_t> device = {};  // of an input that gives a result a device; stands in the file's name
    std::string text;
    std::string left_out = {};  // what of the input is not in it, and why; counts as a bad part
};

// An input that is no file.
struct BatchInput {
    std::string name;
    std::string stem;  // of its result's name
    std::function<Result<std::string>()> text;
};

struct BatchJob {
    std::vector<BatchInput> given = {};  // before the others
    std::vector<std::string> inputs;     // files and folders; "-" is standard input
    std::string done;                    // "imported"
    std::string ending;                  // of the results' names, behind that of the input: ".report.json"
    std::string recipe;                  // what of a result is not the input's: results of another recipe are made anew
    // The one kind of heapwright's own documents that is an input; of none, other tools' files are. Of a folder, those
    // of other kinds are passed over and counted, and where a kind is taken only *.json and the lines of *.ndjson read.
    std::optional<model::DocumentKind> takes = {};
    // Of inputs worked on side by side; none: as many as there are processors.
    std::optional<std::size_t> most_at_once = {};
    // The results of one input. Called from several threads at once.
    std::function<Result<std::vector<BatchResult>>(const std::string& text, const std::string& name)> make;
    // Each result with its input's name and position, those that were there among them, one at a time. Where no folder
    // is named nothing is kept, and this alone gets the results. Not called for the rest of an interrupted batch.
    std::function<Status(std::uint64_t position, const std::string& name, const std::string& result)> each = {};
};

// Its name in the folder of results.
inline constexpr const char* kBatchIndexFile = "batch.json";

// Whether these are several files, or a folder.
[[nodiscard]] bool is_batch(const std::vector<std::string>& inputs);

// Into the folder `output.file`, which only a job with `each` may lack. Then standard output gets a line, or with
// --json the index. All: 0, some: 5, none: 2; stopped by a signal: 4. The index is kept up while the batch runs, so
// that one that was killed is resumed. What an earlier run made of an input that gives it no more is taken away, unless
// somebody changed it.
[[nodiscard]] ExitCode run_batch(const BatchJob& job, const OutputOptions& output);

}  // namespace heapwright::cli
