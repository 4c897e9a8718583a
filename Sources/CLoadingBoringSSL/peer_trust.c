#include "CLoadingBoringSSL.h"

#include <time.h>

#include "boringssl.h"
#include "name_constraints.h"
#include "revocation.h"
#include "server_name.h"

enum { RSA_MINIMUM = 2048, EC_MINIMUM = 256 };

// MARK: trust stores

void *uls_tls_store_new(void) { return X509_STORE_new(); }

void uls_tls_store_free(void *store) { X509_STORE_free(store); }

void uls_tls_store_retain(void *store) { X509_STORE_up_ref(store); }

int uls_tls_store_load(void *store, const char *path) {
  int result = X509_STORE_load_locations(store, path, NULL);
  ERR_clear_error();
  return result;
}

X509 *uls_tls_certificate_from(uls_tls_bytes bytes) {
  const uint8_t *position = bytes.data;
  X509 *certificate = d2i_X509(NULL, &position, (long)bytes.length);
  if (certificate == NULL) ERR_clear_error();
  // A certificate followed by other bytes is refused.
  if (certificate != NULL && position != bytes.data + bytes.length) {
    X509_free(certificate);
    return NULL;
  }
  return certificate;
}

int uls_tls_store_add(void *store, uls_tls_bytes bytes) {
  X509 *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  int result = X509_STORE_add_cert(store, certificate);
  X509_free(certificate);
  return result;
}

void uls_tls_store_add_all(void *store, void *other) {
  // A copy made under the store's lock: a look-up on another thread may sort the store's own list meanwhile.
  STACK_OF(X509_OBJECT) *objects = X509_STORE_get1_objects(other);
  if (objects == NULL) {
    ERR_clear_error();
    return;
  }
  size_t count = sk_X509_OBJECT_num(objects);
  for (size_t index = 0; index < count; index++) {
    X509 *certificate = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, index));
    if (certificate != NULL) X509_STORE_add_cert(store, certificate);
  }
  sk_X509_OBJECT_pop_free(objects, X509_OBJECT_free);
}

void uls_tls_context_set_store(void *ctx, void *store) {
  X509_STORE_up_ref(store);
  SSL_CTX_set_cert_store(ctx, store);
}

// MARK: evaluation

void uls_tls_free_certificates(STACK_OF(X509) *certificates) { sk_X509_pop_free(certificates, X509_free); }

void uls_tls_hand_over(X509 *certificate, uls_tls_receiver receive, void *context) {
  uint8_t *bytes = NULL;
  int length = i2d_X509(certificate, &bytes);
  if (length <= 0) return;
  receive(context, bytes, (size_t)length);
  OPENSSL_free(bytes);
}

int uls_tls_is_weak_key(X509 *certificate) {
  const EVP_PKEY *key = X509_get0_pubkey(certificate);
  // BoringSSL supports all key types that are secure today; unsupported ones are P-192, DSA and the like.
  if (key == NULL) {
    ERR_clear_error();
    return 1;
  }
  switch (EVP_PKEY_id(key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS: return EVP_PKEY_bits(key) < RSA_MINIMUM;
    case EVP_PKEY_EC: return EVP_PKEY_bits(key) < EC_MINIMUM;
    case EVP_PKEY_ED25519: return 0;
    default: return 1;
  }
}

int uls_tls_has_weak_signature(X509 *certificate) {
  switch (X509_get_signature_nid(certificate)) {
    case NID_md2WithRSAEncryption:
    case NID_md4WithRSAEncryption:
    case NID_md5WithRSA:
    case NID_md5WithRSAEncryption:
    case NID_sha1WithRSA:
    case NID_sha1WithRSAEncryption:
    case NID_dsaWithSHA:
    case NID_dsaWithSHA1:
    case NID_dsaWithSHA1_2:
    case NID_ecdsa_with_SHA1: return 1;
    default: return 0;
  }
}

// Checks for weak keys and signatures, which BoringSSL leaves to its caller. An anchor's own signature isn't checked, as nothing depends on it.
static void check_strength(const STACK_OF(X509) *chain, size_t count, uls_tls_verdict *verdict) {
  for (size_t index = 0; index < count; index++) {
    X509 *certificate = sk_X509_value(chain, index);
    verdict->depth = (int)index;
    if (uls_tls_is_weak_key(certificate)) verdict->result = ULS_TLS_WEAK_KEY;
    if (verdict->result == 0 && (index + 1 < count || count == 1) && uls_tls_has_weak_signature(certificate)) {
      verdict->result = ULS_TLS_WEAK_SIGNATURE;
    }
    if (verdict->result != 0) return;
  }
  verdict->depth = 0;
}

// Checks the path length constraint of the anchor. BoringSSL ignores the constraint of a self-issued authority, and so of a root (RFC 5280, 4.2.1.9:
// "non-self-issued intermediate certificates").
static void check_path_length(const STACK_OF(X509) *chain, size_t count, uls_tls_verdict *verdict) {
  long authorities = 0;
  for (size_t index = 1; index + 1 < count; index++) {
    X509 *certificate = sk_X509_value(chain, index);
    if (X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) != 0) authorities++;
  }
  long most = count > 1 ? X509_get_pathlen(sk_X509_value(chain, count - 1)) : -1;
  if (most < 0 || authorities <= most) return;
  verdict->result = X509_V_ERR_PATH_LENGTH_EXCEEDED;
  verdict->depth = (int)count - 1;
}

// Checks all certificates except the anchor against the revocation lists; whether an anchor is trusted is decided by the store alone.
static void check_lists(const uls_tls_evaluation *evaluation, const STACK_OF(X509) *chain, size_t count, uls_tls_verdict *verdict) {
  int64_t now = evaluation->has_time ? evaluation->time : (int64_t)time(NULL);
  verdict->is_unrevoked = evaluation->proves_unrevoked;
  for (size_t index = 0; index + 1 < count; index++) {
    X509 *certificate = sk_X509_value(chain, index), *issuer = sk_X509_value(chain, index + 1);
    switch (uls_tls_check_revocation(evaluation->lists, certificate, issuer, now, evaluation->proves_unrevoked)) {
      case ULS_TLS_NOT_REVOKED: break;
      case ULS_TLS_REVOCATION_UNKNOWN: verdict->is_unrevoked = 0; break;
      case ULS_TLS_REVOKED:
        verdict->result = X509_V_ERR_CERT_REVOKED;
        verdict->depth = (int)index;
        verdict->is_unrevoked = 0;
        return;
    }
  }
}

// Sets usage, host, time and flags of the verification. Returns 0 if one of them can't be set: then no chain is trusted.
static int configure(X509_STORE_CTX *ctx, const uls_tls_evaluation *evaluation) {
  const char *usage = evaluation->usage == ULS_TLS_USAGE_SERVER ? "ssl_server" : "ssl_client";
  if (evaluation->usage != ULS_TLS_USAGE_ANY && !X509_STORE_CTX_set_default(ctx, usage)) return 0;
  X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(ctx);
  if (!uls_tls_require_server_name(param, evaluation)) return 0;
  if (evaluation->has_time) X509_VERIFY_PARAM_set_time_posix(param, evaluation->time);
  return !evaluation->ends_at_any_anchor || X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
}

// The certificates in the order in which BoringSSL should try them: the first one, then those that are valid now, then the others. Of several
// certificates of one authority BoringSSL takes the first, and a server may also send an old one. NULL if memory is short.
static STACK_OF(X509) *in_useful_order(const uls_tls_evaluation *evaluation, const STACK_OF(X509) *chain) {
  int64_t now = evaluation->has_time ? evaluation->time : (int64_t)time(NULL);
  STACK_OF(X509) *ordered = sk_X509_new_null();
  for (int are_valid = 1; ordered != NULL && are_valid >= 0; are_valid--) {
    for (size_t index = 0; index < sk_X509_num(chain); index++) {
      X509 *certificate = sk_X509_value(chain, index);
      int64_t start = 0, end = 0;
      int is_valid = index == 0 || (ASN1_TIME_to_posix(X509_get0_notBefore(certificate), &start) &&
                                    ASN1_TIME_to_posix(X509_get0_notAfter(certificate), &end) && start <= now && now <= end);
      if (is_valid == are_valid && sk_X509_push(ordered, certificate) == 0) {
        sk_X509_free(ordered);
        return NULL;
      }
    }
  }
  return ordered;
}

static uls_tls_verdict evaluate(const uls_tls_evaluation *evaluation, STACK_OF(X509) *chain, uls_tls_receiver receive, void *context) {
  uls_tls_verdict verdict = {ULS_TLS_NOT_READABLE, 0, 0, 0};
  if (chain == NULL || sk_X509_num(chain) == 0) return verdict;
  X509 *leaf = sk_X509_value(chain, 0);
  verdict.leaf_is_self_issued = X509_NAME_cmp(X509_get_subject_name(leaf), X509_get_issuer_name(leaf)) == 0;
  STACK_OF(X509) *ordered = in_useful_order(evaluation, chain);
  X509_STORE_CTX *ctx = X509_STORE_CTX_new();
  if (ordered != NULL && ctx != NULL && X509_STORE_CTX_init(ctx, evaluation->store, leaf, ordered) && configure(ctx, evaluation)) {
    int is_valid = uls_tls_verify(ctx);
    verdict.result = X509_STORE_CTX_get_error(ctx);
    verdict.depth = X509_STORE_CTX_get_error_depth(ctx);
    if (!is_valid && verdict.result == 0) verdict.result = ULS_TLS_NOT_READABLE;
    STACK_OF(X509) *evaluated = X509_STORE_CTX_get0_chain(ctx);
    size_t count = evaluated == NULL ? 0 : sk_X509_num(evaluated);
    if (is_valid) {
      size_t depth = 0;
      verdict.result = uls_tls_names_need_checking() ? uls_tls_check_names(evaluated, &depth) : 0;
      verdict.depth = (int)depth;
      if (verdict.result == 0) check_path_length(evaluated, count, &verdict);
      if (verdict.result == 0) check_strength(evaluated, count, &verdict);
      if (verdict.result == 0 && evaluation->lists != NULL) check_lists(evaluation, evaluated, count, &verdict);
    }
    // Only a valid chain is handed over: a partly built one isn't verified up to its end.
    for (size_t index = 0; verdict.result == 0 && index < count; index++) {
      uls_tls_hand_over(sk_X509_value(evaluated, index), receive, context);
    }
  }
  X509_STORE_CTX_free(ctx);
  sk_X509_free(ordered);
  ERR_clear_error();
  return verdict;
}

uls_tls_verdict uls_tls_evaluate(
    const uls_tls_evaluation *evaluation, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context) {
  STACK_OF(X509) *stack = sk_X509_new_null();
  int is_readable = stack != NULL;
  for (size_t index = 0; is_readable && index < count; index++) {
    X509 *certificate = uls_tls_certificate_from(chain[index]);
    if (certificate == NULL || sk_X509_push(stack, certificate) == 0) {
      X509_free(certificate);
      is_readable = 0;
    }
  }
  uls_tls_verdict verdict = evaluate(evaluation, is_readable ? stack : NULL, receive, context);
  uls_tls_free_certificates(stack);
  return verdict;
}

uls_tls_verdict uls_tls_evaluate_peer(void *ssl, const uls_tls_evaluation *evaluation, uls_tls_receiver receive, void *context) {
  return evaluate(evaluation, SSL_get_peer_full_cert_chain(ssl), receive, context);
}

const char *uls_tls_verdict_text(long result) { return X509_verify_cert_error_string(result); }

// MARK: connections

// One verifier for all connections: each sets the same function, possibly from another thread, so the access is atomic.
static uls_tls_verifier verifier_of_all = NULL;

static enum ssl_verify_result_t on_verify(SSL *ssl, uint8_t *alert) {
  void *slot = uls_tls_slot(ssl);
  *alert = slot == NULL ? SSL_AD_BAD_CERTIFICATE : __atomic_load_n(&verifier_of_all, __ATOMIC_RELAXED)(slot);
  if (*alert == ULS_TLS_WAIT) return ssl_verify_retry;
  return slot != NULL && *alert == 0 ? ssl_verify_ok : ssl_verify_invalid;
}

void uls_tls_set_verifier(void *ssl, uls_tls_verifier verifier) {
  __atomic_store_n(&verifier_of_all, verifier, __ATOMIC_RELAXED);
  SSL_set_custom_verify(ssl, SSL_VERIFY_PEER, on_verify);
}

void uls_tls_peer_chain(void *ssl, uls_tls_receiver receive, void *context) {
  const STACK_OF(X509) *chain = SSL_get_peer_full_cert_chain(ssl);
  size_t count = chain == NULL ? 0 : sk_X509_num(chain);
  for (size_t index = 0; index < count; index++) uls_tls_hand_over(sk_X509_value(chain, index), receive, context);
}

void uls_tls_accepted_issuers(void *ssl, uls_tls_receiver receive, void *context) {
  const STACK_OF(CRYPTO_BUFFER) *names = SSL_get0_server_requested_CAs(ssl);
  size_t count = names == NULL ? 0 : sk_CRYPTO_BUFFER_num(names);
  for (size_t index = 0; index < count; index++) {
    const CRYPTO_BUFFER *name = sk_CRYPTO_BUFFER_value(names, index);
    receive(context, CRYPTO_BUFFER_data(name), CRYPTO_BUFFER_len(name));
  }
}

void uls_tls_ask_for_timestamps(void *ssl) {
  SSL_enable_signed_cert_timestamps(ssl);
  SSL_enable_ocsp_stapling(ssl);
}

uls_tls_bytes uls_tls_timestamps(void *ssl) {
  uls_tls_bytes list = {NULL, 0};
  SSL_get0_signed_cert_timestamp_list(ssl, &list.data, &list.length);
  return list;
}

uls_tls_bytes uls_tls_staple(void *ssl) {
  uls_tls_bytes staple = {NULL, 0};
  SSL_get0_ocsp_response(ssl, &staple.data, &staple.length);
  return staple;
}
