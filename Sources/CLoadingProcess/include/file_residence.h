#ifndef ULS_PROCESS_FILE_RESIDENCE_H
#define ULS_PROCESS_FILE_RESIDENCE_H

#include <stdint.h>

/// Whether `length` bytes of a file from `offset` on are in the page cache, judged by samples that are read with RWF_NOWAIT. Returns 1 if all samples
/// are, 0 if one isn't, -1 if the file system doesn't support the question.
int uls_file_is_in_memory(int descriptor, int64_t offset, int64_t length);

#endif
