#ifndef ULS_PROCESS_PROCESS_PRIVILEGES_H
#define ULS_PROCESS_PROCESS_PRIVILEGES_H

/// Whether this process has more rights than the process that started it (getauxval(3), AT_SECURE), by set-user-ID, set-group-ID, file capabilities
/// or a security module. The environment of such a process comes from a less privileged caller and mustn't be trusted.
int uls_process_is_privileged(void);

#endif
