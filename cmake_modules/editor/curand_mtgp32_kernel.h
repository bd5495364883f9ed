/* Clang's own header includes cuRAND's, which comes with no toolkit of wheels, and whose one-letter names collide with
 * the macros of sources. Where a source includes it, cuRAND's is meant. See nvrtc.h. */
#ifdef CUBINET_EDITOR_NVRTC_H_DONE
#include_next <curand_mtgp32_kernel.h>
#endif
