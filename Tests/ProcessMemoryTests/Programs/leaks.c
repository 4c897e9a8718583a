#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// A program that leaks in the way that its first argument names, or doesn't.

struct node {
  struct node *next;
  char *text;
};

static void *kept[8];
static __thread void *own;
static char *inner;

#define APART __attribute__((noinline)) static

APART void fill(void *block, size_t size) { memset(block, 0x11, size); }

/// Overwrites what earlier calls have left on the stack.
APART void clear_stack(void) {
  volatile char left[16384];
  for (size_t index = 0; index < sizeof left; index++) left[index] = 0;
}

APART void leak_block(void) { fill(malloc(1000), 1000); }

APART void leak_cycle(void) {
  struct node *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
  first->next = second;
  second->next = first;
  first->text = strdup("held");
}

APART void leak_large(void) { fill(malloc(1 << 20), 1 << 20); }

APART void leak_aligned(void) {
  void *block = NULL;
  if (posix_memalign(&block, 256, 777) == 0) fill(block, 777);
  fill(aligned_alloc(64, 640), 640);
  fill(memalign(128, 300), 300);
}

APART void leak_enlarged(void) {
  char *block = malloc(10);
  for (size_t size = 20; size <= 5120; size *= 2) block = realloc(block, size);
  fill(block, 5120);
}

APART void *leak_in_thread(void *argument) {
  leak_block();
  return argument;
}

APART void *hold(void *ready) {
  char *volatile held = malloc(333);
  own = malloc(222);
  fill(held, 333);
  pthread_barrier_wait(ready);
  pause();
  return held;
}

// What a thread that still runs has on its stack and in its thread-local variables is no leak.
APART void keep_in_threads(void) {
  static pthread_barrier_t ready;
  pthread_barrier_init(&ready, NULL, 4);
  for (int index = 0; index < 3; index++) {
    pthread_t thread;
    pthread_create(&thread, NULL, hold, &ready);
  }
  pthread_barrier_wait(&ready);
}

APART void keep(void) {
  kept[0] = malloc(100);
  own = malloc(200);
  // By an address within it, and by one in a mapping of the program's own.
  inner = (char *)malloc(300) + 150;
  void **mapping = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapping[5] = malloc(400);
  kept[1] = malloc(2 << 20);
  *(void **)kept[1] = malloc(500);
}

APART void use(void) {
  for (int index = 0; index < 20000; index++) {
    char *block = malloc((size_t)(index % 500 + 1));
    block = realloc(block, (size_t)(index % 700 + 1));
    free(block);
  }
}

APART void *use_in_thread(void *argument) {
  use();
  return argument;
}

static void run_threads(void *(*function)(void *)) {
  pthread_t threads[4];
  for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, function, NULL);
  for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
}

static void forget_at_exit(void) {
  free(kept[2]);
  kept[2] = NULL;
}

static void *end_process(void *argument) {
  exit(argument ? 1 : 5);
  return NULL;
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  int is = 0;
#define WAY(name) (is = strcmp(way, name) == 0)
  if (WAY("block")) leak_block();
  if (WAY("cycle")) leak_cycle();
  if (WAY("large")) leak_large();
  if (WAY("aligned")) leak_aligned();
  if (WAY("enlarged")) leak_enlarged();
  if (WAY("thread")) run_threads(leak_in_thread);
  if (WAY("kept")) keep();
  if (WAY("used")) use();
  if (WAY("threads")) run_threads(use_in_thread);
  if (WAY("waiting")) keep_in_threads();
  if (WAY("atexit")) {
    kept[2] = malloc(600);
    atexit(forget_at_exit);
  }
  if (WAY("fork")) {
    pid_t child = fork();
    if (child == 0) {
      leak_block();
      clear_stack();
      exit(0);
    }
    waitpid(child, NULL, 0);
  }
  if (WAY("exec")) execl(arguments[0], arguments[0], "block", NULL);
  clear_stack();
  if (WAY("quick")) {
    leak_block();
    clear_stack();
    _exit(4);
  }
  if (WAY("elsewhere")) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_process, NULL);
    pthread_join(thread, NULL);
  }
  if (WAY("killed")) abort();
  if (WAY("alive")) {
    leak_block();
    clear_stack();
    puts("ready");
    fflush(stdout);
    getchar();
  }
  return is ? 0 : 3 * (*way == 's');
}
