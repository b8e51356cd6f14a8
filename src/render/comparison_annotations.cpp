#include "heapwright/render/comparison_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "heapwright/render/comparison_words.hpp"

namespace heapwright::render {
namespace {

using model::ChangeStatus;

constexpr std::size_t kShownEach = 10;

struct Annotation {
    std::string file;
    std::uint64_t line = 0;
    std::string title;
    std::string message;
    bool violation = false;
    std::size_t turn = 0;  // how many of the same document and title come before
};

std::string escape(std::string_view text, bool property) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '%': result += "%25"; break;
            case '\r': result += "%0D"; break;
            case '\n': result += "%0A"; break;
            case ':': result += property ? "%3A" : ":"; break;
            case ',': result += property ? "%2C" : ","; break;
            default: result += c;
        }
    }
    return result;
}

// What breaks the specification before all else; then the first of every document and device before any other's second.
void spread(std::vector<Annotation>& annotations) {
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    for (Annotation& annotation : annotations) annotation.turn = seen[{annotation.file, annotation.title}]++;
    std::ranges::stable_sort(annotations, {}, [](const Annotation& annotation) {
        return std::pair(!annotation.violation, annotation.turn);
    });
}

// "a.json (3), b.json": the documents of those that are not shown.
std::string files_of(std::span<const Annotation> annotations) {
    std::map<std::string, std::size_t> counts;
    for (const Annotation& annotation : annotations) ++counts[annotation.file];
    std::string text;
    for (const auto& [file, count] : counts) {
        if (!text.empty()) text += ", ";
        text += count == 1 ? file : fmt::format("{} ({})", file, count);
    }
    return text;
}

void write_all(std::string_view command, std::vector<Annotation> annotations, bool has_step_summary,
               std::string& text) {
    spread(annotations);
    for (std::size_t index = 0; index < annotations.size(); ++index) {
        Annotation annotation = annotations[index];
        const std::size_t left = annotations.size() - index;
        if (index + 1 == kShownEach && left > 1) {
            const std::string files = files_of(std::span(annotations).subspan(index));
            annotation = {.file = annotation.file,
                          .title = "heapwright compare",
                          .message = fmt::format("{} more of this kind{}: {}", left,
                                                 has_step_summary ? "; the step summary lists them" : "",
                                                 shortened(files, 4000))};
        }
        text += fmt::format("::{} file={}", command, escaped_annotation_property(annotation.file));
        if (annotation.line != 0) text += fmt::format(",line={}", annotation.line);
        text += fmt::format(",title={}::{}\n", escaped_annotation_property(annotation.title),
                            escaped_annotation_message(annotation.message));
        if (index + 1 == kShownEach) return;
    }
}

}  // namespace

std::string escaped_annotation_message(std::string_view text) {
    return escape(text, false);
}

std::string escaped_annotation_property(std::string_view text) {
    return escape(text, true);
}

std::string comparison_annotations(const model::Comparison& comparison, bool strict, bool has_step_summary) {
    std::vector<Annotation> errors;
    std::vector<Annotation> warnings;
    std::vector<Annotation> notices;
    for (const model::DocumentComparison& document : comparison.documents) {
        for (const model::DeviceComparison& device : document.devices) {
            for (const ListedChange& change : grouped_changes(device)) {
                if (change.status == ChangeStatus::kExpected) continue;
                Annotation annotation{.file = document.other.file,
                                      .title = fmt::format("{} {}", device_title(device), name_of(change.status)),
                                      .message = shortened(change.statement, 1000),
                                      .violation = change.violation};
                if (device.impact && change.section.ends_with("_sweep"))
                    annotation.message += "\n" + device.impact->statement;
                const bool good = change.status == ChangeStatus::kImproved || change.status == ChangeStatus::kNew;
                if (document.across_devices || (good && !strict))
                    notices.push_back(std::move(annotation));
                else if (change.status == ChangeStatus::kInconclusive)
                    warnings.push_back(std::move(annotation));
                else
                    errors.push_back(std::move(annotation));
            }
        }
    }
    for (const model::AllowListNote& note : comparison.allow_list) {
        (strict ? errors : warnings)
            .push_back({.file = note.file, .line = note.line, .title = "allow-list", .message = note.statement});
    }
    std::string text;
    write_all("error", std::move(errors), has_step_summary, text);
    write_all("warning", std::move(warnings), has_step_summary, text);
    write_all("notice", std::move(notices), has_step_summary, text);
    return text;
}

std::string no_comparison_annotation(const std::string& reason) {
    return fmt::format("::error title=heapwright compare::not compared: {}\n", escaped_annotation_message(reason));
}

}  // namespace heapwright::render
