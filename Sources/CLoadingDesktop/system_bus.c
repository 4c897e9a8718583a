#define _GNU_SOURCE
#include "system_bus.h"
#include "library_symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// The types of libdbus that its functions take, declared here so that building needs no D-Bus headers. Messages and connections are opaque pointers.
typedef struct {
  void *a, *b;
  uint32_t c;
  int d, e, f, g, h, i, j, k, l;
  void *m, *n, *spare[8];
} dbus_iterator;

static struct {
  void *(*bus_get_private)(int, void *);
  void (*set_exit_on_disconnect)(void *, unsigned);
  void (*close)(void *);
  void (*unref)(void *);
  void *(*call_new)(const char *, const char *, const char *, const char *);
  void (*append_begin)(void *, dbus_iterator *);
  unsigned (*append_basic)(dbus_iterator *, int, const void *);
  void *(*send)(void *, void *, int, void *);
  unsigned (*read_begin)(void *, dbus_iterator *);
  int (*kind)(dbus_iterator *);
  void (*basic)(dbus_iterator *, void *);
  void (*recurse)(dbus_iterator *, dbus_iterator *);
  void (*message_unref)(void *);
} lib;
static int is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
  void *library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  is_available = look_up_symbol(library, &lib.bus_get_private, "dbus_bus_get_private") &&
                 look_up_symbol(library, &lib.set_exit_on_disconnect, "dbus_connection_set_exit_on_disconnect") &&
                 look_up_symbol(library, &lib.close, "dbus_connection_close") &&
                 look_up_symbol(library, &lib.unref, "dbus_connection_unref") &&
                 look_up_symbol(library, &lib.call_new, "dbus_message_new_method_call") &&
                 look_up_symbol(library, &lib.append_begin, "dbus_message_iter_init_append") &&
                 look_up_symbol(library, &lib.append_basic, "dbus_message_iter_append_basic") &&
                 look_up_symbol(library, &lib.send, "dbus_connection_send_with_reply_and_block") &&
                 look_up_symbol(library, &lib.read_begin, "dbus_message_iter_init") &&
                 look_up_symbol(library, &lib.kind, "dbus_message_iter_get_arg_type") &&
                 look_up_symbol(library, &lib.basic, "dbus_message_iter_get_basic") &&
                 look_up_symbol(library, &lib.recurse, "dbus_message_iter_recurse") &&
                 look_up_symbol(library, &lib.message_unref, "dbus_message_unref");
}

enum { system_bus = 1, milliseconds = 1000, type_string = 's', type_variant = 'v' };

// Whether the system bus can exist. Checked first because loading libdbus takes milliseconds.
static int has_bus(void) {
  return secure_getenv("DBUS_SYSTEM_BUS_ADDRESS") || !access("/run/dbus/system_bus_socket", F_OK) ||
         !access("/var/run/dbus/system_bus_socket", F_OK);
}

void *uls_bus_open(void) {
  if (!has_bus()) return NULL;
  pthread_once(&once, look_up);
  if (!is_available) return NULL;
  void *bus = lib.bus_get_private(system_bus, NULL);
  if (bus) lib.set_exit_on_disconnect(bus, 0);
  return bus;
}

void uls_bus_close(void *bus) {
  lib.close(bus);
  lib.unref(bus);
}

void *uls_bus_call(
  void *bus, const char *service, const char *path, const char *interface, const char *method, const char *first, const char *second) {
  void *message = lib.call_new(service, path, interface, method);
  if (!message) return NULL;
  dbus_iterator arguments;
  lib.append_begin(message, &arguments);
  unsigned complete = lib.append_basic(&arguments, type_string, &first);
  if (second) complete = complete && lib.append_basic(&arguments, type_string, &second);
  void *reply = complete ? lib.send(bus, message, milliseconds, NULL) : NULL;
  lib.message_unref(message);
  return reply;
}

void *uls_bus_property(void *bus, const char *service, const char *path, const char *interface, const char *name) {
  return uls_bus_call(bus, service, path, "org.freedesktop.DBus.Properties", "Get", interface, name);
}

int uls_bus_read(void *reply, int kind, void *value) {
  dbus_iterator items, inner, *place = &items;
  if (!reply || !lib.read_begin(reply, &items)) return 0;
  if (lib.kind(&items) == type_variant) {
    lib.recurse(&items, &inner);
    place = &inner;
  }
  if (lib.kind(place) != kind) return 0;
  lib.basic(place, value);
  return 1;
}

void uls_bus_release(void *reply) {
  if (reply) lib.message_unref(reply);
}
