#ifndef ULS_PROCESS_DELEGATE_PROBE_H
#define ULS_PROCESS_DELEGATE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/// What a dispatcher listens for on the current thread while it calls one delegate method: whether the call ends in the library's
/// default implementation. A zero `delegate` means that no dispatcher listens.
typedef struct {
  uintptr_t delegate;
  uint32_t method;
  bool reached;
} uls_delegate_probe;

/// Installs `probe` for the current thread and returns the one that was installed before.
uls_delegate_probe uls_delegate_probe_exchange(uls_delegate_probe probe);

/// Called by a default implementation. True if the thread's dispatcher listens for exactly this delegate and method; it is then told.
bool uls_delegate_probe_reach(uintptr_t delegate, uint32_t method);

#endif
