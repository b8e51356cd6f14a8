// ComputeProgram::kReadTables (src/device/submitter.hpp): one word through each descriptor of two tables, written
// where the last one points. Compiled once for each way in which descriptors are reached:
//   MUTABLE          one array of mutable descriptors; an index is the descriptor's in the heap
//   (none)           an array for each descriptor type, all with the heap's indices
//   UNIFORM_IN_TABLE as (none), but the two constant buffers come in a set of their own
//   TABLES           both tables copied into a set
// SAMPLER_ARRAY: the sampler is the push constant's in an array; else it is the set's one sampler.
#version 460
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 1) in;

layout(push_constant) uniform Push {
    uint static_table;
    uint dynamic_table;
    uint sampler_index;
    uint output_word;
} push;

#if defined(MUTABLE)
#define UNIFORM_SET 0
#define STORAGE_SET 0
#define IMAGE_SET 0
#define SAMPLER_SET 1
#elif defined(TABLES)
#define SAMPLER_SET 1
#else
#define UNIFORM_SET 0
#define STORAGE_SET 1
#define IMAGE_SET 2
#define SAMPLER_SET 3
#endif

#if defined(TABLES)
layout(set = 0, binding = 0) uniform StaticConstants { uint word; } static_constants;
layout(set = 0, binding = 1) readonly buffer StaticWords { uint words[]; } static_words;
layout(set = 0, binding = 2) uniform texture2D static_image;
layout(set = 0, binding = 3) uniform DynamicConstants { uint word; } dynamic_constants;
layout(set = 0, binding = 4) readonly buffer DynamicWords { uint words[]; } dynamic_words;
layout(set = 0, binding = 5) writeonly buffer Written { uint words[]; } written;
#define STATIC_CONSTANT static_constants.word
#define STATIC_WORD static_words.words[0]
#define IMAGE static_image
#define DYNAMIC_CONSTANT dynamic_constants.word
#define DYNAMIC_WORD dynamic_words.words[0]
#define WRITTEN(i) written.words[push.output_word + (i)]
#else
#if defined(UNIFORM_IN_TABLE)
layout(set = UNIFORM_SET, binding = 0) uniform StaticConstants { uint word; } static_constants;
layout(set = UNIFORM_SET, binding = 1) uniform DynamicConstants { uint word; } dynamic_constants;
#define STATIC_CONSTANT static_constants.word
#define DYNAMIC_CONSTANT dynamic_constants.word
#else
layout(set = UNIFORM_SET, binding = 0) uniform Constants { uint word; } constants[];
#define STATIC_CONSTANT constants[push.static_table].word
#define DYNAMIC_CONSTANT constants[push.dynamic_table].word
#endif
layout(set = STORAGE_SET, binding = 0) buffer Words { uint words[]; } buffers[];
layout(set = IMAGE_SET, binding = 0) uniform texture2D images[];
#define STATIC_WORD buffers[push.static_table + 1].words[0]
#define IMAGE images[push.static_table + 2]
#define DYNAMIC_WORD buffers[push.dynamic_table + 1].words[0]
#define WRITTEN(i) buffers[push.dynamic_table + 2].words[push.output_word + (i)]
#endif

#if defined(SAMPLER_ARRAY)
layout(set = SAMPLER_SET, binding = 0) uniform sampler samplers[];
#define SAMPLER samplers[push.sampler_index]
#else
layout(set = SAMPLER_SET, binding = 0) uniform sampler one_sampler;
#define SAMPLER one_sampler
#endif

void main() {
    const uint words[4] = uint[](STATIC_CONSTANT, STATIC_WORD, DYNAMIC_CONSTANT, DYNAMIC_WORD);
    const vec4 texel = textureLod(sampler2D(IMAGE, SAMPLER), vec2(1.25, 0.5), 0.0);
    for (uint i = 0; i < 4; ++i) WRITTEN(i) = words[i];
    WRITTEN(4) = packUnorm4x8(texel);
}
