/* SPDX-License-Identifier: Apache-2.0 */
/* For builds with the address sanitizer: NVIDIA's libraries keep memory until the process ends, and that is
 * no leak of ours. */
#ifdef __SANITIZE_ADDRESS__
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libnvrtc\nleak:libnvJitLink\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif
