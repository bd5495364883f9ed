// SPDX-License-Identifier: Apache-2.0
// The sizes of the floating-point types. On a GPU long double is double.
#ifndef CUBINET_STD_FLOAT_H
#define CUBINET_STD_FLOAT_H

#undef FLT_RADIX
#undef FLT_ROUNDS
#undef FLT_EVAL_METHOD
#undef DECIMAL_DIG
#undef FLT_MANT_DIG
#undef FLT_DIG
#undef FLT_DECIMAL_DIG
#undef FLT_MIN_EXP
#undef FLT_MIN_10_EXP
#undef FLT_MAX_EXP
#undef FLT_MAX_10_EXP
#undef FLT_HAS_SUBNORM
#undef FLT_MAX
#undef FLT_EPSILON
#undef FLT_MIN
#undef FLT_TRUE_MIN
#undef DBL_MANT_DIG
#undef DBL_DIG
#undef DBL_DECIMAL_DIG
#undef DBL_MIN_EXP
#undef DBL_MIN_10_EXP
#undef DBL_MAX_EXP
#undef DBL_MAX_10_EXP
#undef DBL_HAS_SUBNORM
#undef DBL_MAX
#undef DBL_EPSILON
#undef DBL_MIN
#undef DBL_TRUE_MIN
#undef LDBL_MANT_DIG
#undef LDBL_DIG
#undef LDBL_DECIMAL_DIG
#undef LDBL_MIN_EXP
#undef LDBL_MIN_10_EXP
#undef LDBL_MAX_EXP
#undef LDBL_MAX_10_EXP
#undef LDBL_HAS_SUBNORM
#undef LDBL_MAX
#undef LDBL_EPSILON
#undef LDBL_MIN
#undef LDBL_TRUE_MIN

#define FLT_RADIX        2
#define FLT_ROUNDS       1
#define FLT_EVAL_METHOD  0
#define DECIMAL_DIG      17
#define FLT_MANT_DIG     24
#define FLT_DIG          6
#define FLT_DECIMAL_DIG  9
#define FLT_MIN_EXP      (-125)
#define FLT_MIN_10_EXP   (-37)
#define FLT_MAX_EXP      128
#define FLT_MAX_10_EXP   38
#define FLT_HAS_SUBNORM  1
#define FLT_MAX          3.402823466385288598117e+38F
#define FLT_EPSILON      1.192092895507812500000e-7F
#define FLT_MIN          1.175494350822287507969e-38F
#define FLT_TRUE_MIN     1.401298464324817070924e-45F
#define DBL_MANT_DIG     53
#define DBL_DIG          15
#define DBL_DECIMAL_DIG  17
#define DBL_MIN_EXP      (-1021)
#define DBL_MIN_10_EXP   (-307)
#define DBL_MAX_EXP      1024
#define DBL_MAX_10_EXP   308
#define DBL_HAS_SUBNORM  1
#define DBL_MAX          1.797693134862315708145e+308
#define DBL_EPSILON      2.220446049250313080847e-16
#define DBL_MIN          2.225073858507201383090e-308
#define DBL_TRUE_MIN     4.940656458412465441766e-324
#define LDBL_MANT_DIG    DBL_MANT_DIG
#define LDBL_DIG         DBL_DIG
#define LDBL_DECIMAL_DIG DBL_DECIMAL_DIG
#define LDBL_MIN_EXP     DBL_MIN_EXP
#define LDBL_MIN_10_EXP  DBL_MIN_10_EXP
#define LDBL_MAX_EXP     DBL_MAX_EXP
#define LDBL_MAX_10_EXP  DBL_MAX_10_EXP
#define LDBL_HAS_SUBNORM DBL_HAS_SUBNORM
#define LDBL_MAX         DBL_MAX
#define LDBL_EPSILON     DBL_EPSILON
#define LDBL_MIN         DBL_MIN
#define LDBL_TRUE_MIN    DBL_TRUE_MIN

#endif
