#ifndef ULS_DESKTOP_SECRET_SERVICE_H
#define ULS_DESKTOP_SECRET_SERVICE_H

#include <stddef.h>
#include <stdint.h>

// The desktop's Secret Service through libsecret, looked up at run time. Every function but `cancel` may block, up to the moment it is
// cancelled; none ever lets the desktop ask the user for anything. Attributes are name, value, name, value, …, NULL, in UTF-8.

typedef struct uls_secrets uls_secrets;
/// Called once an item, with pointers that hold during the call.
typedef void (*uls_secrets_visitor)(void *context, const char *const *attributes, const uint8_t *secret, size_t secret_length);

/// Whether the library is present.
int uls_secrets_available(void);
/// NULL if the library isn't there or memory is short. Connects to nothing yet.
uls_secrets *uls_secrets_create(void);
void uls_secrets_destroy(uls_secrets *secrets);
/// Ends the call under way, from any thread; it fails. `reset` allows further calls.
void uls_secrets_cancel(uls_secrets *secrets);
void uls_secrets_reset(uls_secrets *secrets);

/// The others return 1, or else 0 and why in `message`.

/// Whether there is a service with a default collection that is open.
int uls_secrets_is_open(uls_secrets *secrets, char *message, size_t message_size);
/// Calls `visit` for all items that have `attributes` and can be read.
int uls_secrets_search(
    uls_secrets *secrets, const char *const *attributes, uls_secrets_visitor visit, void *context, char *message, size_t message_size);
/// Stores an item in the default collection, in place of the one with the same attributes.
int uls_secrets_store(
    uls_secrets *secrets, const char *const *attributes, const char *label, const uint8_t *secret, size_t secret_length, char *message,
    size_t message_size);
/// Deletes all items that have `attributes` and can be read.
int uls_secrets_delete(uls_secrets *secrets, const char *const *attributes, char *message, size_t message_size);

#endif
