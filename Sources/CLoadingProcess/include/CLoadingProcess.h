#ifndef ULS_LOADING_PROCESS_H
#define ULS_LOADING_PROCESS_H

// The module's interface to this process and the kernel: starting programs, local sockets, pipes, and facts about files, call stacks and signals.

#include "call_place.h"
#include "delegate_probe.h"
#include "demangling.h"
#include "detached_program.h"
#include "file_residence.h"
#include "inspector_hook.h"
#include "local_socket.h"
#include "pipe_transfer.h"
#include "process_privileges.h"
#include "report_signal.h"
#include "retain_count.h"
#include "tool_output.h"

#endif
