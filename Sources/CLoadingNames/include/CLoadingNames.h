#ifndef ULS_LOADING_NAMES_H
#define ULS_LOADING_NAMES_H

// Names: questions to the DNS, public suffixes, and the proof of an identity by GSSAPI.

#include "name_lifetime.h"
#include "name_question.h"
#include "negotiation.h"
#include "public_suffix.h"

#endif
