#ifndef ULS_BORING_SSL_PEER_TRUST_H
#define ULS_BORING_SSL_PEER_TRUST_H

#include <stddef.h>
#include <stdint.h>

// X.509 by the BoringSSL inside NIOSSL: trust stores, evaluation of chains, the parts of certificates and keys. Certificates are DER.
// Everything here may be called from any thread; an `ssl` only from that of its connection.

typedef struct uls_tls_bytes {
  const uint8_t *data;
  size_t length;
} uls_tls_bytes;

/// Receives one piece of an answer; the bytes are valid during the call.
typedef void (*uls_tls_receiver)(void *context, const uint8_t *data, size_t length);

// MARK: trust stores (X509_STORE)

void *uls_tls_store_new(void);
void uls_tls_store_free(void *store);
/// Adds every certificate of a PEM file. Returns 0 if there is none.
int uls_tls_store_load(void *store, const char *path);
/// Adds one certificate. Returns 0 if it can't be read.
int uls_tls_store_add(void *store, uls_tls_bytes certificate);
/// Adds all certificates of `other`.
void uls_tls_store_add_all(void *store, void *other);
/// Another owner of the store, to be given to uls_tls_store_free too.
void uls_tls_store_retain(void *store);
/// Makes connections of `ctx` trust what is in `store`.
void uls_tls_context_set_store(void *ctx, void *store);

// MARK: revocation lists (X509_CRL)

/// Lists of revoked certificates. NULL without memory. Any thread may evaluate with them once they are filled.
void *uls_tls_lists_new(void);
void uls_tls_lists_free(void *lists);
/// Adds one list in DER, or those of PEM, and returns how many. 0 if there is none, or one can't be read.
size_t uls_tls_lists_add(void *lists, uls_tls_bytes bytes);

// MARK: evaluation

enum uls_tls_usage { ULS_TLS_USAGE_ANY = 0, ULS_TLS_USAGE_SERVER = 1, ULS_TLS_USAGE_CLIENT = 2 };

typedef struct uls_tls_evaluation {
  void *store;
  /// The name, or else the address, that the leaf must be for; both NULL if it isn't checked.
  const char *host;
  const char *address;
  enum uls_tls_usage usage;
  /// Seconds since 1970, used if `has_time`.
  int64_t time;
  int has_time;
  /// Whether certificates in `store` that aren't self-signed end a chain.
  int ends_at_any_anchor;
  /// Lists of revoked certificates; NULL for none.
  const void *lists;
  /// Whether it matters that nothing has been revoked for certain.
  int proves_unrevoked;
} uls_tls_evaluation;

/// Results beside BoringSSL's X509_V_… numbers.
enum {
  ULS_TLS_WEAK_KEY = 1001,
  ULS_TLS_WEAK_SIGNATURE = 1002,
  ULS_TLS_NOT_READABLE = 1003,
};

typedef struct uls_tls_verdict {
  /// 0 (X509_V_OK), an X509_V_ERR_… or one of the above.
  long result;
  /// Index of the certificate that is the reason.
  int depth;
  /// Whether the leaf names itself as its issuer.
  int leaf_is_self_issued;
  /// Whether the lists prove of every certificate below the anchor that it hasn't been revoked; 0 if that doesn't matter.
  int is_unrevoked;
} uls_tls_verdict;

/// Evaluates `count` certificates, leaf first. `receive` gets the verified chain, leaf first, anchor last, if the result is 0; nothing else.
uls_tls_verdict uls_tls_evaluate(
    const uls_tls_evaluation *evaluation, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context);
/// The same for what the peer of a connection presented.
uls_tls_verdict uls_tls_evaluate_peer(void *ssl, const uls_tls_evaluation *evaluation, uls_tls_receiver receive, void *context);
const char *uls_tls_verdict_text(long result);
/// Gives `receive` the first of `count` certificates, and as far as they are among the others and in `store` those of the authorities of which
/// each has signed the one before, up to a root. Dates, names and usages don't count. Nothing if the first can't be read.
void uls_tls_signed_path(void *store, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context);

// MARK: connections

/// 0 to accept the peer's certificates, ULS_TLS_WAIT to be asked again, else the number of the alert to send.
typedef uint8_t (*uls_tls_verifier)(void *slot);

/// Has `verifier` evaluate the peer's certificates instead of BoringSSL; called with the connection's slot.
void uls_tls_set_verifier(void *ssl, uls_tls_verifier verifier);
/// What the peer presented, in its order.
void uls_tls_peer_chain(void *ssl, uls_tls_receiver receive, void *context);
/// The distinguished names of the issuers whose certificates the server accepts.
void uls_tls_accepted_issuers(void *ssl, uls_tls_receiver receive, void *context);
/// Asks for timestamps of certificate transparency in the coming handshake: in an extension, and in a stapled OCSP response.
void uls_tls_ask_for_timestamps(void *ssl);
/// The SignedCertificateTimestampList of the extension (RFC 6962, 3.3.1); length 0 if there is none.
uls_tls_bytes uls_tls_timestamps(void *ssl);
/// The stapled OCSP response; length 0 if there is none.
uls_tls_bytes uls_tls_staple(void *ssl);

// MARK: parts of certificates and keys

enum uls_tls_part {
  /// SubjectPublicKeyInfo.
  ULS_TLS_PART_KEY_INFO,
  /// The last common name, UTF-8.
  ULS_TLS_PART_COMMON_NAME,
  ULS_TLS_PART_ORGANIZATION,
  /// Name, in DER.
  ULS_TLS_PART_SUBJECT,
  ULS_TLS_PART_ISSUER,
  /// The serial number's content octets.
  ULS_TLS_PART_SERIAL,
  /// The content of the TLS feature extension (RFC 7633).
  ULS_TLS_PART_TLS_FEATURE,
};

/// Hands `part` to `receive`. Returns 0 if the bytes aren't a certificate, 1 if it is read (the part may be absent).
int uls_tls_certificate_part(uls_tls_bytes certificate, enum uls_tls_part part, uls_tls_receiver receive, void *context);
/// Seconds since 1970. Returns 0 if the bytes aren't a certificate.
int uls_tls_certificate_validity(uls_tls_bytes certificate, int64_t *not_before, int64_t *not_after);

enum uls_tls_key_kind { ULS_TLS_KEY_OTHER = 0, ULS_TLS_KEY_RSA = 1, ULS_TLS_KEY_EC = 2, ULS_TLS_KEY_ED25519 = 3 };

/// Kind, size in bits, and the key's bytes (PKCS #1 for RSA, X9.63 for EC) of a SubjectPublicKeyInfo. Returns 0 if it can't be read.
int uls_tls_key(uls_tls_bytes info, enum uls_tls_key_kind *kind, int *bits, uls_tls_receiver receive, void *context);
/// SHA-256, 32 bytes to `digest`.
void uls_tls_sha256(uls_tls_bytes bytes, uint8_t *digest);
/// Whether `signature` of `message` with SHA-256 or stronger is by `key_info`'s key. `digest_bits` is 256, 384 or 512.
int uls_tls_signature_is_valid(uls_tls_bytes key_info, int digest_bits, uls_tls_bytes message, uls_tls_bytes signature);

#endif
