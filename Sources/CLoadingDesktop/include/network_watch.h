#ifndef ULS_DESKTOP_NETWORK_WATCH_H
#define ULS_DESKTOP_NETWORK_WATCH_H

/// Opens a netlink socket that becomes readable when a link, an address or a route changes (rtnetlink(7)). The caller closes it. Returns the negated
/// errno on failure.
int uls_network_watch_open(void);

/// Returns NetworkManager's NMMetered of the device of an interface (0 unknown, 1 yes, 2 no, 3 guessed yes, 4 guessed no); 0 if NetworkManager
/// doesn't run. Waits at most about a second for each answer.
unsigned uls_network_metering(const char *interface);

#endif
