#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "render/comparison_forms.hpp"
#include "render/comparison_words.hpp"

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
        append(text, ", ", count == 1 ? file : fmt::format("{} ({})", file, count));
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

// XML 1.0 has no way to write most control characters, nor the last two of the basic plane.
std::string escaped(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        // U+FFFE and U+FFFF, in UTF-8.
        if (const std::string last = text.substr(at, 3); last == "\xEF\xBF\xBE" || last == "\xEF\xBF\xBF") {
            result += '?';
            at += 2;
            continue;
        }
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\n': result += "&#10;"; break;
            case '\t': result += "&#9;"; break;
            default: result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return result;
}

struct Suite {
    std::string cases;
    std::uint64_t tests = 0;
    std::uint64_t failures = 0;
    std::uint64_t skipped = 0;

    void add(const std::string& class_name, const std::string& name, std::string_view element,
             const std::string& message, const std::string& type, const std::string& body) {
        ++tests;
        cases +=
            fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", escaped(class_name), escaped(name));
        if (element.empty()) {
            cases += "/>\n";
            return;
        }
        cases += fmt::format(">\n      <{}", element);
        if (element == "failure") {
            ++failures;
            cases += fmt::format(" message=\"{}\" type=\"{}\"", escaped(message), escaped(type));
        } else if (element == "skipped") {
            ++skipped;
            cases += fmt::format(" message=\"{}\"", escaped(message));
        }
        cases += fmt::format(">{}</{}>\n    </testcase>\n", escaped(body), element);
    }
};

std::string_view element_of(ChangeStatus status, bool across, bool strict) {
    if (status == ChangeStatus::kInconclusive) return "skipped";
    const bool good = status == ChangeStatus::kImproved || status == ChangeStatus::kNew;
    if (!across && (is_failure(status) || (strict && good))) return "failure";
    return "system-out";
}

Suite suite_of(const model::DocumentComparison& document, const model::DeviceComparison& device,
               const std::string& title, bool strict) {
    Suite suite;
    std::set<std::string> changed;
    std::map<std::string, int> named;
    for (const ListedChange& change : listed_changes(device)) {
        changed.insert(change.section);
        std::string body = change.statement;
        if (device.impact && change.section != "identity") body += "\n" + device.impact->statement;
        std::string name = fmt::format("{} ({})", change.path, name_of(change.status));
        if (const int count = ++named[name]; count > 1) name += fmt::format(" #{}", count);
        suite.add(title + "." + change.section, name, element_of(change.status, document.across_devices, strict),
                  shortened(change.statement, 400), std::string(name_of(change.status)), body);
    }
    for (const char* section : {"identity", "heaps", "memory_types", "limits", "features", "queue_families",
                                "extensions", "findings", "image_sweep", "buffer_sweep", "volatile"}) {
        if (device.baseline && device.other && !changed.contains(section))
            suite.add(title + "." + section, std::string(section) + " is the same", "", "", "", "");
    }
    return suite;
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

std::string comparison_junit(const model::Comparison& comparison, bool strict) {
    std::string suites;
    std::uint64_t tests = 0;
    std::uint64_t failures = 0;
    const auto add = [&](const std::string& name, const Suite& suite) {
        suites += fmt::format(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
            "time=\"0\">\n{}  </testsuite>\n",
            escaped(name), suite.tests, suite.failures, suite.skipped, suite.cases);
        tests += suite.tests;
        failures += suite.failures;
    };
    // Tools that collect results know a test by its class and name: those of every device are its own.
    std::map<std::string, int> titles;
    for (const model::DocumentComparison& document : comparison.documents) {
        for (const model::DeviceComparison& device : document.devices) {
            const std::string label = fmt::format("{}: {} ({} against {})", device_title(device), driver_title(device),
                                                  document.other.file, document.baseline.file);
            std::string title = device_title(device);
            if (const int count = ++titles[title]; count > 1) title += fmt::format(" #{}", count);
            add(label, suite_of(document, device, title, strict));
        }
    }
    if (!comparison.allow_list.empty()) {
        Suite suite;
        for (const model::AllowListNote& note : comparison.allow_list) {
            suite.add("allow-list", place_of(note), strict ? "failure" : "system-out", note.statement, "allow-list",
                      note.statement);
        }
        add("allow-list", suite);
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"heapwright compare\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"0\">\n"
        "{}</testsuites>\n",
        tests, failures, suites);
}

std::string no_comparison_junit(const std::string& reason) {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"heapwright compare\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0\">\n"
        "  <testsuite name=\"comparison\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\">\n"
        "    <testcase classname=\"heapwright\" name=\"comparison\" time=\"0\">\n"
        "      <error message=\"not compared: {0}\" type=\"not compared\">not compared: {0}</error>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n",
        escaped(reason));
}

}  // namespace heapwright::render
