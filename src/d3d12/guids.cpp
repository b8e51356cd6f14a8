// The interface identifiers, which the headers declare and one file has to define.
#ifdef _WIN32
#include <initguid.h>
#else
#define INITGUID
#endif
#include "heapwright/d3d12/api.hpp"
