#ifndef ULS_NAMES_NAME_QUESTION_H
#define ULS_NAMES_NAME_QUESTION_H

#include <stddef.h>
#include <stdint.h>

/// Asks the DNS for the records of `name` with this type (res_nquery(3), without the search list), a second for each name server; by TCP
/// where an answer is too long for a datagram.
///
/// Returns the length of the answer's message, which is in `answer` then; 0 if the name has no such records, -1 if the DNS doesn't answer,
/// or with more than `capacity` bytes.
int uls_name_question(const char *name, int type, unsigned char *answer, size_t capacity);

#endif
