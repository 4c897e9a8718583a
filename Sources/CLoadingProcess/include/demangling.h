#ifndef ULS_PROCESS_DEMANGLING_H
#define ULS_PROCESS_DEMANGLING_H

/// The written form of a name of Swift's, by the runtime of this process; NULL if it is none. The caller frees it.
char *uls_demangled(const char *name);

#endif
