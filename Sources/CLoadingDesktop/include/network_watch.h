#ifndef ULS_DESKTOP_NETWORK_WATCH_H
#define ULS_DESKTOP_NETWORK_WATCH_H

/// A socket that becomes readable when a link, an address or a route changes (rtnetlink(7)), for the caller to close; the negated errno
/// if there is none to be had.
int uls_network_watch_open(void);

/// What NetworkManager says of the device behind an interface: its NMMetered (0 unknown, 1 yes, 2 no, 3 supposed yes, 4 supposed no);
/// 0 where it doesn't run. Waits for the answer, at most about a second.
unsigned uls_network_metering(const char *interface);

#endif
