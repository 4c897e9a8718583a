#define _GNU_SOURCE
#include "network_watch.h"
#include "system_bus.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
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

static const char *const manager = "org.freedesktop.NetworkManager";

unsigned uls_network_metering(const char *interface) {
  void *bus = uls_bus_open();
  if (!bus) return 0;
  uint32_t value = 0;
  void *device = uls_bus_call(bus, manager, "/org/freedesktop/NetworkManager", manager, "GetDeviceByIpIface", interface, NULL);
  const char *path = NULL;
  if (uls_bus_read(device, ULS_BUS_PATH, &path)) {
    void *property = uls_bus_property(bus, manager, path, "org.freedesktop.NetworkManager.Device", "Metered");
    uls_bus_read(property, ULS_BUS_UINT32, &value);
    uls_bus_release(property);
  }
  uls_bus_release(device);
  uls_bus_close(bus);
  return value;
}
