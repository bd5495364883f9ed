// SPDX-License-Identifier: Apache-2.0
// Empty: what it declares is for host code.
