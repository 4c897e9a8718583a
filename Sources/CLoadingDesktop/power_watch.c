#include "power_watch.h"
#include "system_bus.h"

#include <stddef.h>

int uls_power_on_battery(void) {
  void *bus = uls_bus_open();
  if (!bus) return -1;
  void *property = uls_bus_property(bus, "org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower", "OnBattery");
  uint32_t value = 0;
  int is_known = uls_bus_read(property, ULS_BUS_BOOLEAN, &value);
  uls_bus_release(property);
  uls_bus_close(bus);
  return is_known ? value != 0 : -1;
}
