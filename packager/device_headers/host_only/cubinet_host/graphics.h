// SPDX-License-Identifier: Apache-2.0
// OpenGL, its windows, and what connects it with CUDA.
#if !defined(CUBINET_HOST_GRAPHICS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_GRAPHICS_H

#include "cubinet_host/functions.h"
#include <stddef.h>

typedef unsigned int GLenum;
typedef unsigned char GLboolean;
typedef unsigned int GLbitfield;
typedef void GLvoid;
typedef signed char GLbyte;
typedef short GLshort;
typedef int GLint;
typedef unsigned char GLubyte;
typedef unsigned short GLushort;
typedef unsigned int GLuint;
typedef int GLsizei;
typedef float GLfloat;
typedef float GLclampf;
typedef double GLdouble;
typedef double GLclampd;
typedef char GLchar;
typedef ptrdiff_t GLsizeiptr;
typedef ptrdiff_t GLintptr;
typedef unsigned long long GLuint64;
typedef struct __GLsync *GLsync;
struct GLUquadric;

struct GLFWwindow;
struct GLFWmonitor;

typedef void *EGLDisplay;
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef unsigned int VdpDevice;
typedef unsigned int VdpVideoSurface;
typedef unsigned int VdpOutputSurface;

#endif
