/* What clangd needs to know before a kernel source that NVRTC compiles: compile_commands.json includes it first.
 *
 * Clang brings CUDA's declarations by a header of its own, which works with CUDA 12 and 13 apart from textures: its
 * overloads are templates over `texture`, which is gone. Their place takes one declaration, without which the
 * toolkit's tex2D() and its sisters would be errors. */
#ifndef CUBINET_EDITOR_NVRTC_H
#define CUBINET_EDITOR_NVRTC_H

#define __CLANG_CUDA_TEXTURE_INTRINSICS_H__ /* the include guard of those overloads */
template <typename... Arguments>
__attribute__((device)) void __nv_tex_surf_handler(const char *, Arguments...);

#include <__clang_cuda_runtime_wrapper.h>
#define CUBINET_EDITOR_NVRTC_H_DONE

#endif
