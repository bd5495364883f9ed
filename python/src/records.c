/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

PyObject *py_record_number(uint32_t number)
{
    if (number == CUBINET_UNKNOWN) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    return PyLong_FromUnsignedLong(number);
}

PyObject *py_record_resources(const void *recorded)
{
    const cubinet_kernel_resources *r = recorded;
    PyObject *params = Py_None;
    if (r->param_count != CUBINET_UNKNOWN) {
        params = PyTuple_New((Py_ssize_t)r->param_count);
        for (uint32_t i = 0; params && i < r->param_count; i++) {
            PyTuple_SetItem(params, (Py_ssize_t)i,
                            Py_BuildValue("II", r->params[i].offset, r->params[i].size));
        }
    } else {
        Py_INCREF(params);
    }
    return params ? Py_BuildValue("NNNNN(III)(III)I(III)NINNNN", py_record_number(r->registers),
                                  py_record_number(r->static_shared_bytes), py_record_number(r->local_bytes),
                                  py_record_number(r->constant_bytes),
                                  py_record_number(r->max_threads_per_block), r->max_block[0],
                                  r->max_block[1], r->max_block[2], r->required_block[0],
                                  r->required_block[1], r->required_block[2], r->min_blocks,
                                  r->required_cluster[0], r->required_cluster[1], r->required_cluster[2],
                                  py_record_number(r->max_cluster_blocks), r->param_bytes, params,
                                  py_record_number(r->spill_store_bytes),
                                  py_record_number(r->spill_load_bytes), py_record_number(r->barriers))
                  : NULL;
}

static PyObject *hidden_of(const cubinet_launch_record *r)
{
    PyObject *all = PyTuple_New((Py_ssize_t)r->hidden_count);
    for (uint32_t i = 0; all && i < r->hidden_count; i++) {
        const cubinet_hidden_param *h = &r->hidden[i];
        const char *kind = h->kind == CUBINET_HIDDEN_SCRATCH         ? "scratch"
                           : h->kind == CUBINET_HIDDEN_PROFILE       ? "profile"
                           : h->kind == CUBINET_HIDDEN_LAUNCH_BOUNDS ? "launch-bounds"
                                                                     : "unknown";
        PyTuple_SetItem(all, (Py_ssize_t)i,
                        Py_BuildValue("IsKII", h->param, kind, (unsigned long long)h->bytes_per_block,
                                      h->alignment, h->dimensions));
    }
    return all;
}

static PyObject *names_of(const cubinet_launch_record *r)
{
    PyObject *all = PyTuple_New(r->param_names ? (Py_ssize_t)r->param_name_count : 0);
    for (uint32_t i = 0; all && r->param_names && i < r->param_name_count; i++) {
        PyTuple_SetItem(all, (Py_ssize_t)i,
                        Py_BuildValue("ss", r->param_names[i].name, r->param_names[i].type));
    }
    return all;
}

PyObject *py_record_launch(const void *recorded)
{
    const cubinet_launch_record *r = recorded;
    return Py_BuildValue(
        "OON(III)(III)(III)NN", r->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED ? Py_True : Py_False,
        r->flags & CUBINET_RECORD_COOPERATIVE ? Py_True : Py_False, py_record_number(r->dynamic_shared_bytes),
        r->block[0], r->block[1], r->block[2], r->grid_factor[0], r->grid_factor[1], r->grid_factor[2],
        r->cluster[0], r->cluster[1], r->cluster[2], hidden_of(r), names_of(r));
}

PyObject *py_record_image(const void *recorded)
{
    const cubinet_image_info *i = recorded;
    char name[CUBINET_TARGET_NAME_SIZE];
    return Py_BuildValue("siIIIKKI", cubinet_target_name(i->target, name), (int)i->target.kind, i->toolkit,
                         i->ptx_isa, i->link_floor, (unsigned long long)i->stored_size,
                         (unsigned long long)i->raw_size, i->part_count);
}

static PyObject *instances_of(const cubinet_tuning *t)
{
    PyObject *all = PyTuple_New((Py_ssize_t)t->instance_count);
    for (uint32_t i = 0; all && i < t->instance_count; i++) {
        PyTuple_SetItem(all, (Py_ssize_t)i, PyUnicode_FromString(t->instances[i]));
    }
    return all;
}

static PyObject *configuration_of(const cubinet_tuning *t)
{
    return Py_BuildValue("s(III)(III)I(III)(III)I", t->kernel, t->block[0], t->block[1], t->block[2],
                         t->cluster[0], t->cluster[1], t->cluster[2], t->grid_rule, t->grid_value[0],
                         t->grid_value[1], t->grid_value[2], t->grid_limit[0], t->grid_limit[1],
                         t->grid_limit[2], t->dynamic_shared_bytes);
}

static PyObject *measured_of(const cubinet_tuning *t)
{
    return Py_BuildValue("KKKKIIKIIII", (unsigned long long)t->time_ns, (unsigned long long)t->noise_ns,
                         (unsigned long long)t->untuned_time_ns, (unsigned long long)t->untuned_noise_ns,
                         t->candidate_count, t->measurement_count, (unsigned long long)t->date,
                         t->driver_version, t->toolkit, t->sm_clock_mhz, t->memory_clock_mhz);
}

PyObject *py_record_tuning(const void *recorded)
{
    const cubinet_tuning *t = recorded;
    char target[CUBINET_TARGET_NAME_SIZE];
    return Py_BuildValue("sNssII(KKK)sy#NINN", t->what, instances_of(t), t->default_kernel, t->gpu,
                         t->compute, t->multiprocessor_count, (unsigned long long)t->extent[0],
                         (unsigned long long)t->extent[1], (unsigned long long)t->extent[2],
                         cubinet_target_name(t->target, target), (const char *)t->digest,
                         (Py_ssize_t)sizeof(t->digest), py_record_number(t->image), t->flags,
                         configuration_of(t), measured_of(t));
}
