#ifndef ULS_LOADING_DESKTOP_H
#define ULS_LOADING_DESKTOP_H

// Services of the desktop and the system: stored secrets, power supply and networks. Asked over D-Bus, if there is one, and netlink.

#include "network_watch.h"
#include "power_watch.h"
#include "secret_service.h"

#endif
