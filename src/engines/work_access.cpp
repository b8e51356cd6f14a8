#include "engines/work_access.hpp"

namespace heapwright::engines {
namespace {

using engines::Access;
using engines::ResourceState;

ResourceIndex index_of(device::ResourceId id) {
    return {static_cast<std::uint32_t>(id.value)};
}

struct Accesses {
    const std::vector<ProgramResource>& resources;
    std::vector<Access> list{};

    void read(device::ResourceId id, std::uint64_t offset, std::uint64_t size, ResourceState state) {
        list.push_back({index_of(id), offset, offset + size, false, state});
    }
    void write(device::ResourceId id, std::uint64_t offset, std::uint64_t size, ResourceState state) {
        list.push_back({index_of(id), offset, offset + size, true, state});
    }
    [[nodiscard]] std::uint64_t size_of(device::ResourceId id) const { return resources[id.value].size_bytes; }

    Status operator()(const device::FillBuffer& fill) {
        write(fill.buffer, fill.offset_bytes, fill.size_bytes, ResourceState::kCopyDest);
        return {};
    }
    Status operator()(const device::CopyBuffer& copy) {
        read(copy.source, copy.source_offset_bytes, copy.size_bytes, ResourceState::kCopySource);
        write(copy.destination, copy.destination_offset_bytes, copy.size_bytes, ResourceState::kCopyDest);
        return {};
    }
    Status operator()(const device::TransformBuffer& transform) {
        read(transform.source, transform.source_offset_bytes, transform.size_bytes, ResourceState::kShaderResource);
        write(transform.destination, transform.destination_offset_bytes, transform.size_bytes,
              ResourceState::kUnorderedAccess);
        return {};
    }
    Status operator()(const device::DrawBuffer& draw) {
        read(draw.source, draw.source_offset_bytes, size_of(draw.image), ResourceState::kShaderResource);
        write(draw.image, 0, size_of(draw.image), ResourceState::kRenderTarget);
        return {};
    }
    Status operator()(const device::CopyImageToBuffer& copy) {
        read(copy.image, 0, size_of(copy.image), ResourceState::kCopySource);
        write(copy.buffer, copy.buffer_offset_bytes, size_of(copy.image), ResourceState::kCopyDest);
        return {};
    }
    Status operator()(const device::CopyBufferToImage& copy) {
        if (copy.rows.count != 0)
            return fail(ErrorCode::kNotSupported, "programs of several engines copy whole images", "accesses_of");
        read(copy.buffer, copy.buffer_offset_bytes, size_of(copy.image), ResourceState::kCopySource);
        write(copy.image, 0, size_of(copy.image), ResourceState::kCopyDest);
        return {};
    }
    template <class Other>
    Status operator()(const Other&) {
        return fail(ErrorCode::kNotSupported, "programs of several engines do not hold this kind of work",
                    "accesses_of");
    }

    Status operator()(const device::Work& work) { return std::visit(*this, work); }
    Status operator()(const HostWrite& host) {
        list.push_back({host.resource, host.offset_bytes, host.offset_bytes + host.bytes.size(), true});
        return {};
    }
    Status operator()(const HostRead& host) {
        list.push_back({host.resource, host.offset_bytes, host.offset_bytes + host.size_bytes, false});
        return {};
    }
};

struct Replace {
    const RealResources& resources;

    void put(device::ResourceId& id) const { id = resources.real(index_of(id)); }

    void operator()(device::FillBuffer& work) const { put(work.buffer); }
    void operator()(device::CopyBuffer& work) const {
        put(work.source);
        put(work.destination);
    }
    void operator()(device::TransformBuffer& work) const {
        put(work.source);
        put(work.destination);
    }
    void operator()(device::DrawBuffer& work) const {
        work.heap = resources.views;
        work.index = resources.view(index_of(work.image));
        put(work.image);
        put(work.source);
    }
    void operator()(device::CopyImageToBuffer& work) const {
        put(work.image);
        put(work.buffer);
    }
    void operator()(device::CopyBufferToImage& work) const {
        put(work.image);
        put(work.buffer);
    }
    template <class Other>
    void operator()(Other&) const {}
};

}  // namespace

Result<std::vector<Access>> accesses_of(const Step& step, const std::vector<ProgramResource>& resources) {
    Accesses accesses{resources};
    HEAPWRIGHT_TRY(std::visit(accesses, step));
    return std::move(accesses.list);
}

device::Work with_real_resources(device::Work work, const RealResources& resources) {
    std::visit(Replace{resources}, work);
    return work;
}

}  // namespace heapwright::engines
