// Direct3D 12's own headers, with the calling convention of the runtime that is loaded. This is the only place that
// includes them. The runtimes follow two conventions, so a Linux build compiles this folder twice (CMakeLists.txt):
//
//   Windows' d3d12.dll, vkd3d    Microsoft's x64 convention
//   WSL's libd3d12.so            the System V convention, that of every other C++ object on Linux
//
// A method that returns a structure takes a pointer to it after `this` in Microsoft's convention, which GCC does not do
// by itself. The headers declare those methods with that pointer spelled out for compilers like GCC on Windows
// (GetDesc(&desc), GetResourceAllocationInfo(&info, ...)): the macro around the include takes that branch for vkd3d.
// returned_structures.hpp calls them one way for both.
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
#elif defined(HEAPWRIGHT_D3D12_OF_WSL)
#include <wsl/winadapter.h>
//
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
