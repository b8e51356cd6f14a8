#include "engines/player.hpp"

namespace heapwright::engines {
namespace {

void declare(const EngineProgram& program, Conductor& conductor) {
    for (std::size_t actor = 1; actor < program.wishes.size(); ++actor) {
        const EngineWish& wish = program.wishes[actor];
        conductor.queue(program.schedule.actors[actor].name, wish.kind, wish.priority);
    }
    for (const engines::Fence& fence : program.schedule.fences) conductor.fence(fence.name);
    for (const ProgramResource& resource : program.resources) {
        if (resource.side != 0) {
            conductor.image(resource.name, resource.side);
        } else {
            conductor.buffer(resource.name, resource.size_bytes, resource.place);
        }
    }
    conductor.begin();
    for (const RecordedWork& list : program.lists) conductor.record(list.actor, list.name, list.work, list.duration_ns);
}

class Player {
public:
    Player(const EngineProgram& program, Conductor& conductor) : program_(program), conductor_(conductor) {}

    void play(std::size_t position) {
        const engines::Operation& operation = program_.schedule.operations[position];
        const bool by_host = program_.schedule.actors[operation.actor.value].kind == ActorKind::kHost;
        if (const auto* execution = std::get_if<engines::Execute>(&operation.what)) {
            if (by_host) {
                touch(*execution, position);
            } else {
                execute(operation.actor, *execution, position);
            }
        } else if (const auto* signal = std::get_if<engines::Signal>(&operation.what)) {
            conductor_.signal(operation.actor, signal->fence, signal->value);
        } else if (const auto* wait = std::get_if<engines::Wait>(&operation.what)) {
            if (by_host) {
                conductor_.host_wait(wait->fence, wait->value);
            } else {
                conductor_.wait(operation.actor, wait->fence, wait->value);
            }
        } else if (const auto* release = std::get_if<engines::ReleaseOwnership>(&operation.what)) {
            conductor_.release(operation.actor, *release);
        } else if (const auto* acquire = std::get_if<engines::AcquireOwnership>(&operation.what)) {
            conductor_.acquire(operation.actor, *acquire);
        }
    }

private:
    void touch(const engines::Execute& execution, std::size_t position) {
        for (const Step& step : program_.steps[position]) {
            if (const auto* write = std::get_if<HostWrite>(&step)) {
                conductor_.host_write(execution.name, write->resource, write->offset_bytes, write->bytes);
            } else if (const auto* read = std::get_if<HostRead>(&step)) {
                conductor_.host_read(execution.name, read->resource, read->offset_bytes, read->size_bytes);
            }
        }
    }

    // All parts of the call that begins here.
    void execute(ActorIndex actor, const engines::Execute& execution, std::size_t position) {
        const Call& call = program_.calls[position];
        if (call.number == 0 || !call.is_first) return;
        if (call.list) return conductor_.execute(*call.list);
        std::vector<device::Work> work;
        std::uint64_t duration_ns = 0;
        for (std::size_t part = position; part < program_.steps.size(); ++part) {
            const auto* execution_part = std::get_if<engines::Execute>(&program_.schedule.operations[part].what);
            if (program_.calls[part].number != call.number || execution_part == nullptr) continue;
            duration_ns += execution_part->duration_ns;
            for (const Step& step : program_.steps[part]) work.push_back(std::get<device::Work>(step));
        }
        conductor_.execute(actor, execution.name, work, duration_ns);
    }

    const EngineProgram& program_;
    Conductor& conductor_;
};

}  // namespace

Status play(const EngineProgram& program, Conductor& conductor) {
    declare(program, conductor);
    Player player(program, conductor);
    for (std::size_t position = 0; position < program.steps.size() && conductor.ok(); ++position) player.play(position);
    return conductor.status();
}

}  // namespace heapwright::engines
