/* An archive as bytes of a program. Compile with
 *
 *   CUBINET_EMBED_SYMBOL   the name that the program uses: `extern const unsigned char SYMBOL[]`, and
 *                          `extern const size_t SYMBOL_size`
 *   CUBINET_EMBED_FILE     the archive's path, a string literal of a string literal: "\"kernels.cubinet\""
 *   CUBINET_EMBED_SECTION  the section, if the bytes are not an archive. An archive's has its symbol's name
 * at the end: linkers leave it as it is, beside those of others, and `cubinet list` finds it in the program
 *
 * and with -fno-lto for a static library, whose symbol table would lack the symbols otherwise.
 *
 * The assembler takes the bytes as they are, where a C array of them would cost minutes of compile time. The
 * symbols are hidden, so that every library of a process may have an archive of the same name. */
#ifndef __LP64__
#error "Cubinet runs on 64-bit Linux"
#endif

#define CUBINET_EMBED_TEXT_(x) #x
#define CUBINET_EMBED_TEXT(x)  CUBINET_EMBED_TEXT_(x)
#define CUBINET_EMBED_NAME     CUBINET_EMBED_TEXT(CUBINET_EMBED_SYMBOL)
#ifndef CUBINET_EMBED_SECTION
#define CUBINET_EMBED_SECTION ".cubinet." CUBINET_EMBED_NAME
#endif

__asm__(".pushsection " CUBINET_EMBED_SECTION ", \"a\", %progbits\n"
        ".balign 16\n"
        ".globl " CUBINET_EMBED_NAME "\n"
        ".hidden " CUBINET_EMBED_NAME "\n"
        ".type " CUBINET_EMBED_NAME ", %object\n" /* */
        CUBINET_EMBED_NAME ":\n"
        ".incbin " CUBINET_EMBED_FILE "\n"
        ".L" CUBINET_EMBED_NAME "_end:\n"
        ".size " CUBINET_EMBED_NAME ", .L" CUBINET_EMBED_NAME "_end - " CUBINET_EMBED_NAME "\n"
        ".popsection\n"
        ".pushsection .rodata." CUBINET_EMBED_NAME "_size, \"a\", %progbits\n"
        ".balign 8\n"
        ".globl " CUBINET_EMBED_NAME "_size\n"
        ".hidden " CUBINET_EMBED_NAME "_size\n"
        ".type " CUBINET_EMBED_NAME "_size, %object\n"
        ".size " CUBINET_EMBED_NAME "_size, 8\n" /* */
        CUBINET_EMBED_NAME "_size:\n"
        ".quad .L" CUBINET_EMBED_NAME "_end - " CUBINET_EMBED_NAME "\n"
        ".popsection\n");

/* ISO C wants a declaration in every file. */
extern const unsigned char CUBINET_EMBED_SYMBOL[];
