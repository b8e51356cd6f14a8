#include "import/known_devices.hpp"

#include <zlib.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::import {
namespace {

// The list is a file of this project, and a test reads every entry of it.
std::vector<KnownDevice> read_list() {
    std::vector<KnownDevice> devices;
    for (const nlohmann::json& entry : nlohmann::json::parse(embedded_list())) {
        const auto text = [&](const char* key) { return entry.value(key, std::string()); };
        const std::string basis = text("basis");
        devices.push_back({.gpu = text("gpu"),
                           .driver = text("driver"),
                           .also = entry.value("also", std::vector<std::string>()),
                           .device_name = text("device_name"),
                           .api = text("api") == "d3d12" ? model::Api::kD3d12 : model::Api::kVulkan,
                           .basis = basis == basis_name(Basis::kProbed)   ? Basis::kProbed
                                    : basis == basis_name(Basis::kPlayed) ? Basis::kPlayed
                                                                          : Basis::kReported,
                           .caveat = text("caveat"),
                           .source = text("source"),
                           .driver_version = text("driver_version"),
                           .date = text("date"),
                           .licence = text("licence"),
                           .file = text("file")});
    }
    return devices;
}

Result<std::string> unpacked(std::string_view gzip, const std::string& name) {
    constexpr int kGzipWindow = 15 + 16;  // of zlib.h: the largest window, and a gzip header
    z_stream stream{};
    if (inflateInit2(&stream, kGzipWindow) != Z_OK)
        return fail(ErrorCode::kInvariantBroken, "cannot be unpacked", name);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    stream.avail_in = static_cast<uInt>(gzip.size());
    std::string text;
    int answer = Z_OK;
    while (answer == Z_OK) {
        const std::size_t kept = text.size();
        text.resize(kept + (std::size_t{1} << 18));
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + kept);
        stream.avail_out = static_cast<uInt>(text.size() - kept);
        answer = inflate(&stream, Z_NO_FLUSH);
        text.resize(text.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (answer != Z_STREAM_END) return fail(ErrorCode::kInvariantBroken, "is no whole gzip file", name);
    return text;
}

std::string squeezed(std::string_view text) {
    std::string letters;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0) letters += static_cast<char>(std::tolower(byte));
    }
    return letters;
}

// Runs of letters and of digits, in lower case: "RTX4090 Ti" as rtx, 4090, ti.
std::vector<std::string> runs_of(std::string_view text) {
    std::vector<std::string> runs;
    int before = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const int kind = std::isdigit(byte) != 0 ? 1 : std::isalpha(byte) != 0 ? 2 : 0;
        if (kind != 0 && kind != before) runs.emplace_back();
        if (kind != 0) runs.back() += static_cast<char>(std::tolower(byte));
        before = kind;
    }
    return runs;
}

// Whether runs that follow each other make up the word: "steamdeck" of steam, deck; no "xt" of xtx.
bool holds(const std::vector<std::string>& runs, const std::string& word) {
    for (std::size_t first = 0; first < runs.size(); ++first) {
        std::string together;
        for (std::size_t at = first; at < runs.size() && together.size() < word.size(); ++at) together += runs[at];
        if (together == word) return true;
    }
    return false;
}

bool is_meant(const KnownDevice& device, const std::vector<std::string>& words) {
    std::vector<std::vector<std::string>> names{
        runs_of(device.gpu), runs_of(device.driver), runs_of(device.device_name),
        runs_of(device.api == model::Api::kVulkan ? "Vulkan" : "Direct3D 12 d3d12 dx12")};
    for (const std::string& name : device.also) names.push_back(runs_of(name));
    return std::ranges::all_of(words, [&](const std::string& word) {
        return std::ranges::any_of(names, [&](const auto& runs) { return holds(runs, word); });
    });
}

// With or without the maker's name: "RTX 4090" of "NVIDIA GeForce RTX 4090".
bool is_name_of(const KnownDevice& device, const std::string& name) {
    std::string end;
    const std::vector<std::string> runs = runs_of(device.gpu);
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        end.insert(0, *run);
        if (end == name && name.find_first_of("0123456789") != std::string::npos) return true;
    }
    return end == name || squeezed(device.device_name) == name || squeezed(title_of(device)) == name ||
           std::ranges::any_of(device.also, [&](const std::string& also) { return squeezed(also) == name; });
}

std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find_first_of(" \t,()", at), name.size());
        if (std::string word = squeezed(name.substr(at, end - at)); !word.empty()) words.push_back(std::move(word));
        at = end + 1;
    }
    return words;
}

Error unknown(std::string_view name) {
    std::vector<std::string_view> names;
    for (const KnownDevice& device : known_devices()) {
        names.emplace_back(device.gpu);
        names.emplace_back(std::string_view(device.gpu).substr(device.gpu.find(' ') + 1));  // without the maker
        names.insert(names.end(), device.also.begin(), device.also.end());
    }
    return {.code = ErrorCode::kInvalidArgument,
            .message = fmt::format("no known GPU is \"{}\"{}; 'heapwright devices --known' lists them, and a report of "
                                   "any other can be imported",
                                   name, nearest_word_hint(name, names)),
            .where = "--gpu"};
}

}  // namespace

std::string title_of(const KnownDevice& device) {
    return fmt::format("{} ({})", device.gpu, device.driver);
}

std::string_view basis_name(Basis basis) {
    switch (basis) {
        case Basis::kProbed: return "probed";
        case Basis::kPlayed: return "played";
        case Basis::kReported: break;
    }
    return "reported";
}

std::span<const KnownDevice> known_devices() {
    static const std::vector<KnownDevice> kDevices = read_list();
    return kDevices;
}

Result<Found> find_known(std::string_view name) {
    const std::vector<std::string> words = words_of(name);
    std::vector<const KnownDevice*> meant;
    for (const KnownDevice& device : known_devices())
        if (!words.empty() && is_meant(device, words)) meant.push_back(&device);
    if (meant.empty()) return fail(unknown(name));
    const std::string whole = squeezed(name);
    const bool is_whole =
        std::ranges::any_of(meant, [&](const KnownDevice* device) { return is_name_of(*device, whole); });
    if (is_whole) std::erase_if(meant, [&](const KnownDevice* device) { return !is_name_of(*device, whole); });
    std::vector<std::string_view> gpus;
    for (const KnownDevice* device : meant)
        if (std::ranges::find(gpus, device->gpu) == gpus.end()) gpus.emplace_back(device->gpu);
    if (gpus.size() > 1) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" may mean any of {}: {}", name, gpus.size(), fmt::join(gpus, ", ")), "--gpu");
    }
    return Found{.device = meant.front(), .others = {meant.begin() + 1, meant.end()}, .is_whole = is_whole};
}

Result<std::string> report_text_of(const KnownDevice& device) {
    const auto reports = embedded_reports();
    const auto found = std::ranges::find(reports, device.file, &EmbeddedReport::name);
    if (found == reports.end()) return fail(ErrorCode::kInvariantBroken, "is not part of the program", device.file);
    return unpacked(found->gzip, device.file);
}

Result<model::Report> report_of(const KnownDevice& device) {
    HEAPWRIGHT_ASSIGN(const std::string text, report_text_of(device));
    return model::read_report(text, title_of(device));
}

}  // namespace heapwright::import
