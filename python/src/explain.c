/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "config.h"
#include "error.h"

enum { LONGEST_SENTENCE = 512 };

struct question {
    uint32_t module;
    cubinet_device_profile profile;
    cubinet_policy policy;
};

static PyObject *verdicts_of(const struct question *question, const cubinet_image_info *images, size_t count,
                             cubinet_verdict *verdicts)
{
    cubinet_images_rank(images, count, &question->profile, &question->policy, verdicts);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        char sentence[LONGEST_SENTENCE];
        cubinet_verdict_describe(&verdicts[i], &images[verdicts[i].image], &question->profile,
                                 &question->policy, sentence, sizeof(sentence));
        PyObject *one =
            Py_BuildValue("IiIs", verdicts[i].image, (int)verdicts[i].match, verdicts[i].reasons, sentence);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) != 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static cubinet_status read_images(const cubinet_archive *archive, uint32_t module, cubinet_image_info *images,
                                  uint32_t count)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        images[i].size = sizeof(images[i]);
        status = cubinet_archive_get_image(archive, module, i, &images[i]);
    }
    return status;
}

PyObject *py_explain(const cubinet_archive *archive, PyObject *arguments)
{
    struct question question = {.profile = {.size = sizeof(question.profile)},
                                .policy = {.size = sizeof(question.policy)}};
    cubinet_device_profile *profile = &question.profile;
    if (!PyArg_ParseTuple(arguments, "O&iiO&O&O&zO&", py_config_u32, &question.module,
                          &profile->compute_major, &profile->compute_minor, py_config_u32,
                          &profile->driver_version, py_config_u32, &profile->nvjitlink_version, py_config_u32,
                          &profile->flags, &question.policy.only, py_config_u32, &question.policy.flags)) {
        return NULL;
    }
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, question.module, &info);
    if (status) {
        return py_raise(status);
    }
    cubinet_image_info *images = PyMem_Calloc(info.image_count + 1U, sizeof(*images));
    cubinet_verdict *verdicts = PyMem_Calloc(info.image_count + 1U, sizeof(*verdicts));
    PyObject *answer = NULL;
    if (!images || !verdicts) {
        PyErr_NoMemory();
    } else if ((status = read_images(archive, question.module, images, info.image_count))) {
        py_raise(status);
    } else {
        answer = verdicts_of(&question, images, info.image_count, verdicts);
    }
    PyMem_Free(verdicts);
    PyMem_Free(images);
    return answer;
}
