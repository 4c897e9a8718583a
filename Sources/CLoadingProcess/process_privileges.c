#include "process_privileges.h"

#include <sys/auxv.h>

int uls_process_is_privileged(void) { return getauxval(AT_SECURE) != 0; }
