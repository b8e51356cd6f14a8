// The interface identifiers, which the headers declare and one file has to define. Weak, so that a program which
// defines them as well links.
#ifdef _WIN32
#include <initguid.h>
#else
#define INITGUID
#include <basetsd.h>
#undef DECLSPEC_SELECTANY
#define DECLSPEC_SELECTANY __attribute__((weak))
#endif
#include "d3d12/api.hpp"
