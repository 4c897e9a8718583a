#ifndef ULS_DESKTOP_SYSTEM_BUS_H
#define ULS_DESKTOP_SYSTEM_BUS_H

#include <stdint.h>

// The system's D-Bus, by libdbus, which is loaded at run time. Each call waits at most a second for its reply.

/// The types of a reply's first value, by D-Bus's type codes.
enum { ULS_BUS_PATH = 'o', ULS_BUS_UINT32 = 'u', ULS_BUS_BOOLEAN = 'b' };

/// Opens a private connection to the system bus; NULL if there is no bus or no libdbus.
void *uls_bus_open(void);
void uls_bus_close(void *bus);

/// The first function calls a method with one or two strings; `second` may be NULL. The second function reads a property. Both return the reply,
/// which uls_bus_release releases; NULL if there was none within a second.
void *uls_bus_call(
  void *bus, const char *service, const char *path, const char *interface, const char *method, const char *first, const char *second);
void *uls_bus_property(void *bus, const char *service, const char *path, const char *interface, const char *name);

/// If the reply begins with a value of type `kind`, stores it in `value` and returns 1; otherwise, or if the reply is NULL, returns 0. Strings are
/// valid until the reply is released.
int uls_bus_read(void *reply, int kind, void *value);
void uls_bus_release(void *reply);

#endif
