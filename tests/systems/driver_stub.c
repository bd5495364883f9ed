/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 for machines without a driver: nvmath and cuda.coop compile without a GPU, and ask for the
 * driver's version first. */
int cuDriverGetVersion(int *out_version);
int cuGetProcAddress_v2(const char *name, void **out_function, int version, unsigned long flags,
                        void *out_status);

int cuDriverGetVersion(int *out_version)
{
    *out_version = 13050;
    return 0;
}

static int no_device(void)
{
    return 100;
}

int cuGetProcAddress_v2(const char *name, void **out_function, int version, unsigned long flags,
                        void *out_status)
{
    (void)version;
    (void)flags;
    (void)out_status;
    *out_function = name[2] == 'D' && name[3] == 'r'   ? (void *)cuDriverGetVersion
                    : name[2] == 'G' && name[5] == 'P' ? (void *)cuGetProcAddress_v2
                                                       : (void *)no_device;
    return 0;
}
