#define _GNU_SOURCE
#include "file_residence.h"

#include <errno.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

// Bytes between two samples: half of 128 KiB, the smallest read-ahead window of Linux, so that no missing window lies between two samples.
enum { distance = 64 * 1024 };

// The file system type of tmpfs (statfs(2)). Its files are always in memory, but reading them with RWF_NOWAIT isn't supported.
enum { tmpfs_magic = 0x01021994 };

static int lives_in_memory(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 && facts.f_type == tmpfs_magic;
}

int uls_file_is_in_memory(int descriptor, int64_t offset, int64_t length) {
  char byte;
  struct iovec place = {&byte, 1};
  int64_t last = offset + length - 1;
  for (int64_t at = offset; at <= last; at = at == last || at + distance <= last ? at + distance : last) {
    ssize_t count = preadv2(descriptor, &place, 1, at, RWF_NOWAIT);
    if (count == 1) continue;
    if (count == 0) return 1;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return 0;
    return lives_in_memory(descriptor) ? 1 : -1;
  }
  return 1;
}
