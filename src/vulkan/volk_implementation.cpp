// The one translation unit that holds volk's definitions.
#define VOLK_IMPLEMENTATION
#include "heapwright_generated/volk.hpp"
