/* SPDX-License-Identifier: Apache-2.0 */
/* For builds with the address sanitizer: NVIDIA's libraries keep memory until the process ends, and that is
 * no leak of ours. */
#ifdef __SANITIZE_ADDRESS__
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libnvrtc\nleak:libnvJitLink\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

/* gcc 12's leak checker may take bytes of NVRTC's for the place of a thread's variables, and crash there. */
const char *__asan_default_options(void)
{
    return "intercept_tls_get_addr=0";
}
#endif
