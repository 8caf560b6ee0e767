/* Mac Roman: the characters of its upper half.
 *
 * Owns: the table. Threads: any. */
#ifndef GYRE_BASE_MAC_ROMAN_H
#define GYRE_BASE_MAC_ROMAN_H

#include <stdbool.h>
#include <stdint.h>

uint32_t gy_mac_roman_character(uint8_t byte);
/* False for a character that Mac Roman does not have. */
bool gy_mac_roman_byte(uint32_t character, uint8_t *byte);

#endif
