#ifndef ULS_DESKTOP_SECRET_SERVICE_H
#define ULS_DESKTOP_SECRET_SERVICE_H

#include <stddef.h>
#include <stdint.h>

// The desktop's Secret Service, by libsecret, which is loaded at run time. Every function except `cancel` may block until the service answers or the
// call is cancelled. No function makes the desktop prompt the user.
// Attributes are pairs of name and value in UTF-8, one after another and ended by NULL.

typedef struct uls_secrets uls_secrets;
/// Called once for each item that was found. The pointers are valid during the call only.
typedef void (*uls_secrets_visitor)(void *context, const char *const *attributes, const uint8_t *secret, size_t secret_length);

/// Whether libsecret can be loaded.
int uls_secrets_available(void);
/// Creates a client of the service, without connecting to it yet. NULL if libsecret is missing or memory is short.
uls_secrets *uls_secrets_create(void);
void uls_secrets_destroy(uls_secrets *secrets);
/// `cancel` makes the call that is running fail; it may be called from any thread. `reset` allows further calls after that.
void uls_secrets_cancel(uls_secrets *secrets);
void uls_secrets_reset(uls_secrets *secrets);

/// The following functions return 1 on success; 0 on failure, with the reason in `message`.

/// Whether a service runs that has a default collection, and this is unlocked.
int uls_secrets_is_open(uls_secrets *secrets, char *message, size_t message_size);
/// Calls `visit` for each unlocked item that has all of `attributes`.
int uls_secrets_search(
    uls_secrets *secrets, const char *const *attributes, uls_secrets_visitor visit, void *context, char *message, size_t message_size);
/// Stores an item in the default collection. An item with the same attributes is replaced.
int uls_secrets_store(
    uls_secrets *secrets, const char *const *attributes, const char *label, const uint8_t *secret, size_t secret_length, char *message,
    size_t message_size);
/// Deletes all unlocked items that have all of `attributes`.
int uls_secrets_delete(uls_secrets *secrets, const char *const *attributes, char *message, size_t message_size);

#endif
