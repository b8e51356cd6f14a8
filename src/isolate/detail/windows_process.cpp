#include "isolate/detail/windows_process.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/windows_text.hpp"

namespace heapwright::isolate::detail {
namespace {

Result<std::wstring> program_path() {
    constexpr std::size_t kLongestPath = 32768;
    std::wstring path(kLongestPath, L'\0');
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (length == 0 || length >= path.size()) return system_error("GetModuleFileNameW");
    path.resize(length);
    return path;
}

// As CommandLineToArgvW takes it apart: backslashes count only before a quotation mark.
std::wstring quoted(const std::wstring& argument) {
    std::wstring result = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t letter : argument) {
        if (letter == L'\\') {
            ++backslashes;
            continue;
        }
        result.append(letter == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
        backslashes = 0;
        result += letter;
    }
    result.append(2 * backslashes, L'\\');
    return result + L"\"";
}

bool names(std::wstring_view entry, const std::wstring& name) {
    return entry.size() > name.size() && entry[name.size()] == L'=' &&
           CompareStringOrdinal(entry.data(), static_cast<int>(name.size()), name.data(), static_cast<int>(name.size()),
                                TRUE) == CSTR_EQUAL;
}

// This process's environment with the changes in place of entries of the same name: entries that each end with a
// zero, and a zero at the end.
std::wstring environment_block(const std::vector<std::pair<std::string, std::optional<std::string>>>& changes) {
    std::vector<std::pair<std::wstring, std::optional<std::wstring>>> changed;
    for (const auto& [name, value] : changes) {
        changed.emplace_back(wide(name), value ? std::optional(wide(*value)) : std::nullopt);
    }
    std::wstring block;
    wchar_t* own = GetEnvironmentStringsW();
    for (const wchar_t* entry = own; entry != nullptr && *entry != L'\0';) {
        const std::wstring_view text(entry);
        if (std::none_of(changed.begin(), changed.end(), [&](const auto& pair) { return names(text, pair.first); })) {
            block.append(text).push_back(L'\0');
        }
        entry += text.size() + 1;
    }
    if (own != nullptr) FreeEnvironmentStringsW(own);
    for (const auto& [name, value] : changed) {
        if (value) block.append(name + L"=" + *value).push_back(L'\0');
    }
    if (block.empty()) block.push_back(L'\0');  // an empty block is two zeros
    block.push_back(L'\0');
    return block;
}

// Limits what a child inherits to a list of handles.
class InheritedHandles {
public:
    explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles)) {}
    ~InheritedHandles() {
        if (list_ != nullptr) DeleteProcThreadAttributeList(list_);
    }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;

    [[nodiscard]] Status prepare() {
        for (const HANDLE handle : handles_) {
            if (SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) == 0) {
                return system_error("SetHandleInformation");
            }
        }
        SIZE_T bytes = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
        storage_.resize(bytes);
        auto* list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(storage_.data());
        if (InitializeProcThreadAttributeList(list, 1, 0, &bytes) == 0) {
            return system_error("InitializeProcThreadAttributeList");
        }
        list_ = list;
        if (UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                      handles_.size() * sizeof(HANDLE), nullptr, nullptr) == 0) {
            return system_error("UpdateProcThreadAttribute");
        }
        return {};
    }

    [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST list() const { return list_; }

private:
    std::vector<HANDLE> handles_;
    std::vector<std::uint64_t> storage_;  // for its alignment; more than is needed
    LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

// A job whose processes end when its last handle is closed, this process's end included. Nothing where none can be
// made: the child then runs all the same.
Handle make_job() {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job.open()) SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

}  // namespace

tl::unexpected<Error> system_error(const char* call) {
    return fail(ErrorCode::kIoError, "no process could be started: " + windows_error_text(GetLastError()), call);
}

Result<Pipe> make_pipe() {
    HANDLE read_end = nullptr;
    HANDLE write_end = nullptr;
    if (CreatePipe(&read_end, &write_end, nullptr, 1 << 16) == 0) return system_error("CreatePipe");
    return Pipe{Handle(read_end), Handle(write_end)};
}

void read_into(Mailbox& mailbox, std::size_t source, HANDLE pipe) {
    std::array<char, 1 << 16> buffer;
    DWORD count = 0;
    while (ReadFile(pipe, buffer.data(), static_cast<DWORD>(buffer.size()), &count, nullptr) != 0 && count != 0) {
        mailbox.put(source, std::string(buffer.data(), count));
    }
    mailbox.close();
}

bool is_exception(DWORD exit_code) {
    return (exit_code >> 30) == 3;
}

void StartedProcess::end_all() const {
    if (job.open()) TerminateJobObject(job.get(), 1);
    TerminateProcess(process.get(), 1);
}

Result<StartedProcess> start_program(const StartRequest& request) {
    std::wstring own_path;
    if (request.program.empty()) {
        HEAPWRIGHT_ASSIGN(own_path, program_path());
    }
    // Without a path of its own, CreateProcess looks for the command line's first word.
    const wchar_t* path = own_path.empty() ? nullptr : own_path.c_str();
    std::wstring command_line = own_path.empty() ? quoted(wide(request.program)) : L"heapwright";
    for (const std::string& argument : request.arguments) command_line += L" " + quoted(wide(argument));
    std::wstring environment = environment_block(request.environment);

    const Handle nothing(
        CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
    if (!nothing.open()) return system_error("CreateFileW NUL");
    std::vector<HANDLE> handles = request.inherited;
    handles.insert(handles.end(), {nothing.get(), request.output});
    // The list takes no handle twice.
    if (request.errors != request.output) handles.push_back(request.errors);
    InheritedHandles inherited(std::move(handles));
    HEAPWRIGHT_TRY(inherited.prepare());

    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = nothing.get();
    startup.StartupInfo.hStdOutput = request.output;
    startup.StartupInfo.hStdError = request.errors;
    startup.lpAttributeList = inherited.list();
    PROCESS_INFORMATION started{};
    // Suspended until it is in the job, so that nothing it starts can be outside.
    constexpr DWORD kFlags = EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | CREATE_SUSPENDED;
    if (CreateProcessW(path, command_line.data(), nullptr, nullptr, TRUE, kFlags, environment.data(), nullptr,
                       &startup.StartupInfo, &started) == 0) {
        return system_error("CreateProcessW");
    }
    StartedProcess result{.process = Handle(started.hProcess), .job = make_job()};
    const Handle thread(started.hThread);
    if (result.job.open()) AssignProcessToJobObject(result.job.get(), result.process.get());
    ResumeThread(thread.get());
    return result;
}

}  // namespace heapwright::isolate::detail
