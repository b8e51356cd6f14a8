#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "compare/allow_list.hpp"
#include "compare/cluster.hpp"
#include "compare/matrix_driver.hpp"
#include "entries.hpp"
#include "expect.hpp"
#include "heapwright/model/json.hpp"
#include "model/comparison.hpp"
#include "model/what_if.hpp"

namespace heapwright::fuzz {
namespace {

// Every answer is one that a person can read.
template <class T>
bool has_value(const Result<T>& result) {
    if (!result) expect(!result.error().message.empty(), "an error without a message");
    return result.has_value();
}

// Of this process, made once and taken away at its end.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("heapwright-fuzz-cluster-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    void write(const char* name, std::string_view bytes) const {
        std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] std::string name() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace

void cluster(std::string_view bytes) {
    static const Folder kFolder;
    kFolder.write("document.json", bytes);
    kFolder.write("lines.ndjson", bytes);
    (void)has_value(compare::cluster_reports({kFolder.name()}, {.workload = nullptr, .threads = 2, .progress = {}}));
}

void print_schema(std::string_view bytes) {
    (void)has_value(model::schema(bytes));
}

void read_allow_list(std::string_view bytes) {
    (void)has_value(compare::AllowList::parse(bytes, "input", {.year = 2027, .month = 1, .day = 31}));
}

void read_comparison(std::string_view bytes) {
    const auto document = model::read_comparison(bytes, "input");
    if (!has_value(document)) return;
    const std::string text = model::write(*document);
    const auto again = model::read_comparison(text, "written");
    expect(again.has_value(),
           "an accepted comparison is refused once written: " + (again ? std::string() : to_string(again.error())));
    expect(model::write(*again) == text, "a comparison does not read back as it was written");
}

void read_drivers(std::string_view bytes) {
    (void)has_value(compare::read_drivers(bytes, "input"));
}

void read_what_if(std::string_view bytes) {
    const auto document = model::read_what_if(bytes, "input");
    if (!has_value(document)) return;
    const std::string text = model::write(*document);
    const auto again = model::read_what_if(text, "written");
    expect(again.has_value(),
           "an accepted what-if is refused once written: " + (again ? std::string() : to_string(again.error())));
    expect(model::write(*again) == text, "a what-if does not read back as it was written");
}

}  // namespace heapwright::fuzz
