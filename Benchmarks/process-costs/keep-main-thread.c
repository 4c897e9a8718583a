// Preloaded, keeps the main thread of a Swift program, which Dispatch would end: Valgrind can't follow that. The thread runs what comes to the main
// queue.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

void pthread_exit(void *value) {
  (void)value;
  void (*drain)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "_dispatch_main_queue_callback_4CF");
  while (1) {
    struct timespec pause = {0, 20 * 1000 * 1000};
    nanosleep(&pause, NULL);
    if (drain != NULL) drain(NULL);
  }
}
