#ifndef ULS_DESKTOP_SYSTEM_BUS_H
#define ULS_DESKTOP_SYSTEM_BUS_H

#include <stdint.h>

// The system's D-Bus, by libdbus, which is looked for at run time. Each call waits for its answer, at most a second.

/// What a reply may begin with (D-Bus's type codes).
enum { ULS_BUS_PATH = 'o', ULS_BUS_UINT32 = 'u', ULS_BUS_BOOLEAN = 'b' };

/// A connection of its own; NULL if there is no bus, or no libdbus.
void *uls_bus_open(void);
void uls_bus_close(void *bus);

/// Calls a method with one string or two. The reply, to be released; NULL if there is none.
void *uls_bus_call(
  void *bus, const char *service, const char *path, const char *interface, const char *method, const char *first, const char *second);
void *uls_bus_property(void *bus, const char *service, const char *path, const char *interface, const char *name);

/// Whether the reply, which may be NULL, begins with a value of the kind, which is stored then. Strings live as long as the reply.
int uls_bus_read(void *reply, int kind, void *value);
void uls_bus_release(void *reply);

#endif
