#ifndef ULS_NAMES_NEGOTIATION_H
#define ULS_NAMES_NEGOTIATION_H

#include <stddef.h>
#include <stdint.h>

// The client's GSSAPI calls for HTTP's Negotiate scheme (RFC 4559), by MIT Kerberos, which is loaded at run time. Every function except `available`
// may block on files, the resolver and the key distribution centre. A negotiation must not be used by two threads at the same time.

typedef enum {
  /// The security context is established. If there is a token, it still has to be sent.
  ULS_NEGOTIATION_DONE = 0,
  /// The token has to be sent, and the server is expected to answer with one.
  ULS_NEGOTIATION_CONTINUES = 1,
  ULS_NEGOTIATION_FAILED = -1,
} uls_negotiation_status;

typedef struct uls_negotiation uls_negotiation;

/// Whether the GSSAPI library can be loaded.
int uls_negotiation_available(void);
/// Begins a negotiation with `service`, such as "HTTP@host". `user` and `password` are those of a Kerberos principal; if either is NULL, the user's
/// existing tickets are used. NULL if there are no credentials or the library is missing; `message`, unless NULL, then has the reason.
uls_negotiation *uls_negotiation_begin(
    const char *service, const char *user, const char *password, char *message, size_t message_size);
/// Processes the server's token (none at the first call) and creates the next token in `*out`, which the caller frees; NULL if there is none to send.
uls_negotiation_status uls_negotiation_step(
    uls_negotiation *negotiation, const uint8_t *in, size_t in_length, uint8_t **out, size_t *out_length, char *message,
    size_t message_size);
void uls_negotiation_end(uls_negotiation *negotiation);

#endif
