#ifndef C_LOADING_SQLITE_H
#define C_LOADING_SQLITE_H

#include <sqlite3.h>

/* What Swift can't see of <sqlite3.h>: a code that is an expression, and values that SQLite copies before the call returns. */

static const int uls_sqlite_ioerr_shmsize = SQLITE_IOERR_SHMSIZE;

static inline int uls_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int uls_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
