// Mutated documents through every reader: each ends within 20 seconds, and the process never holds more than twice the
// largest document and 200 MiB. Most are the corpus with bytes changed; some repeat a piece of it until it is large,
// which is how a short text asks for much memory.
#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/file.hpp"
#include "core/random.hpp"
#include "entries.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

constexpr std::size_t kDocuments = 20'000;
constexpr std::size_t kLargeOneIn = 100;
constexpr std::size_t kLargeBytes = 8u << 20;

std::uint64_t peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::vector<std::string> corpus_of(std::string_view name) {
    std::vector<std::filesystem::path> files;
    const auto folder = std::filesystem::path(test::source_path("tests/fuzz/corpus")) / name;
    for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const auto& file : files) texts.push_back(read_file(file).value());
    return texts;
}

// The largest stretch that begins with '[' or '{' and ends where that does, at random: what can be an item.
std::string_view piece_of(const std::string& text, Random& random) {
    const std::size_t from = static_cast<std::size_t>(random.below(text.size() + 1));
    const std::size_t start = std::min(text.find_first_of("[{,\n ", from), text.size());
    const auto length = static_cast<std::size_t>(random.between(1, random.below(4) == 0 ? 2000 : 40));
    return std::string_view(text).substr(start, length);
}

std::string mutated(const std::vector<std::string>& corpus, Random& random, bool large) {
    constexpr std::string_view kTokens[] = {"[",
                                            "{",
                                            "]",
                                            "}",
                                            ",",
                                            ":",
                                            "\"",
                                            "\\",
                                            "\n",
                                            "\xff",
                                            "-1",
                                            "1e9",
                                            "\"\":",
                                            "[[",
                                            "null",
                                            "{}",
                                            "true",
                                            "1.5",
                                            "18446744073709551616",
                                            "0x",
                                            "::",
                                            "a.b.",
                                            "=",
                                            "[]",
                                            "#",
                                            "//",
                                            "/*",
                                            "\xef\xbf\xbe"};
    std::string text = corpus[static_cast<std::size_t>(random.below(corpus.size()))];
    const std::uint64_t changes = random.between(1, 8);
    for (std::uint64_t change = 0; change < changes; ++change) {
        const auto at = static_cast<std::size_t>(random.below(text.size() + 1));
        const auto length = std::min<std::size_t>(static_cast<std::size_t>(random.below(30)), text.size() - at);
        switch (random.below(6)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, kTokens[random.below(std::size(kTokens))]); break;
            case 2: text.replace(at, std::min<std::size_t>(1, length), 1, static_cast<char>(random.below(256))); break;
            case 3: text.insert(at, piece_of(text, random)); break;
            case 4: text.replace(at, length, fmt::format("{}", random.next() >> random.below(64))); break;
            default: text.insert(at, piece_of(corpus[static_cast<std::size_t>(random.below(corpus.size()))], random));
        }
    }
    if (!large) return text;
    const std::string piece(random.below(3) == 0 ? kTokens[random.below(std::size(kTokens))] : piece_of(text, random));
    std::string repeated;
    const std::string unit = random.below(2) == 0 ? piece + "," : piece;
    if (unit.empty()) return text;
    while (repeated.size() < kLargeBytes) repeated += unit;
    return text.insert(static_cast<std::size_t>(random.below(text.size() + 1)), repeated);
}

}  // namespace

TEST_CASE("mutated documents end every reader within bounds") {
    constexpr std::uint64_t kSeed = 20'270'131;
    INFO("seed " << kSeed);
    Random random(kSeed);
    const auto entries = fuzz::entries();
    std::vector<std::vector<std::string>> corpora;
    for (const fuzz::Entry& entry : entries) corpora.push_back(corpus_of(entry.name));
    std::uint64_t largest = 0;
    double slowest_s = 0;
    std::string slowest;
    for (std::size_t document = 0; document < kDocuments; ++document) {
        const std::size_t index = document % entries.size();
        const std::string text = mutated(corpora[index], random, document / entries.size() % kLargeOneIn == 0);
        // A cluster gets it in two files.
        largest = std::max<std::uint64_t>(largest, text.size() * (entries[index].name == "cluster" ? 2 : 1));
        const auto start = std::chrono::steady_clock::now();
        entries[index].run(text);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds > slowest_s) {
            slowest_s = seconds;
            slowest = fmt::format("document {} of {}, {} bytes", document, entries[index].name, text.size());
        }
        INFO(fmt::format("document {} of {}, {} bytes: {:.2f} s", document, entries[index].name, text.size(), seconds));
        REQUIRE(seconds < 20);
        REQUIRE(peak_bytes() <= 2 * largest + (200ull << 20));
    }
    WARN(fmt::format("{} documents, the largest of {} bytes: peak {} MiB, slowest {:.2f} s ({})", kDocuments, largest,
                     peak_bytes() >> 20, slowest_s, slowest));
}
