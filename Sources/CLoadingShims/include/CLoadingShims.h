#ifndef C_LOADING_SHIMS_H
#define C_LOADING_SHIMS_H
#include "delegate_probe.h"
#include "content_decoder.h"
#endif
