/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_types.h"
#include "unit.h"

#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

static void describe_type(struct buffer *text, const struct header_type *type)
{
    static const char *const kinds[] = {
        [HEADER_TYPE_SIZED] = "?",   [HEADER_TYPE_VALUE] = "class",   [HEADER_TYPE_NUMBER] = "",
        [HEADER_TYPE_POINTER] = "*", [HEADER_TYPE_OBJECT] = "class*",
    };
    buffer_printf(text, "%s%s%s%s", kinds[type->kind], type->is_const ? " const" : "",
                  type->is_volatile ? " volatile" : "",
                  type->kind == HEADER_TYPE_POINTER || type->kind == HEADER_TYPE_OBJECT ? " " : "");
    buffer_puts(text, type->text);
}

/* "ns::scale<float, 4...>(* float, int)"; what can't be named has no name. */
static char *describe(struct header_types *types, const char *lowered)
{
    struct header_signature signature;
    assert_int_equal(header_signature_read(types, lowered, &signature), CUBINET_OK);
    struct buffer text = {0};
    bool has_arguments = signature.path && signature.is_template;
    buffer_printf(&text, "%s%s", signature.path ? signature.path : "-", has_arguments ? "<" : "");
    for (uint32_t i = 0; has_arguments && i < signature.argument_count; i++) {
        const struct header_argument *argument = &signature.arguments[i];
        buffer_printf(&text, "%s%s%s%s%s", i ? ", " : "", argument->is_value ? argument->type : "",
                      argument->is_value ? " " : "", argument->text, argument->in_pack ? "..." : "");
    }
    buffer_puts(&text, has_arguments ? ">" : "");
    for (uint32_t i = 0; i < signature.parameter_count; i++) {
        buffer_puts(&text, i ? ", " : "(");
        describe_type(&text, &signature.parameters[i]);
    }
    buffer_puts(&text, signature.parameter_count ? ")" : signature.is_mangled ? "()" : "");
    header_signature_free(&signature);
    return buffer_take(&text);
}

static void reads_names(void **state)
{
    (void)state;
    static const struct {
        const char *lowered;
        const char *expected;
    } cases[] = {
        {"saxpy", "saxpy"},
        {"class", "class_"},
        {"_Z7nothingv", "nothing()"},
        {"_Z5scalePffi", "scale(* float, float, int)"},
        {"_ZN2ns5inner5scaleEPKf", "ns::inner::scale(* const float)"},
        {"_ZN12_GLOBAL__N_16hiddenEPi", "hidden(* int)"},
        {"_Z1kPKPKiPPiPVfPVKf", "k(* const const int *, * int *, * volatile float, ?)"},
        {"_Z1kPvPKvPPv", "k(* void, * const void, * void *)"},
        {"_Z1kPrf", "k(* float)"},
        {"_Z1k6ParamsP6ParamsPKS_PPS_", "k(class, class* , class* const , class* )"},
        {"_Z1kwDsDinoegDhDF16_", "k(?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {"_Z1kRiOfPFviEPA4_fM6Paramsi", "k(?, ?, ?, ?, ?)"},
        {"_Z1kN2ns5ArrayIfLi3EE5InnerENS_5ArrayIiLi2EEE", "k(class, class)"},
        {"_Z6segsumIfiLi256ELi4EEvPKT_PKT0_PS0_",
         "segsum<float, int, int 256, int 4>(* const float, * const int, * float)"},
        {"_Z1kILb1ELy5ELc65ELsn3ELln7EEvv",
         "k<bool true, unsigned long long 5ull, char (char)65, short (short)-3, long -7l>()"},
        {"_Z1kILm18446744073709551615EEvv", "-()"},
        {"_Z1kIL4Mode1EEvv", "-()"},
        {"_Z1kI6ParamsEvPT_T_", "-(class* , class)"},
        {"_Z1kIPKfKiPVcEvT_", "k<const float *, const int, volatile char *>(* const float)"},
        {"_Z1kIPKfKiEvT_", "k<const float *, const int>(* const float)"},
        {"_Z1kIJifEEvDpT_", "k<int..., float...>(int, float)"},
        {"_Z1kIJEEvDpT_", "k<>()"},
        {"_Z1kIJKfdEEvDpPT_", "k<const float..., double...>(* const float, * double)"},
        {"_Z1kIfJLi1ELi2EEEvPT_", "k<float, int 1..., int 2...>(* float)"},
        {"_Z1kIJiEJfEEvDpT_", "-(int)"},
        {"_Z1kI5ArrayEvNT_4typeEPNS1_4typeEPS1_", "-(?, ?, class* )"},
        {"_ZN5OuterIiE1kEPi", "-(* int)"},
        {"_Z1kPPPPPPPPPPi", "k(class* )"},
        {"_Z", "_Z"},
        {"_Z1k", "_Z1k"},
        {"_Z1kP", "_Z1kP"},
        {"a b", "-"},
        {"", "-"},
    };
    struct header_types *types = header_types_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = describe(types, cases[i].lowered);
        if (strcmp(text, cases[i].expected) != 0) {
            print_error("%s:\n", cases[i].lowered);
        }
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
    header_types_free(types);
}

/* Few bytes can stand for more types than there is time for. */
static void bounds_its_work(void **state)
{
    (void)state;
    struct header_types *types = header_types_new();
    struct buffer deep = {0};
    buffer_puts(&deep, "_Z1kIiEv");
    struct buffer wide = {0};
    buffer_puts(&wide, "_Z1k");
    struct buffer pack = {0};
    buffer_puts(&pack, "_Z1kIJ");
    for (int i = 0; i < 90; i++) {
        buffer_puts(&deep, "PK");
    }
    for (int i = 0; i < 2000; i++) {
        buffer_puts(&wide, "i");
        buffer_puts(&pack, "f");
    }
    buffer_puts(&deep, "T_");
    buffer_puts(&pack, "EEvDpT_DpT_DpT_");
    const char *expected[] = {"(class* const )", NULL, NULL};
    struct buffer *names[] = {&deep, &wide, &pack};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *text = describe(types, names[i]->data);
        assert_true(!expected[i] || strstr(text, expected[i]));
        free(text);
        struct header_signature signature;
        assert_int_equal(header_signature_read(types, names[i]->data, &signature), CUBINET_OK);
        assert_int_equal(signature.is_mangled, i == 0);
        header_signature_free(&signature);
        buffer_free(names[i]);
    }
    header_types_free(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_names),
        cmocka_unit_test(bounds_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
