#ifndef ULS_LOADING_PROCESS_H
#define ULS_LOADING_PROCESS_H

// This process and the kernel: programs that it starts, local sockets, pipes, what its files, threads and signals are about.

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
