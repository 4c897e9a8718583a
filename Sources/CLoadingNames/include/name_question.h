#ifndef ULS_NAMES_NAME_QUESTION_H
#define ULS_NAMES_NAME_QUESTION_H

#include <stddef.h>
#include <stdint.h>

/// Queries the DNS for the records of `name` with this type (res_nquery(3), without the search list). Waits at most a second for each name server;
/// repeats the query over TCP if the answer is too long for UDP.
///
/// Returns the length of the response message, which is in `answer`; 0 if the name has no such records; -1 if the DNS doesn't answer, or the response
/// is longer than `capacity`.
int uls_name_question(const char *name, int type, unsigned char *answer, size_t capacity);

#endif
