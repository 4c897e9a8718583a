#ifndef ULS_LOADING_DESKTOP_H
#define ULS_LOADING_DESKTOP_H

// What the desktop and the system's services say: secrets, power, networks. Over D-Bus, where it is there, and netlink.

#include "network_watch.h"
#include "power_watch.h"
#include "secret_service.h"

#endif
