#ifndef ULS_NAMES_NEGOTIATION_H
#define ULS_NAMES_NEGOTIATION_H

#include <stddef.h>
#include <stdint.h>

// GSSAPI's part in HTTP's Negotiate scheme (RFC 4559), with MIT Kerberos looked up at run time. Every function but the first may block:
// on files, the resolver and the key distribution centre. A negotiation must not be used by two threads at a time.

typedef enum {
  /// The context is established; a token may still have to be sent.
  ULS_NEGOTIATION_DONE = 0,
  /// Send the token; the peer's is expected.
  ULS_NEGOTIATION_CONTINUES = 1,
  ULS_NEGOTIATION_FAILED = -1,
} uls_negotiation_status;

typedef struct uls_negotiation uls_negotiation;

/// Whether the library is present.
int uls_negotiation_available(void);
/// Begins to prove an identity to `service`, such as "HTTP@host". `user` and `password` are a principal's; both NULL take the user's own
/// tickets. NULL if there are none, or the library isn't there; `message`, if it isn't NULL, then says why.
uls_negotiation *uls_negotiation_begin(
    const char *service, const char *user, const char *password, char *message, size_t message_size);
/// Takes the peer's token, none at first, and makes the next one in `*out`, which `free` releases; NULL if there is none to send.
uls_negotiation_status uls_negotiation_step(
    uls_negotiation *negotiation, const uint8_t *in, size_t in_length, uint8_t **out, size_t *out_length, char *message,
    size_t message_size);
void uls_negotiation_end(uls_negotiation *negotiation);

#endif
