/* SPDX-License-Identifier: Apache-2.0 */
#include "show/report.h"

#include "show/report_page.h"

cubinet_status report_write(const struct shown_archive *shown, const char *path)
{
    json_t *data;
    cubinet_status status = report_data(shown, &data);
    return status ? status : page_write(report_template, report_template_size, data, path);
}
