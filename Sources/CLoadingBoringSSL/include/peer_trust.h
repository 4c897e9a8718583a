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

/// Called with each part of a function's result; the bytes are valid during the call.
typedef void (*uls_tls_receiver)(void *context, const uint8_t *data, size_t length);

// MARK: trust stores (X509_STORE)

void *uls_tls_store_new(void);
void uls_tls_store_free(void *store);
/// Adds all certificates of a PEM file. Returns 0 if it has none or can't be read.
int uls_tls_store_load(void *store, const char *path);
/// Adds one certificate. Returns 0 if it can't be read.
int uls_tls_store_add(void *store, uls_tls_bytes certificate);
/// Adds all certificates of `other`.
void uls_tls_store_add_all(void *store, void *other);
/// Adds a reference to the store: uls_tls_store_free has to be called once more.
void uls_tls_store_retain(void *store);
/// Makes `store` the trust store of the connections of `ctx`.
void uls_tls_context_set_store(void *ctx, void *store);

// MARK: revocation lists (X509_CRL)

/// Creates an empty set of revocation lists; NULL if memory is short. Once it is filled, any thread may evaluate with it.
void *uls_tls_lists_new(void);
void uls_tls_lists_free(void *lists);
/// Adds a CRL in DER, or all CRLs in PEM, and returns their number. 0 if there is none, or one can't be read.
size_t uls_tls_lists_add(void *lists, uls_tls_bytes bytes);

// MARK: evaluation

enum uls_tls_usage { ULS_TLS_USAGE_ANY = 0, ULS_TLS_USAGE_SERVER = 1, ULS_TLS_USAGE_CLIENT = 2 };

typedef struct uls_tls_evaluation {
  void *store;
  /// The name, or else the address, that the leaf must be for; both NULL if it isn't checked.
  const char *host;
  const char *address;
  enum uls_tls_usage usage;
  /// The time at which the certificates must be valid, in seconds since 1970; without `has_time`, now.
  int64_t time;
  int has_time;
  /// Whether certificates in `store` that aren't self-signed end a chain.
  int ends_at_any_anchor;
  /// Lists of revoked certificates; NULL for none.
  const void *lists;
  /// Whether the lists must prove that nothing is revoked: sets `is_unrevoked` of the verdict.
  int proves_unrevoked;
} uls_tls_evaluation;

/// Results beside BoringSSL's X509_V_… numbers.
enum {
  ULS_TLS_WEAK_KEY = 1001,
  ULS_TLS_WEAK_SIGNATURE = 1002,
  ULS_TLS_NOT_READABLE = 1003,
};

typedef struct uls_tls_verdict {
  /// 0 (X509_V_OK) if the chain is trusted, an X509_V_ERR_… number of BoringSSL, or one of the numbers above.
  long result;
  /// The index in the chain of the certificate that the result is about; 0 is the first.
  int depth;
  /// Whether the first certificate has itself as its issuer.
  int leaf_is_self_issued;
  /// Whether the lists prove for every certificate below the anchor that it isn't revoked; 0 unless `proves_unrevoked` was set.
  int is_unrevoked;
} uls_tls_verdict;

/// Evaluates `count` certificates, the server's or client's own first. If the result is 0, `receive` is called with each certificate of the verified
/// chain, the anchor last.
uls_tls_verdict uls_tls_evaluate(
    const uls_tls_evaluation *evaluation, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context);
/// As uls_tls_evaluate, for the certificates that the peer of a connection has presented.
uls_tls_verdict uls_tls_evaluate_peer(void *ssl, const uls_tls_evaluation *evaluation, uls_tls_receiver receive, void *context);
const char *uls_tls_verdict_text(long result);
/// Calls `receive` with the first of `count` certificates, then with authorities, among the others or in `store`, each of which has signed the one
/// before, up to a root. Dates, names and usages aren't checked. Isn't called if the first can't be read.
void uls_tls_signed_path(void *store, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context);

// MARK: connections

/// 0 to accept the peer's certificates, ULS_TLS_WAIT to be asked again, else the number of the alert to send.
typedef uint8_t (*uls_tls_verifier)(void *slot);

/// Has `verifier` evaluate the peer's certificates instead of BoringSSL; called with the connection's slot.
void uls_tls_set_verifier(void *ssl, uls_tls_verifier verifier);
/// Calls `receive` with each certificate that the peer has presented, in its order.
void uls_tls_peer_chain(void *ssl, uls_tls_receiver receive, void *context);
/// Calls `receive` with the distinguished names (DER) of the issuers whose client certificates the server accepts.
void uls_tls_accepted_issuers(void *ssl, uls_tls_receiver receive, void *context);
/// Asks for timestamps of certificate transparency in the coming handshake: in an extension, and in a stapled OCSP response.
void uls_tls_ask_for_timestamps(void *ssl);
/// The SignedCertificateTimestampList of the extension (RFC 6962, 3.3.1); length 0 if there is none.
uls_tls_bytes uls_tls_timestamps(void *ssl);
/// The stapled OCSP response; length 0 if there is none.
uls_tls_bytes uls_tls_staple(void *ssl);

// MARK: parts of certificates and keys

enum uls_tls_part {
  /// The public key as SubjectPublicKeyInfo, in DER.
  ULS_TLS_PART_KEY_INFO,
  /// The last common name, UTF-8.
  ULS_TLS_PART_COMMON_NAME,
  ULS_TLS_PART_ORGANIZATION,
  /// The subject's distinguished name, in DER.
  ULS_TLS_PART_SUBJECT,
  ULS_TLS_PART_ISSUER,
  /// The content octets of the serial number, big-endian.
  ULS_TLS_PART_SERIAL,
  /// The content of the TLS feature extension (RFC 7633).
  ULS_TLS_PART_TLS_FEATURE,
};

/// Hands `part` to `receive`. Returns 0 if the bytes aren't a certificate, 1 if it is read (the part may be absent).
int uls_tls_certificate_part(uls_tls_bytes certificate, enum uls_tls_part part, uls_tls_receiver receive, void *context);
/// Sets the beginning and the end of the certificate's validity, in seconds since 1970. Returns 0 if the bytes aren't a certificate.
int uls_tls_certificate_validity(uls_tls_bytes certificate, int64_t *not_before, int64_t *not_after);

enum uls_tls_key_kind { ULS_TLS_KEY_OTHER = 0, ULS_TLS_KEY_RSA = 1, ULS_TLS_KEY_EC = 2, ULS_TLS_KEY_ED25519 = 3 };

/// Parses a SubjectPublicKeyInfo: sets the kind and the size in bits, and calls `receive` with the key's bytes (PKCS #1 for RSA, X9.63 for EC; not
/// for others). Returns 0 if it can't be read.
int uls_tls_key(uls_tls_bytes info, enum uls_tls_key_kind *kind, int *bits, uls_tls_receiver receive, void *context);
/// SHA-256, 32 bytes to `digest`.
void uls_tls_sha256(uls_tls_bytes bytes, uint8_t *digest);
/// Whether `signature` is a signature of `message` by the key `key_info` (SubjectPublicKeyInfo), with SHA-2 of `digest_bits` (256, 384 or 512).
int uls_tls_signature_is_valid(uls_tls_bytes key_info, int digest_bits, uls_tls_bytes message, uls_tls_bytes signature);

#endif
