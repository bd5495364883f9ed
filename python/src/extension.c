/* SPDX-License-Identifier: Apache-2.0 */
/* The module cubinet._loader. */
#include "driver.h"

PyMODINIT_FUNC PyInit__loader(void);

PyMODINIT_FUNC PyInit__loader(void)
{
    static struct PyModuleDef definition = {
        PyModuleDef_HEAD_INIT,
        .m_name = "cubinet._loader",
        .m_doc = "libcubinet for Python. What programs use of it is in the package cubinet.",
        .m_size = -1,
    };
    definition.m_methods = py_driver_functions;
    PyObject *extension = PyModule_Create(&definition);
    if (extension && (py_archive_register(extension) != 0 || py_module_register(extension) != 0 ||
                      py_kernel_register(extension) != 0 || py_link_register(extension) != 0 ||
                      PyModule_AddStringConstant(extension, "version", cubinet_version()) != 0)) {
        Py_DECREF(extension);
        return NULL;
    }
    return extension;
}
