#define _GNU_SOURCE
#include "network_watch.h"
#include "library_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

int uls_network_watch_open(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct sockaddr_nl address = {
    .nl_family = AF_NETLINK,
    .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
  };
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
    int code = errno;
    close(descriptor);
    return -code;
  }
  return descriptor;
}

// The few functions of libdbus that are needed, declared here so that its headers aren't. Objects are opaque.
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

enum { system_bus = 1, milliseconds = 1000, type_string = 's', type_path = 'o', type_variant = 'v', type_uint32 = 'u' };

static void *call(void *bus, const char *path, const char *interface, const char *method, const char *first, const char *second) {
  void *message = lib.call_new("org.freedesktop.NetworkManager", path, interface, method);
  if (!message) return NULL;
  dbus_iterator arguments;
  lib.append_begin(message, &arguments);
  unsigned complete = lib.append_basic(&arguments, type_string, &first);
  if (second) complete = complete && lib.append_basic(&arguments, type_string, &second);
  void *reply = complete ? lib.send(bus, message, milliseconds, NULL) : NULL;
  lib.message_unref(message);
  return reply;
}

static unsigned metering(void *bus, const char *interface) {
  void *device = call(
    bus, "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager", "GetDeviceByIpIface", interface, NULL);
  if (!device) return 0;
  unsigned value = 0;
  dbus_iterator items, inner;
  if (lib.read_begin(device, &items) && lib.kind(&items) == type_path) {
    const char *path = NULL;
    lib.basic(&items, &path);
    void *property = call(
      bus, path, "org.freedesktop.DBus.Properties", "Get", "org.freedesktop.NetworkManager.Device", "Metered");
    if (property) {
      if (lib.read_begin(property, &items) && lib.kind(&items) == type_variant) {
        lib.recurse(&items, &inner);
        uint32_t number = 0;
        if (lib.kind(&inner) == type_uint32) lib.basic(&inner, &number);
        value = number;
      }
      lib.message_unref(property);
    }
  }
  lib.message_unref(device);
  return value;
}

unsigned uls_network_metering(const char *interface) {
  pthread_once(&once, look_up);
  if (!is_available) return 0;
  void *bus = lib.bus_get_private(system_bus, NULL);
  if (!bus) return 0;
  lib.set_exit_on_disconnect(bus, 0);
  unsigned value = metering(bus, interface);
  lib.close(bus);
  lib.unref(bus);
  return value;
}
