/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/spills.h"

#include "loader/core/archive/format.h"

enum {
    /* A note: its kind, and the offset of an instruction in the code. */
    NOTE_WORDS = 2,
    NOTE_SIZE = NOTE_WORDS * 4,
    NOTE_IS_SPILL = 1,

    /* Instructions from Volta on. */
    FIRST_NUMBER = 70,
    INSTRUCTION_SIZE = 16,
    OPCODE_MASK = 0xfff,
    OPCODE_STORE_LOCAL = 0x387,
    OPCODE_LOAD_LOCAL = 0x983,
    WIDTH_OFFSET = 8, /* of the word whose bits 9 to 11 say how much is stored or loaded */
    WIDTH_SHIFT = 9,
    WIDTH_MASK = 7,
};

/* By the width's number: bytes and halves, signed or not, then words. */
static const uint32_t width_bytes[WIDTH_MASK + 1] = {1, 1, 2, 2, 4, 8, 16, 0};

bool cbn_spills_are_readable(int number)
{
    return number >= FIRST_NUMBER;
}

/* Spills to shared memory, which code can ask for, are noted too. They are not in local memory, and ptxas
 * does not count them either. */
static void add_instruction(const unsigned char *instruction, struct cbn_spills *spills)
{
    uint32_t opcode = cbn_get32(instruction) & OPCODE_MASK;
    uint32_t bytes = width_bytes[cbn_get32(instruction + WIDTH_OFFSET) >> WIDTH_SHIFT & WIDTH_MASK];
    spills->store_bytes += opcode == OPCODE_STORE_LOCAL ? bytes : 0;
    spills->load_bytes += opcode == OPCODE_LOAD_LOCAL ? bytes : 0;
}

bool cbn_spills_add(const struct cbn_nv_info_record *annotations, const unsigned char *code,
                    uint64_t code_size, struct cbn_spills *spills)
{
    for (size_t i = 0; i < annotations->size / NOTE_SIZE; i++) {
        uint32_t kind = cbn_nv_info_word(annotations, NOTE_WORDS * i);
        uint32_t place = cbn_nv_info_word(annotations, NOTE_WORDS * i + 1);
        if (!code || code_size < INSTRUCTION_SIZE || place > code_size - INSTRUCTION_SIZE) {
            return false;
        }
        if (kind == NOTE_IS_SPILL) {
            add_instruction(code + place, spills);
        }
    }
    return true;
}
