#define _GNU_SOURCE
#include "stacks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <unwind.h>

// The unwinder stops at the first function without unwind tables, such as an optimised Swift function that doesn't throw. These functions keep frame
// pointers, so the walk continues along the frame pointers from there.

#ifdef __aarch64__
enum { FRAME_POINTER = 29 };
#else
enum { FRAME_POINTER = 6 };
#endif

typedef struct {
  uintptr_t *frames;
  size_t room;
  size_t count;
  uintptr_t frame_pointer;
} walk;

// Looked up with dlsym instead of linked, so that the unwinder is loaded only into programs whose stacks are recorded.
static _Unwind_Reason_Code (*backtrace_function)(_Unwind_Trace_Fn, void *);
static _Unwind_Word (*register_function)(struct _Unwind_Context *, int);
static _Unwind_Ptr (*address_function)(struct _Unwind_Context *);
static _Atomic int is_ready;

// State of the current thread: whether it is walking its stack now (the unwinder may allocate, which must not begin another walk), and the highest
// address of its stack (0 until it is known).
static __thread int walks __attribute__((tls_model("initial-exec")));
static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));

extern void *__libc_stack_end;

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
  walk *state = argument;
  if (state->count >= state->room) return _URC_END_OF_STACK;
  state->frames[state->count++] = address_function(context);
  state->frame_pointer = register_function(context, FRAME_POINTER);
  return _URC_NO_REASON;
}

static uintptr_t find_stack_end(void) {
  if (getpid() == gettid()) return (uintptr_t)__libc_stack_end;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  void *start;
  size_t size;
  int code = pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return code == 0 ? (uintptr_t)start + size : 1;
}

static void follow_frame_pointers(walk *state) {
  uintptr_t lowest = (uintptr_t)__builtin_frame_address(0);
  uintptr_t pointer = state->frame_pointer;
  while (state->count < state->room && pointer > lowest && pointer % sizeof(uintptr_t) == 0 &&
         pointer + 2 * sizeof(uintptr_t) <= stack_end) {
    const uintptr_t *frame = (const uintptr_t *)pointer;
    if (frame[1] < 4096) return;
    state->frames[state->count++] = frame[1];
    lowest = pointer;
    pointer = frame[0];
  }
}

void loading_leaks_prepare_walk(void) {
  walks = 1;
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library) {
    *(void **)&backtrace_function = dlsym(library, "_Unwind_Backtrace");
    *(void **)&register_function = dlsym(library, "_Unwind_GetGR");
    *(void **)&address_function = dlsym(library, "_Unwind_GetIP");
  }
  walks = 0;
  if (backtrace_function && register_function && address_function) atomic_store(&is_ready, 1);
}

size_t loading_leaks_walk(uintptr_t *frames, size_t room) {
  if (walks || !atomic_load(&is_ready)) return 0;
  walks = 1;
  walk state = {.frames = frames, .room = room};
  if (stack_end == 0) stack_end = find_stack_end();
  backtrace_function(visit, &state);
  follow_frame_pointers(&state);
  walks = 0;
  return state.count;
}
