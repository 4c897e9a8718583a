#ifndef C_LOADING_SHIMS_H
#define C_LOADING_SHIMS_H
#include "delegate_probe.h"
#include "content_decoder.h"
#include "checksum.h"
#include "message_deflate.h"
#include "negotiation.h"
#include "secret_service.h"
#include "public_suffix.h"
#include "network_watch.h"
#include "power_watch.h"
#include "pipe_transfer.h"
#include "name_lifetime.h"
#include "name_question.h"
#include "tool_output.h"
#include "local_socket.h"
#include "detached_program.h"
#endif
