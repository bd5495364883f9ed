/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute streams: what ptxas records in a cubin's .nv.info, .nv.info.KERNEL and .nv.compat sections.
 *
 * A record is a format, a code, and 16 bits that hold the value or, of a longer one, its size. NVIDIA does
 * not document them; docs/internals/cubin.md says how each code here was established. */
#ifndef CBN_NV_INFO_H
#define CBN_NV_INFO_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* The type of the sections .nv.info and .nv.info.KERNEL. */
enum { CBN_SECTION_NV_INFO = SHT_LOPROC };

/* Codes in .nv.info and .nv.info.KERNEL, as NVIDIA's tools print them (without EIATTR_). */
enum {
    CBN_NV_INFO_MAX_THREADS = 0x05,      /* x, y, z, of __launch_bounds__ (.maxntid) */
    CBN_NV_INFO_REQNTID = 0x10,          /* x, y, z */
    CBN_NV_INFO_MIN_STACK_SIZE = 0x12,   /* symbol, bytes with everything that it calls */
    CBN_NV_INFO_KPARAM_INFO = 0x17,      /* a parameter; see cbn_nv_info_param() */
    CBN_NV_INFO_CBANK_PARAM_SIZE = 0x19, /* bytes of the parameter buffer */
    CBN_NV_INFO_REGCOUNT = 0x2f,         /* symbol, registers */
    CBN_NV_INFO_CUDA_API_VERSION = 0x37, /* the toolkit: 10 * major + minor */
    CBN_NV_INFO_CTA_PER_CLUSTER = 0x3d,  /* x, y, z, of __cluster_dims__ */
    CBN_NV_INFO_MAX_CLUSTER_RANK = 0x3f, /* blocks */
    CBN_NV_INFO_KPARAM_INFO_V2 = 0x45,   /* the same for kernels with more than 4 KiB of parameters */
    CBN_NV_INFO_NUM_BARRIERS = 0x4c,     /* named barriers; none: it has no such record */
    CBN_NV_INFO_ANNOTATIONS = 0x55,      /* notes about instructions; see spills.h */
};

/* The MIN_STACK_SIZE of a kernel that recurses, where the linker could not bound it. */
#define CBN_NV_INFO_STACK_UNKNOWN UINT32_MAX

/* Codes in .nv.compat. */
enum {
    CBN_NV_COMPAT_ARCH_SPECIFIC = 0x09, /* 1: made for sm_NNa */
};

struct cbn_nv_info_reader {
    const unsigned char *bytes;
    size_t size;
};

struct cbn_nv_info_record {
    unsigned code;
    uint16_t value;            /* of a record without `data` */
    const unsigned char *data; /* of one with; not aligned */
    size_t size;               /* bytes in `data` */
};

/* Steps to the next record: 1, 0 at the end, or -1 if what is left is not a record. */
int cbn_nv_info_next(struct cbn_nv_info_reader *reader, struct cbn_nv_info_record *out_record);

/* The 32-bit word at `index`, or 0 beyond the record's data. */
uint32_t cbn_nv_info_word(const struct cbn_nv_info_record *record, size_t index);

struct cbn_nv_info_param {
    uint32_t ordinal;
    uint32_t offset; /* from the start of the parameter buffer */
    uint32_t size;
};

/* Decodes a KPARAM_INFO or KPARAM_INFO_V2 record: 1, or 0 if it is another one or too short. */
int cbn_nv_info_param(const struct cbn_nv_info_record *record, struct cbn_nv_info_param *out_param);

#endif
