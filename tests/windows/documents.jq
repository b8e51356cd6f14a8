# What a document of the Windows program must say, one function a claim; each gives true or false.
# Where a claim has a number, a document that was not made by asking a driver cannot satisfy it by chance.

def of_api($api): [.devices[] | select(.identity.api == $api)];

# The sweep of every real device reaches 8192 x 8192 pixels of 4 bytes in its first case.
def is_swept: (.image_sweep.tables | length > 0) and (.buffer_sweep.tables | length > 0)
    and (.image_sweep.tables[0].size_bytes | max >= 268435456);

def lists($api): [.devices[] | select(.api == $api and .name != "" and .api_version != "")] | length > 0;
def lists_without_failure: .failures == [];

def report_of($api): of_api($api) | length > 0
    and all(.[]; is_swept and (.memory_types | length > 0) and (.heaps | all(.size_bytes > 0)));
def made_on_wine: .volatile.host | test("^Windows 1?[0-9]+\\..* x86_64 \\(Wine [0-9.]+\\)$");
def has_memory_cost: [.devices[].volatile.memory_cost[]? | .points[]?] | length > 0;
# The three heap types that every Direct3D 12 device has.
def has_d3d12_heap_types: of_api("d3d12") | length > 0
    and all(.[]; [.memory_types[].d3d12_heap_type] | unique | . == (. + ["default", "readback", "upload"] | unique));
# Wine's DXGI invents a graphics card for a software driver; the report must not repeat it.
def names_the_software_driver: of_api("d3d12") | length > 0 and all(.[]; .identity.type == "cpu"
    and (.identity.name | test("llvmpipe")) and (.identity.driver_name | test("^d3d12.dll of Wine [0-9.]+ over llvmpipe$")));
def has_luid: of_api("d3d12") | length > 0 and all(.[]; .identity.luid | test("^[0-9a-f]{16}$"));

def policy_has_chunks: .devices | length > 0 and all(.[]; .buckets | length > 0 and all(.[]; .chunk_size_bytes.value > 0));
def did_work: .verdict == "validated" and .counts.verified_bytes > 0
    and (.counts.operations > 0 or .bindings.command_lists > 0 or .engines.submissions > 0);
# Nothing is left out but what needs several queues or queue families.
def validates_everything: .devices | length > 0 and all(.[]; .scenarios | length > 0 and all(.[]; did_work
    or (.verdict == "not_supported"
        and ((.name == "multi-engine-frame-exclusive" and (.reason | test("queue family")))
            or (.name == "queue-lifetimes" and (.reason | test("one queue")))))));
def is_validated($api): .devices | length > 0 and all(.[]; .identity.api == $api and .verdict == "validated"
    and (.replayed | not)
    and (.scenarios | length > 0 and all(.[]; did_work or (.verdict == "not_supported" and .reason != ""))
        and any(.[]; did_work)));

def fails_with($reason; $call): [.failures[] | select((.reason | test($reason)) and (.last_call | test($call)))] | length > 0;
# A driver that ended while it was asked: what it had said is kept, a finding tells of its end, and no image is there.
def keeps_facts_of($api; $finding): of_api($api) | length > 0 and all(.[]; (.heaps | length > 0)
    and ([.findings[].id] | index($finding) != null) and (.image_sweep.cases // [] | length == 0)
    and (.absent | index("/image_sweep") == null));
def has_name($name): [.devices[] | select(.identity.name == $name)] | length > 0;
