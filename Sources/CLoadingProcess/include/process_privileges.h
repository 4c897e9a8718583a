#ifndef ULS_PROCESS_PROCESS_PRIVILEGES_H
#define ULS_PROCESS_PROCESS_PRIVILEGES_H

/// Whether this process runs with more rights than the one that has started it (getauxval(3), AT_SECURE): set-user-ID, set-group-ID, file
/// capabilities, or what a security module says. Its environment is its caller's then.
int uls_process_is_privileged(void);

#endif
