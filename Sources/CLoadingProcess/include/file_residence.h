#ifndef ULS_PROCESS_FILE_RESIDENCE_H
#define ULS_PROCESS_FILE_RESIDENCE_H

#include <stdint.h>

/// Whether a part of a file is in memory, as far as samples tell: 1 if all of them are, 0 if one isn't, -1 if the file system doesn't say.
int uls_file_is_in_memory(int descriptor, int64_t offset, int64_t length);

#endif
