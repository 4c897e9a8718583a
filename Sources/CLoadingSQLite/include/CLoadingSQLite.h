#ifndef ULS_LOADING_SQLITE_H
#define ULS_LOADING_SQLITE_H

#include <stdint.h>

// The part of SQLite's C interface that this package calls (sqlite.org/c3ref). It has been compatible since SQLite 3.20, so building doesn't need
// SQLite's header. The library is looked for at first use, so a program starts without it.

typedef struct uls_sqlite uls_sqlite;
typedef struct uls_sqlite_statement uls_sqlite_statement;

#define ULS_SQLITE_OK 0
#define ULS_SQLITE_ERROR 1
#define ULS_SQLITE_BUSY 5
#define ULS_SQLITE_LOCKED 6
#define ULS_SQLITE_NOMEM 7
#define ULS_SQLITE_IOERR 10
#define ULS_SQLITE_CORRUPT 11
#define ULS_SQLITE_FULL 13
#define ULS_SQLITE_MISUSE 21
#define ULS_SQLITE_NOTADB 26
#define ULS_SQLITE_ROW 100
#define ULS_SQLITE_DONE 101
#define ULS_SQLITE_IOERR_SHMSIZE 4874

#define ULS_SQLITE_OPEN_READWRITE 0x2
#define ULS_SQLITE_OPEN_CREATE 0x4
#define ULS_SQLITE_OPEN_NOMUTEX 0x8000
#define ULS_SQLITE_OPEN_EXRESCODE 0x02000000
#define ULS_SQLITE_PREPARE_PERSISTENT 0x1
#define ULS_SQLITE_CHECKPOINT_TRUNCATE 3

#define ULS_SQLITE_INTEGER 1
#define ULS_SQLITE_FLOAT 2
#define ULS_SQLITE_TEXT 3
#define ULS_SQLITE_BLOB 4

/// Looks for SQLite: in the program itself, if it is linked with SQLite, otherwise in the system's libsqlite3.so.0.
///
/// Returns NULL if SQLite was found; otherwise a text without a line end that says why not and what to do. Must be called before the other functions
/// here, which may be called only if it returns NULL.
const char *uls_sqlite_absence(void);

int uls_sqlite_open_v2(const char *path, uls_sqlite **connection, int flags, const char *file_system);
int uls_sqlite_close_v2(uls_sqlite *connection);
int uls_sqlite_busy_timeout(uls_sqlite *connection, int milliseconds);
int uls_sqlite_changes(uls_sqlite *connection);
int64_t uls_sqlite_last_insert_rowid(uls_sqlite *connection);
int uls_sqlite_get_autocommit(uls_sqlite *connection);
int uls_sqlite_wal_checkpoint_v2(uls_sqlite *connection, const char *database, int mode, int *log, int *checkpointed);
int uls_sqlite_extended_errcode(uls_sqlite *connection);
const char *uls_sqlite_errmsg(uls_sqlite *connection);
const char *uls_sqlite_errstr(int code);

int uls_sqlite_prepare_v3(
    uls_sqlite *connection, const char *text, int length, unsigned flags, uls_sqlite_statement **statement, const char **rest);
int uls_sqlite_finalize(uls_sqlite_statement *statement);
int uls_sqlite_reset(uls_sqlite_statement *statement);
int uls_sqlite_step(uls_sqlite_statement *statement);
uls_sqlite *uls_sqlite_db_handle(uls_sqlite_statement *statement);

int uls_sqlite_bind_parameter_count(uls_sqlite_statement *statement);
int uls_sqlite_bind_null(uls_sqlite_statement *statement, int index);
int uls_sqlite_bind_int64(uls_sqlite_statement *statement, int index, int64_t value);
int uls_sqlite_bind_double(uls_sqlite_statement *statement, int index, double value);
/// SQLite copies the bytes of the value before these two functions return.
int uls_sqlite_bind_text(uls_sqlite_statement *statement, int index, const char *text, uint64_t length);
int uls_sqlite_bind_blob(uls_sqlite_statement *statement, int index, const void *bytes, uint64_t length);

int uls_sqlite_column_count(uls_sqlite_statement *statement);
int uls_sqlite_data_count(uls_sqlite_statement *statement);
const char *uls_sqlite_column_name(uls_sqlite_statement *statement, int index);
int uls_sqlite_column_type(uls_sqlite_statement *statement, int index);
int uls_sqlite_column_bytes(uls_sqlite_statement *statement, int index);
const void *uls_sqlite_column_blob(uls_sqlite_statement *statement, int index);
double uls_sqlite_column_double(uls_sqlite_statement *statement, int index);
int64_t uls_sqlite_column_int64(uls_sqlite_statement *statement, int index);
const unsigned char *uls_sqlite_column_text(uls_sqlite_statement *statement, int index);

#endif
