// Makes the synchronization of Swift continuations visible to ThreadSanitizer. Without ThreadSanitizer this file is empty.
//
// If a continuation is resumed before its task has begun to wait, the Swift runtime passes the result by an atomic that ThreadSanitizer doesn't see.
// It then reports races on everything that the resuming thread has written, and on the task's own frame. (A continuation that is resumed later goes
// through an executor, whose synchronization is visible.) The functions below replace the runtime's functions of the same names and add the missing
// acquire and release.
//
// This works for unsafe continuations only: checked ones are resumed inside the runtime's library, which calls its own functions.
//
// The code here must not add synchronization of its own, which would hide real races: no function is instrumented, and no lock of the C library is
// taken.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && defined(__linux__)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall, disable_sanitizer_instrumentation))
#define SWIFT_ASYNC __attribute__((swiftasynccall, disable_sanitizer_instrumentation))
#define UNSEEN __attribute__((disable_sanitizer_instrumentation))

void __tsan_acquire(void *);
void __tsan_release(void *);

struct context;
typedef void (*resumption)(struct context *__attribute__((swift_async_context))) __attribute__((swiftasynccall));

// The first fields of AsyncContext in the Swift runtime: the caller's context and the function with which the task continues.
struct context {
  struct context *parent;
  resumption resume;
};

__attribute__((swiftcall)) void *swift_task_getCurrent(void);

// The original `resume` function of each context that waits, found by the context's address. A hash table with open addressing: an entry's key is
// written before its value, and only the task that owns the context reads the entry.
//
// If the continuation is resumed later, `recall` isn't called, because the runtime has kept its own copy of `resume`. The entry stays, and the next
// context at the same address reuses it. Both functions take the first entry that is free or has the key, so an old entry further on is never found
// before a new one.
enum { places = 1 << 20, places_tried = 1 << 12 };
static struct {
  _Atomic(uintptr_t) key;
  resumption resume;
} waiting[places];

static UNSEEN size_t first_place(uintptr_t key) { return (key >> 4) * 0x9E3779B97F4A7C15u >> 44; }

static UNSEEN int remember(struct context *context) {
  uintptr_t key = (uintptr_t)context;
  size_t place = first_place(key);
  for (int i = 0; i < places_tried; i++, place = (place + 1) % places) {
    uintptr_t found = 0;
    if (!atomic_compare_exchange_strong(&waiting[place].key, &found, key) && found != key) continue;
    waiting[place].resume = context->resume;
    return 1;
  }
  return 0;
}

static UNSEEN resumption recall(struct context *context) {
  uintptr_t key = (uintptr_t)context;
  size_t place = first_place(key);
  while (atomic_load(&waiting[place].key) != key) place = (place + 1) % places;
  resumption resume = waiting[place].resume;
  atomic_store(&waiting[place].key, 0);
  return resume;
}

static SWIFT_ASYNC void resumed(__attribute__((swift_async_context)) struct context *context) {
  __tsan_acquire(swift_task_getCurrent());
  context->resume = recall(context);
  __attribute__((musttail)) return context->resume(context);
}

static UNSEEN void *next(_Atomic(void *) *function, const char *name) {
  void *known = atomic_load(function);
  if (!known) {
    known = dlsym(RTLD_NEXT, name);
    atomic_store(function, known);
  }
  return known;
}

SWIFT_ASYNC void swift_continuation_await(struct context *context) {
  static _Atomic(void *) function;
  typedef void (*await)(struct context *) __attribute__((swiftasynccall));
  await original = (await)next(&function, "swift_continuation_await");
  if (remember(context)) context->resume = resumed;
  __attribute__((musttail)) return original(context);
}

SWIFT void swift_continuation_resume(void *task) {
  static _Atomic(void *) function;
  typedef void (*resume)(void *) __attribute__((swiftcall));
  __tsan_release(task);
  ((resume)next(&function, "swift_continuation_resume"))(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
  static _Atomic(void *) function;
  typedef void (*resume)(void *) __attribute__((swiftcall));
  __tsan_release(task);
  ((resume)next(&function, "swift_continuation_throwingResume"))(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
  static _Atomic(void *) function;
  typedef void (*resume)(void *, void *) __attribute__((swiftcall));
  __tsan_release(task);
  ((resume)next(&function, "swift_continuation_throwingResumeWithError"))(task, error);
}

#endif
#endif
