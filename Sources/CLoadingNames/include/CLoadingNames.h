#ifndef ULS_LOADING_NAMES_H
#define ULS_LOADING_NAMES_H

// Services for names: DNS queries, the public suffix list, and authentication by GSSAPI.

#include "name_lifetime.h"
#include "name_question.h"
#include "negotiation.h"
#include "public_suffix.h"

#endif
