/* SPDX-License-Identifier: Apache-2.0 */
/* What claims to lie beside other systems' kernels: the first byte says what, and a line "--" parts two
 * files. */
#include "harness.h"
#include "import/import_folder.h"
#include "import/import_inductor.h"
#include "import/import_numba_names.h"
#include "import/import_ttir.h"
#include "import/import_warp_source.h"
#include "scratch.h"

#include <string.h>

static void use(struct import_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < list->items[i].kernel_count; j++) {
            const cubinet_param params[6] = {{.size = 24}};
            const cubinet_kernel_resources resources = {
                .size = sizeof(resources), .param_count = 6, .params = params};
            struct launch_record record;
            if (import_kernel_record(&list->items[i].kernels[j], &resources, &record) == CUBINET_OK) {
                launch_record_free(&record);
            }
        }
    }
    import_list_free(list);
}

/* A folder with the two files, and an image that nobody reads. */
static void read_folder(const char *first, const char *second, const char *text, size_t size)
{
    static const char parting[] = "\n--\n";
    const char *middle = memmem(text, size, parting, sizeof(parting) - 1);
    size_t first_size = middle ? (size_t)(middle - text) : size;
    struct import_list list = {0};
    scratch_open();
    scratch_write(first, text, first_size);
    if (middle) {
        size_t start = first_size + sizeof(parting) - 1;
        scratch_write(second, text + start, size - start);
    }
    scratch_write("add_kernel.cubin", "x", 1);
    scratch_write("wp_m.sm90.cubin", "x", 1);
    scratch_write("module_1.f.1.ptx", "x", 1);
    scratch_write("executable.so", "x", 1);
    if (import_folder(".", &list) != CUBINET_OK) {
        import_list_free(&list);
    }
    use(&list);
    scratch_close();
}

static void read_texts(const char *text, size_t size)
{
    struct import_item item = {0};
    struct launch_record record = LAUNCH_RECORD_EMPTY;
    struct warp_source source;
    import_inductor(text, size, &item);
    import_item_free(&item);
    import_ttir_names(text, "add_kernel", &record);
    if (warp_source_read(text, &source) == CUBINET_OK) {
        warp_source_names(&source, "add_kernel", &record);
        warp_source_dimensions(&source, "add_kernel");
    }
    warp_source_free(&source);
    import_numba_names(text, size, "add_kernel", NULL, &record);
    launch_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size);
    if (!text) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const struct {
        uint8_t kind;
        const char *first;
        const char *second;
    } folders[] = {
        {'j', "add_kernel.json", "add_kernel.ttir"},
        {'m', "wp_m.meta", "wp_m.cu"},
        {'c', "add_kernel.0123_0d.c", "add_kernel.ttir"},
        {'n', "k.add-7.py311.1.nbc", "k.add-7.py311.2.nbc"},
        {'i', "k.add-7.py311.nbi", "k.add-7.py311.1.nbc"},
        {'p', "code.pkl", "codes.pickle"},
        {'x', "module_1.f.thunk_sequence.txt", "module_1.f.2.ptx"},
        {'d', "cute_dsl_add_kernel.mlir", "add_kernel.sm_90.ptx"},
        {'t', "host_kernel.cu", "device_kernel.cu"},
    };
    size_t i = 0;
    while (i < sizeof(folders) / sizeof(folders[0]) && folders[i].kind != data[0]) {
        i++;
    }
    if (i < sizeof(folders) / sizeof(folders[0])) {
        read_folder(folders[i].first, folders[i].second, text, size - 1);
    } else {
        read_texts(text, size - 1);
    }
    free(text);
    return 0;
}
