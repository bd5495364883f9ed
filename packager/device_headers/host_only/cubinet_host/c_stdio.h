// SPDX-License-Identifier: Apache-2.0
// Files.
#if !defined(CUBINET_HOST_C_STDIO_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_STDIO_H

#include "functions.h"

struct _IO_FILE {
    long __words[27];
};
typedef struct _IO_FILE FILE;
_CUBINET_HOST_C_TYPE(fpos_t, long, 2)
namespace std
{
using ::FILE;
using ::fpos_t;
} // namespace std

#define stdin        (static_cast<FILE *>(nullptr))
#define stdout       (static_cast<FILE *>(nullptr))
#define stderr       (static_cast<FILE *>(nullptr))
#define SEEK_SET     0
#define SEEK_CUR     1
#define SEEK_END     2
#define BUFSIZ       8192
#define FILENAME_MAX 4096
#define FOPEN_MAX    16
#define L_tmpnam     20
#define TMP_MAX      238328

_CUBINET_HOST_C_FUNCTION(clearerr)
_CUBINET_HOST_C_FUNCTION(fclose)
_CUBINET_HOST_C_FUNCTION(feof)
_CUBINET_HOST_C_FUNCTION(ferror)
_CUBINET_HOST_C_FUNCTION(fflush)
_CUBINET_HOST_C_FUNCTION(fgetc)
_CUBINET_HOST_C_FUNCTION(fgetpos)
_CUBINET_HOST_C_FUNCTION(fgets)
_CUBINET_HOST_C_FUNCTION(fopen)
_CUBINET_HOST_C_FUNCTION(fprintf)
_CUBINET_HOST_C_FUNCTION(fputc)
_CUBINET_HOST_C_FUNCTION(fputs)
_CUBINET_HOST_C_FUNCTION(fread)
_CUBINET_HOST_C_FUNCTION(freopen)
_CUBINET_HOST_C_FUNCTION(fscanf)
_CUBINET_HOST_C_FUNCTION(fseek)
_CUBINET_HOST_C_FUNCTION(fsetpos)
_CUBINET_HOST_C_FUNCTION(ftell)
_CUBINET_HOST_C_FUNCTION(fwrite)
_CUBINET_HOST_C_FUNCTION(getc)
_CUBINET_HOST_C_FUNCTION(getchar)
_CUBINET_HOST_C_FUNCTION(perror)
_CUBINET_HOST_C_FUNCTION(putc)
_CUBINET_HOST_C_FUNCTION(putchar)
_CUBINET_HOST_C_FUNCTION(puts)
_CUBINET_HOST_C_FUNCTION(remove)
_CUBINET_HOST_C_FUNCTION(rename)
_CUBINET_HOST_C_FUNCTION(rewind)
_CUBINET_HOST_C_FUNCTION(scanf)
_CUBINET_HOST_C_FUNCTION(setbuf)
_CUBINET_HOST_C_FUNCTION(setvbuf)
_CUBINET_HOST_C_FUNCTION(snprintf)
_CUBINET_HOST_C_FUNCTION(sprintf)
_CUBINET_HOST_C_FUNCTION(sscanf)
_CUBINET_HOST_C_FUNCTION(tmpfile)
_CUBINET_HOST_C_FUNCTION(ungetc)
_CUBINET_HOST_C_FUNCTION(vfprintf)
_CUBINET_HOST_C_FUNCTION(vsnprintf)
_CUBINET_HOST_C_FUNCTION(vsprintf)
_CUBINET_HOST_C_FUNCTION(vsscanf)
_CUBINET_HOST_FUNCTION(asprintf)
_CUBINET_HOST_FUNCTION(fdopen)
_CUBINET_HOST_FUNCTION(fileno)
_CUBINET_HOST_FUNCTION(fseeko)
_CUBINET_HOST_FUNCTION(ftello)
_CUBINET_HOST_FUNCTION(getdelim)
_CUBINET_HOST_FUNCTION(pclose)
_CUBINET_HOST_FUNCTION(popen)
_CUBINET_HOST_FUNCTION(vasprintf)

#endif
