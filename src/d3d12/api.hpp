// Direct3D 12's own headers, with the calling convention of the runtime that is loaded: Microsoft's x64 convention both
// on Windows and under vkd3d on Linux. This is the only place that includes them.
//
// A method that returns a structure takes a pointer to it after `this` in that convention, which GCC does not do by
// itself. The headers declare those methods with that pointer spelled out for compilers like GCC on Windows
// (GetDesc(&desc), GetResourceAllocationInfo(&info, ...)): the macro around the include takes that branch everywhere.
// The System V convention of WSL's libd3d12.so would need a build without the two.
#pragma once

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// The headers ask for the version of a newer MIDL compiler than mingw-w64's files say; they need nothing of it.
#ifndef __REQUIRED_RPCNDR_H_VERSION__
#define __REQUIRED_RPCNDR_H_VERSION__ 475
#endif
#include <directx/d3d12.h>
#else
#include <wsl/stubs/basetsd.h>
#undef __stdcall
#undef STDMETHODCALLTYPE
#define __stdcall __attribute__((ms_abi))
#define STDMETHODCALLTYPE __attribute__((ms_abi))

#include <wsl/winadapter.h>
#define _WIN32 1
#include <directx/d3d12.h>
#undef _WIN32
#endif
