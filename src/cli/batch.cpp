#include "heapwright/cli/batch.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "heapwright/cli/output.hpp"
#include "heapwright/compare/reading_room.hpp"
#include "heapwright/compare/report_source.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/folder_lock.hpp"
#include "heapwright/core/hash.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/parallel.hpp"
#include "heapwright/core/path.hpp"
#include "heapwright/core/printable.hpp"

namespace heapwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexFile = "batch.json";

struct Entry {
    std::uint64_t position = 0;
    std::string source;
    std::string hash;             // of its text; empty where it could not be read
    std::string result;           // the file's name in the folder
    std::optional<Error> reason;  // of no result
    bool was_there = false;
};

using IndexJson = nlohmann::ordered_json;

// What an earlier run of the same recipe made, by source. An index that cannot be read is none.
std::map<std::string, Entry> earlier_entries(const fs::path& folder, const std::string& recipe) {
    std::map<std::string, Entry> entries;
    const auto text = read_file(folder / kIndexFile);
    if (!text) return entries;
    const IndexJson index = IndexJson::parse(*text, nullptr, false);
    if (!index.is_object() || index.value("recipe", IndexJson()) != IndexJson(recipe)) return entries;
    const auto of = [](const IndexJson& entry, const char* key) {
        const IndexJson value = entry.is_object() ? entry.value(key, IndexJson()) : IndexJson();
        return value.is_string() ? value.get<std::string>() : std::string();
    };
    for (const IndexJson& entry : index.value("inputs", IndexJson::array())) {
        Entry earlier{.source = of(entry, "source"), .hash = of(entry, "hash"), .result = of(entry, "result")};
        if (!earlier.result.empty()) entries.emplace(earlier.source, std::move(earlier));
    }
    return entries;
}

class Batch {
public:
    Batch(const BatchJob& job, const OutputOptions& output)
        : job_(job), output_(output), folder_(path_of(output.file)), progress_(output) {}

    Result<ExitCode> run() {
        if (output_.file.empty() || output_.file == "-") {
            return fail(ErrorCode::kInvalidArgument, "several files give several documents: -o FOLDER keeps them");
        }
        std::error_code error;
        fs::create_directories(folder_, error);
        if (!fs::is_directory(folder_)) {
            return fail(ErrorCode::kIoError, error ? error.message() : "is no folder", output_.file);
        }
        HEAPWRIGHT_ASSIGN(const FolderLock lock, FolderLock::take(folder_));
        HEAPWRIGHT_ASSIGN(compare::ReportSource source,
                          compare::ReportSource::open(job_.inputs, compare::SourceFiles::kAny));
        earlier_ = earlier_entries(folder_, job_.recipe);
        const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
        for_each_index(threads, threads, [&](std::size_t) { work(source); });
        HEAPWRIGHT_TRY(failed_);
        if (entries_.empty() && !interrupted()) {
            return fail(ErrorCode::kInvalidArgument, "no file to read is in it", job_.inputs.front());
        }
        std::ranges::sort(entries_, {}, &Entry::position);
        HEAPWRIGHT_TRY(tell());
        if (interrupted()) return ExitCode::kInconclusive;
        const auto lost = static_cast<std::size_t>(
            std::ranges::count_if(entries_, [](const Entry& entry) { return entry.reason.has_value(); }));
        if (lost == entries_.size()) return ExitCode::kUsage;
        return lost == 0 ? ExitCode::kGood : ExitCode::kPartlyFailed;
    }

private:
    struct Input {
        Entry entry;
        std::string text;
    };

    void work(compare::ReportSource& source) {
        while (!interrupted()) {
            std::optional<Input> input = take(source);
            if (!input) return;
            Status kept = make(*input);
            const std::lock_guard lock(mutex_);
            if (!kept) failed_ = std::move(kept);
            if (!failed_) return;
            entries_.push_back(std::move(input->entry));
            progress_.show(job_.done, static_cast<double>(entries_.size()) / static_cast<double>(source.file_count()));
        }
    }

    // One at a time, so that names do not depend on the threads.
    std::optional<Input> take(compare::ReportSource& source) {
        const std::lock_guard lock(taking_);
        for (;;) {
            auto sourced = source.next();
            if (!sourced) return std::nullopt;
            if (is_own(path_of(sourced->name))) continue;
            Input input;
            input.entry.position = sourced->position;
            input.entry.source = sourced->name;
            if (sourced->text) {
                input.entry.hash = hash_hex(*sourced->text);
                input.entry.result = result_name(input.entry);
                input.text = std::move(*sourced->text);
            } else {
                input.entry.reason = sourced->text.error();
            }
            return input;
        }
    }

    // What an earlier run left in a folder that is an input, too.
    [[nodiscard]] bool is_own(const fs::path& path) const {
        std::error_code ignored;
        return fs::equivalent(path.parent_path(), folder_, ignored) &&
               (path.filename() == kIndexFile || path_text(path.filename()).ends_with(job_.ending));
    }

    std::string result_name(const Entry& entry) {
        const std::string stem = path_text(path_of(entry.source).stem());
        std::string name = stem + job_.ending;
        for (int copy = 1; !names_.insert(name).second; ++copy) {
            name = fmt::format("{}-{}{}{}", stem, entry.hash.substr(0, 8), copy == 1 ? "" : fmt::format("-{}", copy),
                               job_.ending);
        }
        return name;
    }

    // Errors: of the folder; those of the input are the entry's.
    Status make(Input& input) {
        Entry& entry = input.entry;
        if (entry.reason) return {};
        const auto before = earlier_.find(entry.source);
        std::error_code ignored;
        entry.was_there = before != earlier_.end() && before->second.hash == entry.hash &&
                          before->second.result == entry.result && fs::is_regular_file(folder_ / entry.result, ignored);
        if (entry.was_there) return {};
        const compare::Seat seat(room_, input.text.size());
        auto document = job_.make(input.text, entry.source);
        if (document) return write_file_atomically(folder_ / path_of(entry.result), *document);
        entry.reason = std::move(document.error());
        return {};
    }

    // The index, each input without a result, and how many there are of which kind.
    Status tell() {
        std::size_t made = 0;
        std::size_t there = 0;
        std::size_t skipped = 0;
        IndexJson index{{"recipe", job_.recipe}, {"inputs", IndexJson::array()}};
        for (const Entry& entry : entries_) {
            IndexJson listed{{"source", printable(entry.source)}};
            if (!entry.hash.empty()) listed["hash"] = entry.hash;
            if (entry.reason) {
                ++skipped;
                print_error(*entry.reason);
                listed["reason"] = printable(to_string(*entry.reason));
            } else {
                ++(entry.was_there ? there : made);
                listed["result"] = printable(entry.result);
            }
            index["inputs"].push_back(std::move(listed));
        }
        const std::string words =
            fmt::format("{} {} into {}{}{}\n", job_.done, counted(made, "file"), printable(output_.file),
                        there == 0 ? "" : fmt::format("; {} there already", there),
                        skipped == 0 ? "" : fmt::format("; {} skipped, with the reason in {}", skipped, kIndexFile));
        const std::string document = index.dump(2) + "\n";
        HEAPWRIGHT_TRY(write_file_atomically(folder_ / kIndexFile, document));
        if (output_.json) return write_output(document, "");
        return output_.quiet ? Status{} : write_text(words, "");
    }

    const BatchJob& job_;
    const OutputOptions& output_;
    fs::path folder_;
    Progress progress_;
    std::map<std::string, Entry> earlier_;
    compare::ReadingRoom room_;
    std::mutex taking_;
    std::set<std::string> names_;
    std::mutex mutex_;  // of what follows
    std::vector<Entry> entries_;
    Status failed_;
};

}  // namespace

bool is_batch(const std::vector<std::string>& inputs) {
    std::error_code ignored;
    return inputs.size() > 1 || (inputs.size() == 1 && fs::is_directory(path_of(inputs.front()), ignored));
}

ExitCode run_batch(const BatchJob& job, const OutputOptions& output) {
    const auto code = Batch(job, output).run();
    return code ? *code : report_error(code.error());
}

}  // namespace heapwright::cli
