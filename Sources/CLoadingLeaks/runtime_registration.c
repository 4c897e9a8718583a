#include <stdbool.h>

// SwiftPM links this library as if it contained Swift code: with an object that registers such code with the Swift runtime, and with the
// runtime. A program of C must not be given a second runtime, nor one of Swift that has its own inside. Nothing here is to be registered:
// these two functions answer the object's calls, and the linker is asked for libraries that are needed alone.

__attribute__((visibility("hidden"))) void swift_addNewDSOImage(const void *sections);
void swift_addNewDSOImage(const void *sections) { (void)sections; }

__attribute__((visibility("hidden"))) bool _swift_backtrace_isThunkFunction(const char *name);
bool _swift_backtrace_isThunkFunction(const char *name) {
  (void)name;
  return false;
}

// swift-autolink-extract hands what is in this section to the linker's driver, and the linker drops the section, so that AddressSanitizer must not
// watch it.
__attribute__((section(".swift1_autolink_entries"), used, no_sanitize("address"))) static const char linker_option[] = "-Wl,--as-needed";
