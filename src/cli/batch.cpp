#include "cli/batch.hpp"

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

#include "cli/output.hpp"
#include "compare/documents.hpp"
#include "compare/reading_room.hpp"
#include "core/clock.hpp"
#include "core/file.hpp"
#include "core/folder_lock.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kIndexEveryNs = 2'000'000'000;
constexpr const char* kOwnDocuments = "urn:heapwright:schema:";

struct Kept {
    std::string file;  // its name in the folder
    std::optional<std::size_t> device;
    std::string hash;  // of its bytes
    std::string left_out;
};

struct Entry {
    std::uint64_t position = 0;
    std::string source;
    std::string hash;  // of its text; empty where it could not be read
    std::string stem;  // of the results' names
    std::vector<Kept> results;
    std::optional<Error> reason;  // of no result
    bool was_there = false;
};

using IndexJson = nlohmann::ordered_json;

std::string text_of(const IndexJson& object, const char* key) {
    const IndexJson value = object.is_object() ? object.value(key, IndexJson()) : IndexJson();
    return value.is_string() ? value.get<std::string>() : std::string();
}

// What an earlier run made. An index that cannot be read is none.
struct EarlierRun {
    std::string recipe;
    std::map<std::string, Entry> entries;  // by source
};

EarlierRun earlier_run(const fs::path& folder) {
    EarlierRun run;
    const auto text = read_file(folder / kBatchIndexFile);
    if (!text) return run;
    const IndexJson index = IndexJson::parse(*text, nullptr, false);
    run.recipe = text_of(index, "recipe");
    const IndexJson inputs = index.is_object() ? index.value("inputs", IndexJson::array()) : IndexJson::array();
    for (const IndexJson& input : inputs) {
        Entry earlier{.source = text_of(input, "source"), .hash = text_of(input, "hash")};
        if (!input.is_object()) continue;
        const IndexJson results = input.value("results", IndexJson::array());
        for (const IndexJson& result : results) {
            Kept kept{.file = text_of(result, "file"),
                      .device = {},
                      .hash = text_of(result, "hash"),
                      .left_out = text_of(result, "left_out")};
            const IndexJson device = result.is_object() ? result.value("device", IndexJson()) : IndexJson();
            if (device.is_number_unsigned()) kept.device = device.get<std::size_t>();
            // An index that somebody made names nothing outside the folder.
            const fs::path file = path_of(kept.file);
            if (!kept.file.empty() && file == file.filename()) earlier.results.push_back(std::move(kept));
        }
        if (!earlier.results.empty()) run.entries.emplace(earlier.source, std::move(earlier));
    }
    return run;
}

IndexJson as_json(const Entry& entry) {
    IndexJson listed{{"source", printable(entry.source)}};
    if (!entry.hash.empty()) listed["hash"] = entry.hash;
    if (entry.reason) listed["reason"] = printable(to_string(*entry.reason));
    for (const Kept& result : entry.results) {
        IndexJson kept{{"file", printable(result.file)}};
        if (result.device) kept["device"] = *result.device;
        kept["hash"] = result.hash;
        if (!result.left_out.empty()) kept["left_out"] = printable(result.left_out);
        listed["results"].push_back(std::move(kept));
    }
    return listed;
}

class Batch {
public:
    Batch(const BatchJob& job, const OutputOptions& output)
        : job_(job),
          output_(output),
          folder_(output.file == "-" ? fs::path() : path_of(output.file)),
          named_(job.inputs.begin(), job.inputs.end()),
          progress_(output) {}

    Result<ExitCode> run() {
        std::optional<FolderLock> lock;
        if (keeps()) {
            std::error_code error;
            fs::create_directories(folder_, error);
            if (!is_folder(folder_)) {
                return fail(ErrorCode::kIoError, error ? error.message() : "is no folder", output_.file);
            }
            HEAPWRIGHT_ASSIGN(lock, FolderLock::take(folder_));
        } else if (!job_.each) {
            return fail(ErrorCode::kInvalidArgument, "several files give several documents: -o FOLDER keeps them");
        }
        HEAPWRIGHT_ASSIGN(compare::ReportSource source, open_files());
        if (keeps()) earlier_ = earlier_run(folder_);
        const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
        const std::size_t threads = std::min(processors, job_.most_at_once.value_or(processors));
        for_each_index(threads, threads, [&](std::size_t) { work(source); });
        HEAPWRIGHT_TRY(failed_);
        if (entries_.empty() && !interrupted()) {
            return fail(ErrorCode::kInvalidArgument, "no file to read is in it" + of_other_kinds(),
                        job_.inputs.front());
        }
        HEAPWRIGHT_TRY(tell());
        if (interrupted()) return ExitCode::kInconclusive;
        take_away_stale();
        if (job_.each && keeps()) HEAPWRIGHT_TRY(show_each());
        const auto lost = static_cast<std::size_t>(
            std::ranges::count_if(entries_, [](const Entry& entry) { return entry.reason.has_value(); }));
        if (lost == entries_.size()) return ExitCode::kUsage;
        const bool is_whole = std::ranges::all_of(entries_, [](const Entry& entry) {
            return std::ranges::all_of(entry.results, [](const Kept& result) { return result.left_out.empty(); });
        });
        return lost == 0 && is_whole ? ExitCode::kGood : ExitCode::kPartlyFailed;
    }

private:
    // The files there are; those that are not there are bad inputs like others.
    Result<compare::ReportSource> open_files() {
        given_ = job_.given;
        std::vector<std::string> files;
        for (const std::string& input : job_.inputs) {
            std::error_code ignored;
            if (input == "-") {
                given_.push_back(
                    {.name = "standard input", .stem = "standard-input", .text = [] { return read_standard_input(); }});
            } else if (fs::exists(path_of(input), ignored)) {
                files.push_back(input);
            } else {
                given_.push_back({.name = input, .stem = {}, .text = [input]() -> Result<std::string> {
                                      return fail(ErrorCode::kIoError, "does not exist", input);
                                  }});
            }
        }
        return compare::ReportSource::open(files,
                                           job_.takes ? compare::SourceFiles::kReports : compare::SourceFiles::kAny);
    }

    // A folder holds the results; else the job alone gets them.
    [[nodiscard]] bool keeps() const { return !folder_.empty(); }

    struct Input {
        Entry entry;
        std::string text;
        bool reached = true;
    };

    void work(compare::ReportSource& source) {
        while (!interrupted()) {
            std::optional<Input> input = take(source);
            if (!input) return;
            Status kept = make(*input);
            const std::lock_guard lock(mutex_);
            if (!kept) failed_ = std::move(kept);
            if (!failed_ || !input->reached) return;
            entries_.push_back(std::move(input->entry));
            if (const std::uint64_t now_ns = SteadyClock().now_ns();
                keeps() && (!indexed_ns_ || now_ns - *indexed_ns_ > kIndexEveryNs)) {
                failed_ = write_index();
                indexed_ns_ = now_ns;
            }
            progress_.show(job_.done, static_cast<double>(entries_.size()) / static_cast<double>(source.file_count()));
        }
    }

    // One at a time, so that names do not depend on the threads.
    std::optional<Input> take(compare::ReportSource& source) {
        const std::lock_guard lock(taking_);
        if (next_given_ < given_.size()) {
            const std::size_t position = next_given_++;
            const BatchInput& given = given_[position];
            return as_input(position, given.name, given.stem, given.text());
        }
        for (;;) {
            auto sourced = source.next();
            if (!sourced) return std::nullopt;
            if (is_own(path_of(sourced->name))) continue;
            if (is_of_another_kind(*sourced)) {
                ++others_;
                continue;
            }
            return as_input(given_.size() + sourced->position, sourced->name, path_text(path_of(sourced->name).stem()),
                            std::move(sourced->text));
        }
    }

    Input as_input(std::uint64_t position, const std::string& name, const std::string& stem, Result<std::string> text) {
        Input input;
        input.entry.position = position;
        input.entry.source = name;
        if (!text) {
            input.entry.reason = std::move(text.error());
            return input;
        }
        input.entry.hash = hash_hex(*text);
        input.entry.stem = stem_of(stem, input.entry.hash);
        input.text = std::move(*text);
        return input;
    }

    // What an earlier run left in a folder that is an input, too.
    [[nodiscard]] bool is_own(const fs::path& path) const {
        std::error_code ignored;
        return keeps() && fs::equivalent(path.parent_path(), folder_, ignored) &&
               (path.filename() == kBatchIndexFile || path_text(path.filename()).ends_with(job_.ending));
    }

    // A file that was named itself is read, whatever it is.
    bool is_of_another_kind(const compare::SourcedText& sourced) {
        if (!sourced.text || named_.contains(sourced.name)) return false;
        if (path_of(sourced.name).filename() == kBatchIndexFile) return true;
        // Other tools' JSON is an input where no kind of ours is.
        if (!job_.takes && sourced.text->find(kOwnDocuments) == std::string::npos) return false;
        const compare::Seat seat(room_, sourced.text->size());
        const auto kind = model::document_kind(*sourced.text, sourced.name);
        if (kind) return job_.takes != *kind;
        return job_.takes && kind.error().code == ErrorCode::kSchemaViolation;  // JSON, and no document of ours
    }

    // "game.report" gives "game". What a file system takes is longer than this and all that stands behind it.
    std::string stem_of(std::string stem, const std::string& hash) {
        constexpr std::size_t kLongest = 180;
        for (const std::string_view kind : {".report", ".policy", ".validation"})
            if (stem.size() > kind.size() && stem.ends_with(kind)) stem.resize(stem.size() - kind.size());
        std::size_t kept = std::min(stem.size(), kLongest);
        while (kept < stem.size() && (static_cast<unsigned char>(stem[kept]) & 0xc0u) == 0x80u) --kept;
        const bool is_cut = kept < stem.size();
        stem.resize(kept);
        std::string name = is_cut ? with_hash(stem, hash) : stem;
        for (int copy = 1; !stems_.insert(name).second; ++copy)
            name = with_hash(stem, hash) + (copy == 1 ? "" : fmt::format("-{}", copy));
        return name;
    }

    static std::string with_hash(const std::string& stem, const std::string& hash) {
        return fmt::format("{}-{}", stem, hash.substr(0, 8));
    }

    [[nodiscard]] std::string name_of(const Entry& entry, const std::optional<std::size_t>& device) const {
        return entry.stem + (device ? fmt::format("-device{}", *device) : "") + job_.ending;
    }

    // Errors: of the folder; those of the input are the entry's.
    Status make(Input& input) {
        Entry& entry = input.entry;
        if (entry.reason) return {};
        if (takes_over_earlier(entry)) return {};
        const compare::Seat seat(room_, input.text.size());
        auto results = job_.make(input.text, entry.source);
        if (interrupted()) {  // what that left is no result
            input.reached = false;
            return {};
        }
        if (!results) {
            entry.reason = std::move(results.error());
            std::string& where = entry.reason->where;
            if (!where.starts_with(entry.source)) where = entry.source + (where.empty() ? "" : ": ") + where;
            return {};
        }
        for (const BatchResult& result : *results) {
            entry.results.push_back({.file = {},
                                     .device = result.device,
                                     .hash = keeps() ? hash_hex(result.text) : "",
                                     .left_out = result.left_out});
        }
        if (!keeps()) {
            const std::lock_guard lock(mutex_);
            for (const BatchResult& result : *results)
                HEAPWRIGHT_TRY(job_.each(entry.position, entry.source, result.text));
            return {};
        }
        name_results(entry);
        for (std::size_t index = 0; index < results->size(); ++index) {
            HEAPWRIGHT_TRY(write_file_atomically(folder_ / path_of(entry.results[index].file), (*results)[index].text));
        }
        return {};
    }

    // Whether the same input gave results that are there, and nobody changed them since.
    bool takes_over_earlier(Entry& entry) {
        const auto before = earlier_.entries.find(entry.source);
        if (earlier_.recipe != job_.recipe || before == earlier_.entries.end() || before->second.hash != entry.hash)
            return false;
        for (const Kept& result : before->second.results)
            if (!is_unchanged(result)) return false;
        const std::lock_guard lock(mutex_);
        if (!take_names(before->second.results)) return false;
        entry.results = before->second.results;
        entry.was_there = true;
        return true;
    }

    [[nodiscard]] bool is_unchanged(const Kept& result) const {
        const auto text = read_file(folder_ / path_of(result.file));
        return text && hash_hex(*text) == result.hash;
    }

    // A device's result may want the name that another input's has.
    void name_results(Entry& entry) {
        const std::lock_guard lock(mutex_);
        const std::string stem = entry.stem;
        for (int copy = 0;; ++copy) {
            if (copy != 0) entry.stem = with_hash(stem, entry.hash) + (copy == 1 ? "" : fmt::format("-{}", copy));
            for (Kept& result : entry.results) result.file = name_of(entry, result.device);
            if (take_names(entry.results)) return;
        }
    }

    // All of them or none.
    bool take_names(const std::vector<Kept>& results) {
        if (std::ranges::any_of(results, [&](const Kept& result) { return names_.contains(result.file); }))
            return false;
        for (const Kept& result : results) names_.insert(result.file);
        return true;
    }

    // What an earlier run made of these inputs and this one did not.
    void take_away_stale() const {
        for (const Entry& entry : entries_) {
            const auto before = earlier_.entries.find(entry.source);
            if (before == earlier_.entries.end()) continue;
            for (const Kept& result : before->second.results) {
                std::error_code ignored;
                if (!names_.contains(result.file) && is_unchanged(result))
                    fs::remove(folder_ / path_of(result.file), ignored);
            }
        }
    }

    Status show_each() const {
        for (const Entry& entry : entries_) {
            for (const Kept& result : entry.results) {
                HEAPWRIGHT_ASSIGN(const std::string text, read_file(folder_ / path_of(result.file)));
                HEAPWRIGHT_TRY(job_.each(entry.position, entry.source, text));
            }
        }
        return {};
    }

    // What was reached, and of a batch that is not through what an earlier one made of the rest.
    std::string index_text(bool is_through) {
        std::ranges::sort(entries_, {}, &Entry::position);
        IndexJson index{{"recipe", job_.recipe}, {"inputs", IndexJson::array()}};
        std::set<std::string> reached;
        for (const Entry& entry : entries_) {
            index["inputs"].push_back(as_json(entry));
            reached.insert(entry.source);
        }
        for (const auto& [source, entry] : earlier_.entries) {
            if (!is_through && earlier_.recipe == job_.recipe && !reached.contains(source))
                index["inputs"].push_back(as_json(entry));
        }
        return index.dump(2) + "\n";
    }

    Status write_index() { return write_file_atomically(folder_ / kBatchIndexFile, index_text(false)); }

    [[nodiscard]] std::string of_other_kinds() const {
        return others_ == 0 ? "" : fmt::format("; {} of other kinds passed over", others_);
    }

    // The index, each input without a result, and how many there are of which kind.
    Status tell() {
        const std::string document = index_text(!interrupted());
        if (keeps()) HEAPWRIGHT_TRY(write_file_atomically(folder_ / kBatchIndexFile, document));
        std::size_t made = 0;
        std::size_t there = 0;
        std::size_t skipped = 0;
        for (const Entry& entry : entries_) {
            if (entry.reason) print_error(*entry.reason);
            for (const Kept& result : entry.results) {
                if (!result.left_out.empty())
                    print_note(fmt::format("{}: left out: {}", entry.source, result.left_out), output_);
            }
            ++(entry.reason ? skipped : entry.was_there ? there : made);
        }
        if (!keeps()) return {};
        const std::string words = fmt::format(
            "{} {} into {}{}{}{}{}\n", job_.done, counted(made, "file"), printable(output_.file),
            there == 0 ? "" : fmt::format("; {} there already", there), of_other_kinds(),
            skipped == 0 ? "" : fmt::format("; {} skipped, with the reason in {}", skipped, kBatchIndexFile),
            interrupted() ? "; stopped by a signal" : "");
        if (output_.json) return write_output(document, "");
        return output_.quiet ? Status{} : write_text(words, "");
    }

    const BatchJob& job_;
    const OutputOptions& output_;
    fs::path folder_;
    std::set<std::string> named_;
    Progress progress_;
    EarlierRun earlier_;
    std::vector<BatchInput> given_;
    compare::ReadingRoom room_;
    std::mutex taking_;
    std::size_t next_given_ = 0;  // this and the next two: under taking_
    std::set<std::string> stems_;
    std::size_t others_ = 0;
    std::mutex mutex_;  // of what follows
    std::set<std::string> names_;
    std::optional<std::uint64_t> indexed_ns_;
    std::vector<Entry> entries_;
    Status failed_;
};

}  // namespace

bool is_batch(const std::vector<std::string>& inputs) {
    return inputs.size() > 1 || (inputs.size() == 1 && is_folder(path_of(inputs.front())));
}

ExitCode run_batch(const BatchJob& job, const OutputOptions& output) {
    const auto code = Batch(job, output).run();
    return code ? *code : report_error(code.error());
}

}  // namespace heapwright::cli
