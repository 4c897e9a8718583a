#ifndef ULS_PROCESS_DELEGATE_PROBE_H
#define ULS_PROCESS_DELEGATE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/// Set by a dispatcher for the current thread while it calls `method` of `delegate`, to find out whether the class implements that optional method:
/// the library's default implementation sets `reached`. A zero `delegate` means that no dispatcher is probing.
typedef struct {
  uintptr_t delegate;
  uint32_t method;
  bool reached;
} uls_delegate_probe;

/// Installs `probe` for the current thread and returns the one that was installed before.
uls_delegate_probe uls_delegate_probe_exchange(uls_delegate_probe probe);

/// Called by a default implementation. If the thread's dispatcher is probing exactly this delegate and method, sets the probe's `reached` and returns
/// true.
bool uls_delegate_probe_reach(uintptr_t delegate, uint32_t method);

#endif
