// What the body of a scenario of descriptors, lifetimes or uploads works with: a render device, resources whose content
// tells which one they are, and dispatches that the device itself answers: each writes the words that it found through
// its descriptors, and every word is compared once its frame is over.
//   constants, buffers: kSlots places of 256 bytes, the first word of each its own; images: 5x5 texels, all different
// Thread-safety: dispatch() from several threads, each with a context of its own; the rest from one thread.
// Errors: the device's; wrong words are findings.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frame/render_device.hpp"
#include "heapwright/core/result.hpp"
#include "validate/scenario.hpp"
#include "validate/scene_memory.hpp"

namespace heapwright::validate {

inline constexpr std::array<device::AddressMode, 4> kAddressModes{
    device::AddressMode::kRepeat, device::AddressMode::kMirroredRepeat, device::AddressMode::kClampToEdge,
    device::AddressMode::kClampToBorder};

// What a descriptor points to, as a number.
struct SceneTables {
    std::uint32_t static_constant = 0;
    std::uint32_t static_buffer = 0;
    std::uint32_t image = 0;
    std::uint32_t dynamic_constant = 0;
    std::uint32_t dynamic_buffer = 0;
};

class BindingScene : public Scenario {
public:
    static constexpr std::uint32_t kSlots = 1024;
    static constexpr std::uint32_t kImages = 16;
    static constexpr std::uint32_t kImageSide = 5;          // (1.25, 0.5) is inside a texel in every address mode
    static constexpr std::uint32_t kMostDispatches = 4096;  // in one frame

    using Scenario::Scenario;
    ~BindingScene() { clean_up(); }

    // The render device that a body begins with where it needs nothing else of it.
    [[nodiscard]] frame::RenderDeviceOptions render_options() const;
    // Errors: kNotSupported when the device lacks what the scenario needs.
    [[nodiscard]] Status set_up(const frame::RenderDeviceOptions& wanted);
    [[nodiscard]] Status set_up() { return set_up(render_options()); }
    // Whether frame number `frame` is to be played: the least number of frames is, and more of them until the
    // scenario's share of time is over. Error: kTimeLimit before the least number is done.
    [[nodiscard]] Result<bool> more(std::uint64_t frame, std::uint64_t least, std::uint64_t most);

    [[nodiscard]] bool is_set_up() const { return render_ != nullptr; }
    [[nodiscard]] frame::RenderDevice& render() { return *render_; }
    [[nodiscard]] SceneMemory& buffer_memory() { return *buffer_memory_; }
    [[nodiscard]] SceneMemory& image_memory() { return *image_memory_; }
    // Who owns memory whose ranges the render device may hold to its end, as after a failed frame.
    template <class Owner>
    [[nodiscard]] Owner& keep(std::unique_ptr<Owner> owner) {
        Owner& kept = *owner;
        kept_.emplace_back(std::move(owner));
        return kept;
    }

    // Descriptors of what the scene holds.
    [[nodiscard]] device::Descriptor constant_view(std::uint32_t slot) const;
    [[nodiscard]] device::Descriptor buffer_view(std::uint32_t slot) const;
    [[nodiscard]] device::Descriptor image_view(std::uint32_t image) const;
    // Where the frame that is recorded writes its words.
    [[nodiscard]] device::Descriptor output_view() const { return output_view(slot_); }
    [[nodiscard]] device::ResourceId constants() const { return constants_.resource; }
    [[nodiscard]] device::ResourceId buffers() const { return buffers_.resource; }
    [[nodiscard]] device::ResourceId image(std::uint32_t image) const { return images_[image].resource; }

    // The constant, the buffer and the image, copied from views into a table of the static part.
    [[nodiscard]] Result<frame::DescriptorHeapAllocation> make_static_table(const SceneTables& tables);

    struct Use {
        SceneTables tables;
        std::uint32_t static_table = 0;  // index of the table
        // Of the sampler, kNearest; empty: the program with the static one.
        std::optional<device::AddressMode> address_u = {};
        std::uint32_t sampler = 0;                                      // index in the static part
        std::optional<frame::DynamicDescriptors> dynamic_sampler = {};  // instead
        // Instead of the scene's own dynamic constants: a view, its resource and the word that is there.
        const frame::DescriptorHeapAllocation* other_constant = nullptr;
        device::ResourceId other_resource = {};
        std::uint32_t other_word = 0;
        // As other_constant, as a descriptor that is written straight into the row.
        std::optional<device::ConstantBufferView> written_constant = {};
        // Instead of the scene's image: the one that the static table holds, of the content that a scene's image of the
        // number in `tables` has.
        std::optional<device::ResourceId> other_image = {};
        // Instead of the scene's: of the program that goes with the sampler.
        std::optional<device::PipelineId> pipeline = {};
        // Instead of the scene's own view for writing: one of output_view().
        const frame::DescriptorHeapAllocation* output = nullptr;
    };
    // Records a dispatch whose words are compared later; makes its dynamic table.
    [[nodiscard]] Status dispatch(frame::DeviceContext& context, const Use& use);

    // Copies one descriptor of a sampler into the context's dynamic samplers.
    [[nodiscard]] Result<frame::DynamicDescriptors> make_dynamic_sampler(frame::DeviceContext& context,
                                                                         const frame::SamplerCache::Reference& sampler);

    [[nodiscard]] Status begin_frame();
    // Reads the frame's words back, submits, finishes the frame. Compares frames that are over.
    [[nodiscard]] Status end_frame();
    // Everything is over and compared.
    [[nodiscard]] Status drain();

    // Nothing more is compared: a frame failed half way.
    void abandon_frames() {
        for (Slot& slot : slots_) slot.expected.clear();
    }
    // Gives everything back to the device.
    void clean_up();

    // The words that one dispatch has to write, and what a finding about them names.
    struct Expectation {
        std::uint32_t first_word = 0;
        std::array<std::uint32_t, device::kReadTablesWords> words{};
        std::array<std::uint32_t, device::kReadTablesWords> descriptors{};  // places in the shader-visible heap
        std::array<device::ResourceId, device::kReadTablesWords> resources{};
        std::uint32_t context = 0;
        std::optional<std::uint64_t> command_list = {};  // once it is submitted
    };

    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    // What each frame took, in their order.
    [[nodiscard]] const std::vector<double>& frames_ns() const { return frames_ns_; }

    // Of a render device that is done: what it did becomes figures, what it broke findings.
    void add_figures(const frame::RenderDevice& render);
    void add_stalls(const frame::UploadFigures& heap) {
        stalls.upload_stalls += heap.stalls;
        stalls.upload_stalled_ns += heap.stalled_ns;
    }
    void note_broken_rules(frame::RenderDevice& render);

    model::BindingFigures figures;
    model::BindingVolatile stalls;

    // As the scene's own images: what the first use of one uploads, and where to.
    [[nodiscard]] static model::ImageDescription image_description();
    // In a list of its own, as the first use of an image has to be.
    [[nodiscard]] Status fill_image(device::ResourceId image, std::uint32_t as_image);
    // The constant and the buffer of the scene, and an image of the caller's.
    [[nodiscard]] Result<frame::DescriptorHeapAllocation> make_static_table(
        const SceneTables& tables, const frame::DescriptorHeapAllocation& image_view);

    // A buffer that any descriptor may point to.
    [[nodiscard]] static model::BufferDescription bindable_buffer(std::uint64_t size_bytes);
    [[nodiscard]] static std::uint32_t constant_word(std::uint32_t slot) { return 0xC000'0000u | (slot * 0x9E37u); }
    [[nodiscard]] static std::uint32_t buffer_word(std::uint32_t slot) { return 0xB000'0000u | (slot * 0x6D2Bu); }
    [[nodiscard]] static std::uint32_t texel(std::uint32_t image, std::uint32_t x, std::uint32_t y) {
        return 0xFF00'0000u | image << 16 | y << 8 | x << 4 | 5;
    }
    // What the program's sample gives.
    [[nodiscard]] static std::uint32_t sampled(std::uint32_t image, device::AddressMode address_u);

private:
    struct Slot {
        TimelineValue end;
        std::vector<Expectation> expected;
        std::uint64_t frame = 0;
    };

    [[nodiscard]] device::Descriptor output_view(std::size_t slot) const;
    [[nodiscard]] Status make_resources();
    [[nodiscard]] Status fill_resources();
    [[nodiscard]] Status make_views();
    [[nodiscard]] Status compare(Slot& slot, std::size_t index);
    void compare_one(const Expectation& expected, const std::uint32_t* words, std::uint64_t frame);
    void note_submitted(std::uint32_t context, std::uint64_t command_list);

    std::unique_ptr<SceneMemory> buffer_memory_;
    std::unique_ptr<SceneMemory> image_memory_;
    std::unique_ptr<SceneMemory> readback_memory_;
    std::vector<std::shared_ptr<void>> kept_;
    std::unique_ptr<frame::RenderDevice> render_;
    ScenePlacement constants_;
    ScenePlacement buffers_;
    std::vector<ScenePlacement> images_;
    ScenePlacement output_;
    ScenePlacement readback_;
    std::optional<device::PipelineId> pipeline_;
    std::optional<device::PipelineId> static_sampler_pipeline_;
    std::vector<frame::DescriptorHeapAllocation> constant_views_;
    std::vector<frame::DescriptorHeapAllocation> buffer_views_;
    std::vector<frame::DescriptorHeapAllocation> image_views_;
    std::vector<frame::DescriptorHeapAllocation> output_views_;  // by slot
    std::vector<Slot> slots_;
    std::size_t slot_ = 0;
    std::atomic<std::uint32_t> next_word_{0};
    std::mutex expected_mutex_;
    std::uint64_t frames_ = 0;
    std::vector<double> frames_ns_;
    std::uint64_t frame_started_ns_ = 0;
};

}  // namespace heapwright::validate
