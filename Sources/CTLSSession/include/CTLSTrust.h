#ifndef C_TLS_TRUST_H
#define C_TLS_TRUST_H

#include <stddef.h>
#include <stdint.h>

// X.509 by the BoringSSL inside NIOSSL: trust stores, evaluation of chains, the parts of certificates and keys. Certificates are DER.
// Everything here may be called from any thread; an `ssl` only from that of its connection.

typedef struct ctls_bytes {
  const uint8_t *data;
  size_t length;
} ctls_bytes;

/// Receives one piece of an answer; the bytes are valid during the call.
typedef void (*ctls_receiver)(void *context, const uint8_t *data, size_t length);

// MARK: trust stores (X509_STORE)

void *ctls_store_new(void);
void ctls_store_free(void *store);
/// Adds every certificate of a PEM file. Returns 0 if there is none.
int ctls_store_load(void *store, const char *path);
/// Adds one certificate. Returns 0 if it can't be read.
int ctls_store_add(void *store, ctls_bytes certificate);
/// Adds all certificates of `other`.
void ctls_store_add_all(void *store, void *other);
/// Makes connections of `ctx` trust what is in `store`.
void ctls_context_set_store(void *ctx, void *store);

// MARK: evaluation

enum ctls_usage { CTLS_USAGE_ANY = 0, CTLS_USAGE_SERVER = 1, CTLS_USAGE_CLIENT = 2 };

typedef struct ctls_evaluation {
  void *store;
  /// The name, or else the address, that the leaf must be for; both NULL if it isn't checked.
  const char *host;
  const char *address;
  enum ctls_usage usage;
  /// Seconds since 1970, used if `has_time`.
  int64_t time;
  int has_time;
  /// Whether certificates in `store` that aren't self-signed end a chain.
  int ends_at_any_anchor;
} ctls_evaluation;

/// Results beside BoringSSL's X509_V_… numbers.
enum {
  CTLS_WEAK_KEY = 1001,
  CTLS_WEAK_SIGNATURE = 1002,
  CTLS_NOT_READABLE = 1003,
};

typedef struct ctls_verdict {
  /// 0 (X509_V_OK), an X509_V_ERR_… or one of the above.
  long result;
  /// Index of the certificate that is the reason.
  int depth;
  /// Whether the leaf names itself as its issuer.
  int leaf_is_self_issued;
} ctls_verdict;

/// Evaluates `count` certificates, leaf first. `receive` gets the verified chain, leaf first, anchor last, if the result is 0; nothing else.
ctls_verdict ctls_evaluate(
    const ctls_evaluation *evaluation, const ctls_bytes *chain, size_t count, ctls_receiver receive, void *context);
/// The same for what the peer of a connection presented.
ctls_verdict ctls_evaluate_peer(void *ssl, const ctls_evaluation *evaluation, ctls_receiver receive, void *context);
const char *ctls_verdict_text(long result);

// MARK: connections

/// 0 to accept the peer's certificates, else the number of the alert to send.
typedef uint8_t (*ctls_judge)(void *slot);

/// Has `judge` decide on the peer's certificates instead of BoringSSL; called with the connection's slot.
void ctls_set_judge(void *ssl, ctls_judge judge);
/// What the peer presented, in its order.
void ctls_peer_chain(void *ssl, ctls_receiver receive, void *context);
/// The distinguished names of the issuers whose certificates the server accepts.
void ctls_accepted_issuers(void *ssl, ctls_receiver receive, void *context);
/// Asks for a stapled OCSP response in the coming handshake.
void ctls_ask_for_staple(void *ssl);
/// The stapled OCSP response; length 0 if there is none.
ctls_bytes ctls_staple(void *ssl);

// MARK: parts of certificates and keys

enum ctls_part {
  /// SubjectPublicKeyInfo.
  CTLS_PART_KEY_INFO,
  /// The last common name, UTF-8.
  CTLS_PART_COMMON_NAME,
  CTLS_PART_ORGANIZATION,
  /// Name, in DER.
  CTLS_PART_SUBJECT,
  CTLS_PART_ISSUER,
  /// The serial number's content octets.
  CTLS_PART_SERIAL,
  /// The content of the TLS feature extension (RFC 7633).
  CTLS_PART_TLS_FEATURE,
};

/// Hands `part` to `receive`. Returns 0 if the bytes aren't a certificate, 1 if it is read (the part may be absent).
int ctls_certificate_part(ctls_bytes certificate, enum ctls_part part, ctls_receiver receive, void *context);
/// Seconds since 1970. Returns 0 if the bytes aren't a certificate.
int ctls_certificate_validity(ctls_bytes certificate, int64_t *not_before, int64_t *not_after);

enum ctls_key_kind { CTLS_KEY_OTHER = 0, CTLS_KEY_RSA = 1, CTLS_KEY_EC = 2, CTLS_KEY_ED25519 = 3 };

/// Kind, size in bits, and the key's bytes (PKCS #1 for RSA, X9.63 for EC) of a SubjectPublicKeyInfo. Returns 0 if it can't be read.
int ctls_key(ctls_bytes info, enum ctls_key_kind *kind, int *bits, ctls_receiver receive, void *context);
/// SHA-256, 32 bytes to `digest`.
void ctls_sha256(ctls_bytes bytes, uint8_t *digest);
/// Whether `signature` of `message` with SHA-256 or stronger is by `key_info`'s key. `digest_bits` is 256, 384 or 512.
int ctls_signature_is_valid(ctls_bytes key_info, int digest_bits, ctls_bytes message, ctls_bytes signature);

#endif
