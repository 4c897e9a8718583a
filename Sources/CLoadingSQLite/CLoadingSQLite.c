#define _GNU_SOURCE
#include "CLoadingSQLite.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

// The list of SQLite's functions for the macros below: the result type, the name without the prefix `sqlite3_`, the parameters, and their names.
#define FUNCTIONS(F) \
  F(int, open_v2, (const char *path, uls_sqlite **connection, int flags, const char *file_system), (path, connection, flags, file_system)) \
  F(int, close_v2, (uls_sqlite *connection), (connection)) \
  F(int, busy_timeout, (uls_sqlite *connection, int milliseconds), (connection, milliseconds)) \
  F(int, changes, (uls_sqlite *connection), (connection)) \
  F(int64_t, last_insert_rowid, (uls_sqlite *connection), (connection)) \
  F(int, get_autocommit, (uls_sqlite *connection), (connection)) \
  F(int, wal_checkpoint_v2, (uls_sqlite *connection, const char *database, int mode, int *log, int *checkpointed), (connection, database, mode, log, checkpointed)) \
  F(int, extended_errcode, (uls_sqlite *connection), (connection)) \
  F(const char *, errmsg, (uls_sqlite *connection), (connection)) \
  F(const char *, errstr, (int code), (code)) \
  F(int, prepare_v3, (uls_sqlite *connection, const char *text, int length, unsigned flags, uls_sqlite_statement **statement, const char **rest), (connection, text, length, flags, statement, rest)) \
  F(int, finalize, (uls_sqlite_statement *statement), (statement)) \
  F(int, reset, (uls_sqlite_statement *statement), (statement)) \
  F(int, step, (uls_sqlite_statement *statement), (statement)) \
  F(uls_sqlite *, db_handle, (uls_sqlite_statement *statement), (statement)) \
  F(int, bind_parameter_count, (uls_sqlite_statement *statement), (statement)) \
  F(int, bind_null, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(int, bind_int64, (uls_sqlite_statement *statement, int index, int64_t value), (statement, index, value)) \
  F(int, bind_double, (uls_sqlite_statement *statement, int index, double value), (statement, index, value)) \
  F(int, column_count, (uls_sqlite_statement *statement), (statement)) \
  F(int, data_count, (uls_sqlite_statement *statement), (statement)) \
  F(const char *, column_name, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(int, column_type, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(int, column_bytes, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(const void *, column_blob, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(double, column_double, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(int64_t, column_int64, (uls_sqlite_statement *statement, int index), (statement, index)) \
  F(const unsigned char *, column_text, (uls_sqlite_statement *statement, int index), (statement, index))

// Functions of SQLite that aren't exposed with their own parameters; the functions at the end of this file call them.
#define SHAPED_FUNCTIONS(F) \
  F(int, bind_text64, (uls_sqlite_statement *statement, int index, const char *text, uint64_t length, void (*destructor)(void *), unsigned char encoding), ()) \
  F(int, bind_blob64, (uls_sqlite_statement *statement, int index, const void *bytes, uint64_t length, void (*destructor)(void *)), ()) \
  F(int, bind_zeroblob, (uls_sqlite_statement *statement, int index, int length), ())

// Weak references: they are defined if the program itself is linked with SQLite. An app that uses SQLite then doesn't load a second copy, and a
// static executable, which can't load libraries, can use it too.
#define DECLARE(result, name, parameters, arguments) extern result sqlite3_##name parameters __attribute__((weak));
FUNCTIONS(DECLARE)
SHAPED_FUNCTIONS(DECLARE)

#define POINTER(result, name, parameters, arguments) result(*name) parameters;
static struct {
  FUNCTIONS(POINTER)
  SHAPED_FUNCTIONS(POINTER)
} lib;

static const char *absence = NULL;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Called by dl_iterate_phdr for the first loaded object, which is the program itself: sets `found` if the program is dynamically linked (it has a
// PT_INTERP header).
static int has_interpreter(struct dl_phdr_info *program, size_t size, void *found) {
  (void)size;
  for (int index = 0; index < program->dlpi_phnum; index++) {
    if (program->dlpi_phdr[index].p_type == PT_INTERP) *(int *)found = 1;
  }
  return 1;
}

static void look_up(void) {
#define IS_LINKED(result, name, parameters, arguments) && sqlite3_##name != NULL
#define TAKE_LINKED(result, name, parameters, arguments) lib.name = sqlite3_##name;
  if (1 FUNCTIONS(IS_LINKED) SHAPED_FUNCTIONS(IS_LINKED)) {
    FUNCTIONS(TAKE_LINKED)
    SHAPED_FUNCTIONS(TAKE_LINKED)
    return;
  }
  int is_dynamic = 0;
  dl_iterate_phdr(has_interpreter, &is_dynamic);
  if (!is_dynamic) {
    absence = "this static executable isn't linked with it (Documentation/installing.md says how)";
    return;
  }
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    static char text[512];
    const char *reason = dlerror();
    snprintf(text, sizeof text, "%s; install it (Debian, Ubuntu: apt-get install libsqlite3-0)", reason == NULL ? "no library" : reason);
    absence = text;
    return;
  }
#define LOOK_UP(result, name, parameters, arguments) \
  if ((*(void **)&lib.name = dlsym(library, "sqlite3_" #name)) == NULL) absence = "libsqlite3.so.0 is too old, and lacks sqlite3_" #name;
  FUNCTIONS(LOOK_UP)
  SHAPED_FUNCTIONS(LOOK_UP)
}

const char *uls_sqlite_absence(void) {
  pthread_once(&once, look_up);
  return absence;
}

#define CALL(result, name, parameters, arguments) \
  result uls_sqlite_##name parameters { return lib.name arguments; }
FUNCTIONS(CALL)

// SQLITE_TRANSIENT: makes SQLite copy the bound value.
#define COPIED ((void (*)(void *)) - 1)
enum { ENCODING_UTF8 = 1 };

int uls_sqlite_bind_text(uls_sqlite_statement *statement, int index, const char *text, uint64_t length) {
  return lib.bind_text64(statement, index, length == 0 ? "" : text, length, COPIED, ENCODING_UTF8);
}

int uls_sqlite_bind_blob(uls_sqlite_statement *statement, int index, const void *bytes, uint64_t length) {
  return length == 0 ? lib.bind_zeroblob(statement, index, 0) : lib.bind_blob64(statement, index, bytes, length, COPIED);
}
