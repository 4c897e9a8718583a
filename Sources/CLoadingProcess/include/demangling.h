#ifndef ULS_PROCESS_DEMANGLING_H
#define ULS_PROCESS_DEMANGLING_H

/// Returns the readable form of a mangled Swift symbol name, from the Swift runtime of this process; NULL if the name isn't a mangled one. The caller
/// frees the result.
char *uls_demangled(const char *name);

#endif
