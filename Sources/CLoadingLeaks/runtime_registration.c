#include <stdbool.h>

// SwiftPM links this library as if it contained Swift code: it adds an object that registers the code with the Swift runtime, and links the runtime.
// But a C program must not get a Swift runtime by this library, nor a Swift program with a static runtime a second one. So these two functions stand
// in for those that the object calls, and do nothing; `--as-needed` then makes the linker drop the unneeded runtime.

__attribute__((visibility("hidden"))) void swift_addNewDSOImage(const void *sections);
void swift_addNewDSOImage(const void *sections) { (void)sections; }

__attribute__((visibility("hidden"))) bool _swift_backtrace_isThunkFunction(const char *name);
bool _swift_backtrace_isThunkFunction(const char *name) {
  (void)name;
  return false;
}

// Swift's autolinking (swift-autolink-extract) passes the contents of this section to the linker as options, and the section is then dropped.
// AddressSanitizer's instrumentation would reference it, so it is off for this variable.
__attribute__((section(".swift1_autolink_entries"), used, no_sanitize("address"))) static const char linker_option[] = "-Wl,--as-needed";
