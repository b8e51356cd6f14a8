#include "heapwright/cli/compare_outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/cli/output.hpp"
#include "heapwright/render/comparison_annotations.hpp"
#include "heapwright/render/comparison_junit.hpp"
#include "heapwright/render/comparison_markdown.hpp"
#include "heapwright/render/comparison_text.hpp"

namespace heapwright::cli {

std::vector<std::string> comparison_form_names() {
    return {"text", "markdown", "json", "junit", "github", "step-summary"};
}

Result<std::string> render_comparison(const model::Comparison& comparison, const std::string& form,
                                      const ComparisonForms& options) {
    if (form == "text") return render::comparison_text(comparison, {.all = options.all});
    if (form == "markdown") return render::comparison_markdown(comparison);
    if (form == "json") return model::write(comparison);
    if (form == "junit") return render::comparison_junit(comparison, options.strict);
    if (form == "github") return render::comparison_annotations(comparison, options.strict);
    if (form == "step-summary") return render::comparison_markdown(comparison, render::kStepSummaryBytes);
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no form \"{}\"; known are {}", form, fmt::join(comparison_form_names(), ", ")), "--write");
}

Status write_comparison_files(const model::Comparison& comparison, const std::vector<std::string>& files,
                              const ComparisonForms& options) {
    for (const std::string& entry : files) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos || equals + 1 == entry.size())
            return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not FORM=FILE", entry), "--write");
        HEAPWRIGHT_ASSIGN(const std::string bytes, render_comparison(comparison, entry.substr(0, equals), options));
        HEAPWRIGHT_TRY(write_output(bytes, entry.substr(equals + 1)));
    }
    return {};
}

}  // namespace heapwright::cli
