#include "delegate_probe.h"

static _Thread_local uls_delegate_probe current;

uls_delegate_probe uls_delegate_probe_exchange(uls_delegate_probe probe) {
  uls_delegate_probe previous = current;
  current = probe;
  return previous;
}

bool uls_delegate_probe_reach(uintptr_t delegate, uint32_t method) {
  if (current.delegate != delegate || current.method != method) return false;
  current.reached = true;
  return true;
}
