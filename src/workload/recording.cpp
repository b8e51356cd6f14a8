#include "workload/recording.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "core/utf8.hpp"
#include "workload/dump_workload.hpp"
#include "workload/finding_list.hpp"

namespace heapwright::workload {

namespace {

constexpr std::string_view kRecordingMark = "Vulkan Memory Allocator,Calls recording";
constexpr std::uint32_t kRecordingMajor = 1;
constexpr std::uint32_t kRecordingMinor = 8;

using model::MemoryUse;

// VmaAllocationCreateFlagBits.
constexpr std::uint32_t kDedicatedMemory = 0x1;
constexpr std::uint32_t kCanBecomeLost = 0x8;

// Calls that neither make nor free anything.
constexpr std::string_view kSilentCalls[] = {
    "vmaCreateAllocator",       "vmaDestroyAllocator", "vmaDestroyPool",      "vmaSetPoolName",
    "vmaSetAllocationUserData", "vmaMapMemory",        "vmaUnmapMemory",      "vmaFlushAllocation",
    "vmaInvalidateAllocation",  "vmaTouchAllocation",  "vmaGetAllocationInfo"};

class RecordingReader {
public:
    RecordingReader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

    Result<Recording> read() {
        HEAPWRIGHT_TRY(read_head());
        // Frames without a call have no line: as many as the text's size allows.
        spare_frames_ = text_.size() / 8 + 65'536;
        while (!text_.empty()) {
            const std::string_view content = take();
            if (content.empty()) continue;
            RecordingLine line(content, source_, number_);
            if (content == "Config,Begin") {
                is_config_ = true;
            } else if (content == "Config,End") {
                is_config_ = false;
            } else if (is_config_) {
                read_config(content);
            } else {
                read_call(line);
                HEAPWRIGHT_TRY(line.finish());
            }
        }
        recording_.findings = findings_.take();
        return std::move(recording_);
    }

private:
    std::string_view take() {
        ++number_;
        return take_recorded_line(text_);
    }

    Status read_head() {
        if (take() != kRecordingMark) {
            return fail(ErrorCode::kParseError, fmt::format("a recording begins with \"{}\"", kRecordingMark),
                        fmt::format("{}:1:1", source_));
        }
        RecordingLine version(take(), source_, number_);
        const std::uint32_t major = version.small_number();
        const std::uint32_t minor = version.small_number();
        HEAPWRIGHT_TRY(version.finish());
        if (major == kRecordingMajor && minor <= kRecordingMinor) return {};
        return fail({.code = ErrorCode::kUnsupportedVersion,
                     .message = fmt::format("a recording of version {}.{}; read are {}.0 to {}.{}", major, minor,
                                            kRecordingMajor, kRecordingMajor, kRecordingMinor),
                     .where = fmt::format("{}:2", source_)});
    }

    void read_config(std::string_view content) {
        constexpr std::string_view kName = "PhysicalDevice,deviceName,";
        if (content.starts_with(kName)) recording_.device_name = std::string(content.substr(kName.size()));
    }

    void read_call(RecordingLine& line) {
        (void)line.field();  // the thread
        (void)line.field();  // seconds since the beginning
        const std::uint32_t frame = line.small_number();
        const std::string_view call = line.field();
        if (!line.is_good()) return;
        step_to(frame, line);
        if (call == "vmaCreateBuffer") return create_buffer(line);
        if (call == "vmaCreateImage") return create_image(line);
        if (call == "vmaAllocateMemory") return allocate(line, false, false);
        if (call == "vmaAllocateMemoryPages") return allocate(line, false, true);
        if (call == "vmaAllocateMemoryForBuffer") return allocate(line, true, false);
        if (call == "vmaAllocateMemoryForImage") return allocate(line, true, false);
        if (call == "vmaDestroyBuffer" || call == "vmaDestroyImage" || call == "vmaFreeMemory") {
            return destroy(line.address(), line);
        }
        if (call == "vmaFreeMemoryPages") {
            return for_each_address(line, [&](std::uint64_t id) { destroy(id, line); });
        }
        if (std::find(std::begin(kSilentCalls), std::end(kSilentCalls), call) != std::end(kSilentCalls)) return;
        if (!call.starts_with("vma")) return line.refuse(fmt::format("\"{}\" is no call of VMA", call.substr(0, 40)));
        note(fmt::format("{} has no counterpart in a trace", call.substr(0, 60)), line);
    }

    void step_to(std::uint32_t frame, const RecordingLine& line) {
        if (!frame_) frame_ = frame;
        if (frame < *frame_) return note("the frame index goes back; the call counts to the later frame", line);
        const std::uint64_t steps = std::min<std::uint64_t>(frame - *frame_, spare_frames_);
        if (steps < frame - *frame_) note("the frame index leaps; the frames between are left out", line);
        recording_.trace.operations.insert(recording_.trace.operations.end(), steps, workload::EndFrame{});
        spare_frames_ -= steps;
        frame_ = frame;
    }

    void note(std::string_view what, const RecordingLine& line) { findings_.add(what, line.place()); }

    struct Creation {
        std::uint32_t flags = 0;
        MemoryUse use = MemoryUse::kDeviceOnly;
    };

    // flags, usage, required flags, preferred flags, memory type bits, pool
    Creation read_creation(RecordingLine& line) {
        Creation creation{.flags = line.small_number(), .use = MemoryUse::kDeviceOnly};
        const std::uint32_t usage = line.small_number(0, 6);
        const std::uint32_t required = line.small_number();
        const std::uint32_t preferred = line.small_number();
        (void)line.small_number();
        const std::uint64_t pool = line.address();
        switch (usage) {
            case 2:  // CPU_ONLY
            case 5:  // CPU_COPY
                creation.use = MemoryUse::kUpload;
                break;
            case 3: creation.use = MemoryUse::kStreaming; break;  // CPU_TO_GPU
            case 4: creation.use = MemoryUse::kReadback; break;   // GPU_TO_CPU
            case 0: creation.use = use_of_properties(required | preferred); break;
            default: break;  // GPU_ONLY, GPU_LAZILY_ALLOCATED
        }
        if (!line.is_good()) return creation;
        if (pool != 0) note("an allocation of a custom pool counts like others: a trace has no pools", line);
        if ((creation.flags & kDedicatedMemory) != 0) note("a trace cannot ask for memory of its own", line);
        if ((creation.flags & kCanBecomeLost) != 0) note("a trace has no allocations that may be lost", line);
        return creation;
    }

    void create_buffer(RecordingLine& line) {
        const std::uint32_t flags = line.small_number();
        model::BufferDescription buffer;
        buffer.size_bytes = line.number(1, 1ull << 48);
        buffer.usage = line.small_number(1);
        (void)line.small_number();  // sharing mode
        const Creation creation = read_creation(line);
        if (flags != 0 && line.is_good()) note("a trace has no VkBufferCreateFlags", line);
        create(line.address(), buffer, creation.use, line);
    }

    void create_image(RecordingLine& line) {
        constexpr std::uint32_t kLargestSide = 1 << 20;
        const std::uint32_t flags = line.small_number();
        (void)line.small_number(0, 2);  // VkImageType; the extent tells the same
        const std::uint32_t format = line.small_number(1);
        const auto formats = model::all_formats();
        const auto known = std::find_if(formats.begin(), formats.end(),
                                        [&](const model::FormatInfo& info) { return info.vk_format == format; });
        model::ImageDescription image;
        image.width = line.small_number(1, kLargestSide);
        image.height = line.small_number(1, kLargestSide);
        image.depth = line.small_number(1, kLargestSide);
        image.dimension = image.depth > 1 ? model::ImageDimension::k3d : model::ImageDimension::k2d;
        image.mip_levels = line.small_number(1, model::full_mip_chain(image.width, image.height, image.depth));
        image.array_layers = line.small_number(1, image.depth > 1 ? 1 : 1 << 16);
        image.samples = line.small_number(1, 64);
        if (!is_power_of_two(image.samples)) line.refuse(fmt::format("{} samples are no power of two", image.samples));
        const std::uint32_t tiling = line.small_number();
        image.tiling = tiling == 1 ? model::ImageTiling::kLinear : model::ImageTiling::kOptimal;
        image.usage = line.small_number(1);
        (void)line.small_number();  // sharing mode
        (void)line.small_number();  // initial layout
        const Creation creation = read_creation(line);
        const std::uint64_t id = line.address();
        if (!line.is_good()) return;
        if (flags != 0) note("a trace has no VkImageCreateFlags", line);
        if (tiling > 1) note("a tiling that is neither optimal nor linear counts as optimal", line);
        if (known == formats.end()) {
            return note(fmt::format("an image of VkFormat {} is left out: no such format is known", format), line);
        }
        image.format = known->format;
        create(id, image, creation.use, line);
    }

    void allocate(RecordingLine& line, bool of_resource, bool pages) {
        const std::uint64_t size = line.number(1, 1ull << 48);
        (void)line.number(0, ~0ull);  // alignment
        (void)line.small_number();    // memory type bits
        if (of_resource) {
            (void)line.small_number(0, 1);  // requires memory of its own
            (void)line.small_number(0, 1);  // prefers it
        }
        const Creation creation = read_creation(line);
        const model::BufferDescription buffer{
            .size_bytes = size, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
        if (line.is_good()) note("memory without its resource counts as a buffer of its size", line);
        if (!pages) return create(line.address(), buffer, creation.use, line);
        for_each_address(line, [&](std::uint64_t id) { create(id, buffer, creation.use, line); });
    }

    // Addresses with a blank between.
    template <class Visit>
    void for_each_address(RecordingLine& line, Visit&& visit) {
        std::string_view list = line.field();
        while (!list.empty() && line.is_good()) {
            const auto blank = list.find(' ');
            const std::string_view one = list.substr(0, blank);
            list = blank == std::string_view::npos ? std::string_view{} : list.substr(blank + 1);
            const auto id = RecordingLine::parse_address(one);
            if (!id) return line.refuse(fmt::format("\"{}\" is no address in hexadecimal", one.substr(0, 40)));
            visit(*id);
        }
    }

    void create(std::uint64_t id, const model::ResourceDescription& resource, MemoryUse use, RecordingLine& line) {
        if (!line.is_good()) return;
        if (id == 0) return note("an allocation that failed is left out", line);
        if (!alive_.insert(id).second) {
            note("an allocation has the address of one that was not freed, which counts as freed before it", line);
            recording_.trace.operations.emplace_back(workload::Destroy{id});
        }
        recording_.trace.operations.emplace_back(
            workload::TraceCreate{.id = id, .resource = resource, .memory_use = use});
    }

    void destroy(std::uint64_t id, const RecordingLine& line) {
        if (!line.is_good() || id == 0) return;
        if (alive_.erase(id) == 0) return note("what is freed here was not created, or left out", line);
        recording_.trace.operations.emplace_back(workload::Destroy{id});
    }

    std::string_view text_;
    std::string_view source_;
    std::uint64_t number_ = 0;
    bool is_config_ = false;
    std::optional<std::uint32_t> frame_;
    std::uint64_t spare_frames_ = 0;
    std::unordered_set<std::uint64_t> alive_;
    FindingList findings_;
    Recording recording_;
};

}  // namespace

bool is_recording(std::string_view text) {
    std::string storage;
    return as_utf8(text, storage).starts_with(kRecordingMark);
}

Result<Recording> read_recording(std::string_view text, std::string_view source) {
    std::string storage;
    return RecordingReader(as_utf8(text, storage), source).read();
}

std::string_view take_recorded_line(std::string_view& text) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::string_view RecordingLine::field() {
    ++column_;
    if (at_end_) refuse("the line ends here, and a field is expected");
    const auto comma = rest_.find(',');
    const std::string_view taken = rest_.substr(0, comma);
    at_end_ = comma == std::string_view::npos;
    rest_ = at_end_ ? std::string_view{} : rest_.substr(comma + 1);
    return taken;
}

std::uint64_t RecordingLine::number(std::uint64_t smallest, std::uint64_t largest) {
    const std::string_view text = field();
    std::uint64_t value = smallest;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= smallest && value <= largest) return value;
    refuse(fmt::format("\"{}\" is not a number from {} to {}", text.substr(0, 40), smallest, largest));
    return smallest;
}

std::uint32_t RecordingLine::small_number(std::uint32_t smallest, std::uint32_t largest) {
    return static_cast<std::uint32_t>(number(smallest, largest));
}

std::optional<std::uint64_t> RecordingLine::parse_address(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    if (text.empty() || text == "(nil)") return 0;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::uint64_t RecordingLine::address() {
    const std::string_view text = field();
    if (const auto value = parse_address(text)) return *value;
    refuse(fmt::format("\"{}\" is no address in hexadecimal", text.substr(0, 40)));
    return 0;
}

void RecordingLine::refuse(std::string message) {
    if (error_) return;
    error_ = Error{.code = ErrorCode::kParseError,
                   .message = std::move(message),
                   .where = fmt::format("{}:{}:{}", source_, number_, column_)};
}

Status RecordingLine::finish() {
    if (error_) return fail(std::move(*error_));
    return {};
}

}  // namespace heapwright::workload
