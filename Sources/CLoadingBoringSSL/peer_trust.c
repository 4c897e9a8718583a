#include "CLoadingBoringSSL.h"

#include <string.h>

#include "boringssl.h"
#include "name_constraints.h"

enum { FLAG_PARTIAL_CHAIN = 0x80000, HOST_FLAG_NEVER_CHECK_SUBJECT = 0x20 };
enum { RSA_MINIMUM = 2048, EC_MINIMUM = 256 };
enum { VERIFY_PEER = 1, VERIFY_OK = 0, VERIFY_INVALID = 1, VERIFY_RETRY = 2, BAD_CERTIFICATE = 42 };

// MARK: trust stores

void *uls_tls_store_new(void) { return B(X509_STORE_new)(); }

void uls_tls_store_free(void *store) { B(X509_STORE_free)(store); }

int uls_tls_store_load(void *store, const char *path) {
  int result = B(X509_STORE_load_locations)(store, path, NULL);
  B(ERR_clear_error)();
  return result;
}

void *uls_tls_certificate_from(uls_tls_bytes bytes) {
  const uint8_t *position = bytes.data;
  void *certificate = B(d2i_X509)(NULL, &position, (long)bytes.length);
  if (certificate == NULL) B(ERR_clear_error)();
  // Bytes after the certificate don't belong to one.
  if (certificate != NULL && position != bytes.data + bytes.length) {
    B(X509_free)(certificate);
    return NULL;
  }
  return certificate;
}

int uls_tls_store_add(void *store, uls_tls_bytes bytes) {
  void *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  int result = B(X509_STORE_add_cert)(store, certificate);
  B(X509_free)(certificate);
  return result;
}

void uls_tls_store_add_all(void *store, void *other) {
  // A copy made under the store's lock: a look-up on another thread may sort the store's own list meanwhile.
  void *objects = B(X509_STORE_get1_objects)(other);
  if (objects == NULL) {
    B(ERR_clear_error)();
    return;
  }
  size_t count = B(OPENSSL_sk_num)(objects);
  for (size_t index = 0; index < count; index++) {
    void *object = B(OPENSSL_sk_value)(objects, index);
    void *certificate = B(X509_OBJECT_get0_X509)(object);
    if (certificate != NULL) B(X509_STORE_add_cert)(store, certificate);
    B(X509_OBJECT_free)(object);
  }
  B(OPENSSL_sk_free)(objects);
}

void uls_tls_context_set_store(void *ctx, void *store) {
  B(X509_STORE_up_ref)(store);
  B(SSL_CTX_set_cert_store)(ctx, store);
}

// MARK: evaluation

void uls_tls_hand_over(void *certificate, uls_tls_receiver receive, void *context) {
  uint8_t *bytes = NULL;
  int length = B(i2d_X509)(certificate, &bytes);
  if (length <= 0) return;
  receive(context, bytes, (size_t)length);
  B(OPENSSL_free)(bytes);
}

int uls_tls_is_weak_key(void *certificate) {
  void *key = B(X509_get0_pubkey)(certificate);
  if (key == NULL) {
    B(ERR_clear_error)();
    return 0;
  }
  switch (B(EVP_PKEY_id)(key)) {
    case KEY_RSA:
    case KEY_RSA_PSS: return B(EVP_PKEY_bits)(key) < RSA_MINIMUM;
    case KEY_EC: return B(EVP_PKEY_bits)(key) < EC_MINIMUM;
    default: return 0;
  }
}

// MD2, MD4, MD5 and SHA-1 with RSA, DSA or ECDSA, by their NIDs.
int uls_tls_has_weak_signature(void *certificate) {
  switch (B(X509_get_signature_nid)(certificate)) {
    case 7: case 8: case 396: case 65: case 66: case 70: case 104: case 113: case 115: case 416: return 1;
    default: return 0;
  }
}

// What BoringSSL leaves to its caller: keys and signatures that no longer prove anything. An anchor's own signature proves nothing anyway.
static void check_strength(void *chain, size_t count, uls_tls_verdict *verdict) {
  for (size_t index = 0; index < count; index++) {
    void *certificate = B(OPENSSL_sk_value)(chain, index);
    verdict->depth = (int)index;
    if (uls_tls_is_weak_key(certificate)) verdict->result = ULS_TLS_WEAK_KEY;
    if (verdict->result == 0 && (index + 1 < count || count == 1) && uls_tls_has_weak_signature(certificate)) {
      verdict->result = ULS_TLS_WEAK_SIGNATURE;
    }
    if (verdict->result != 0) return;
  }
  verdict->depth = 0;
}

// Returns 0 if what is asked for can't be checked: then nothing is trusted.
static int configure(void *ctx, const uls_tls_evaluation *evaluation) {
  const char *usage = evaluation->usage == ULS_TLS_USAGE_SERVER ? "ssl_server" : "ssl_client";
  if (evaluation->usage != ULS_TLS_USAGE_ANY && !B(X509_STORE_CTX_set_default)(ctx, usage)) return 0;
  void *param = B(X509_STORE_CTX_get0_param)(ctx);
  // RFC 9525, 2: the common name is no longer a place for host names.
  B(X509_VERIFY_PARAM_set_hostflags)(param, HOST_FLAG_NEVER_CHECK_SUBJECT);
  const char *host = evaluation->host;
  if (host != NULL && !B(X509_VERIFY_PARAM_set1_host)(param, host, strlen(host))) return 0;
  if (evaluation->address != NULL && !B(X509_VERIFY_PARAM_set1_ip_asc)(param, evaluation->address)) return 0;
  if (evaluation->has_time) B(X509_VERIFY_PARAM_set_time_posix)(param, evaluation->time);
  return !evaluation->ends_at_any_anchor || B(X509_VERIFY_PARAM_set_flags)(param, FLAG_PARTIAL_CHAIN);
}

static uls_tls_verdict evaluate(const uls_tls_evaluation *evaluation, void *chain, uls_tls_receiver receive, void *context) {
  uls_tls_verdict verdict = {ULS_TLS_NOT_READABLE, 0, 0};
  if (chain == NULL || B(OPENSSL_sk_num)(chain) == 0) return verdict;
  void *leaf = B(OPENSSL_sk_value)(chain, 0);
  verdict.leaf_is_self_issued = B(X509_NAME_cmp)(B(X509_get_subject_name)(leaf), B(X509_get_issuer_name)(leaf)) == 0;
  void *ctx = B(X509_STORE_CTX_new)();
  if (ctx != NULL && B(X509_STORE_CTX_init)(ctx, evaluation->store, leaf, chain) && configure(ctx, evaluation)) {
    int is_valid = uls_tls_verify(ctx);
    verdict.result = B(X509_STORE_CTX_get_error)(ctx);
    verdict.depth = B(X509_STORE_CTX_get_error_depth)(ctx);
    if (!is_valid && verdict.result == 0) verdict.result = ULS_TLS_NOT_READABLE;
    void *evaluated = B(X509_STORE_CTX_get0_chain)(ctx);
    size_t count = evaluated == NULL ? 0 : B(OPENSSL_sk_num)(evaluated);
    if (is_valid) {
      size_t depth = 0;
      verdict.result = uls_tls_names_need_checking() ? uls_tls_check_names(evaluated, &depth) : 0;
      verdict.depth = (int)depth;
      if (verdict.result == 0) check_strength(evaluated, count, &verdict);
    }
    // Only a chain that has passed is verified up to its end.
    for (size_t index = 0; verdict.result == 0 && index < count; index++) {
      uls_tls_hand_over(B(OPENSSL_sk_value)(evaluated, index), receive, context);
    }
  }
  B(X509_STORE_CTX_free)(ctx);
  B(ERR_clear_error)();
  return verdict;
}

uls_tls_verdict uls_tls_evaluate(
    const uls_tls_evaluation *evaluation, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context) {
  void *stack = B(OPENSSL_sk_new_null)();
  int is_readable = stack != NULL;
  for (size_t index = 0; is_readable && index < count; index++) {
    void *certificate = uls_tls_certificate_from(chain[index]);
    if (certificate == NULL || B(OPENSSL_sk_push)(stack, certificate) == 0) {
      B(X509_free)(certificate);
      is_readable = 0;
    }
  }
  uls_tls_verdict verdict = evaluate(evaluation, is_readable ? stack : NULL, receive, context);
  for (size_t index = 0; index < B(OPENSSL_sk_num)(stack); index++) B(X509_free)(B(OPENSSL_sk_value)(stack, index));
  B(OPENSSL_sk_free)(stack);
  return verdict;
}

uls_tls_verdict uls_tls_evaluate_peer(void *ssl, const uls_tls_evaluation *evaluation, uls_tls_receiver receive, void *context) {
  return evaluate(evaluation, B(SSL_get_peer_full_cert_chain)(ssl), receive, context);
}

const char *uls_tls_verdict_text(long result) { return B(X509_verify_cert_error_string)(result); }

// MARK: connections

// Every connection sets it, to the same function, from its own thread.
static uls_tls_verifier verifier_of_all = NULL;

static int on_verify(void *ssl, uint8_t *alert) {
  void *slot = uls_tls_slot(ssl);
  *alert = slot == NULL ? BAD_CERTIFICATE : __atomic_load_n(&verifier_of_all, __ATOMIC_RELAXED)(slot);
  if (*alert == ULS_TLS_WAIT) return VERIFY_RETRY;
  return slot != NULL && *alert == 0 ? VERIFY_OK : VERIFY_INVALID;
}

void uls_tls_set_verifier(void *ssl, uls_tls_verifier verifier) {
  __atomic_store_n(&verifier_of_all, verifier, __ATOMIC_RELAXED);
  B(SSL_set_custom_verify)(ssl, VERIFY_PEER, on_verify);
}

void uls_tls_peer_chain(void *ssl, uls_tls_receiver receive, void *context) {
  void *chain = B(SSL_get_peer_full_cert_chain)(ssl);
  size_t count = chain == NULL ? 0 : B(OPENSSL_sk_num)(chain);
  for (size_t index = 0; index < count; index++) uls_tls_hand_over(B(OPENSSL_sk_value)(chain, index), receive, context);
}

void uls_tls_accepted_issuers(void *ssl, uls_tls_receiver receive, void *context) {
  const void *names = B(SSL_get0_server_requested_CAs)(ssl);
  size_t count = names == NULL ? 0 : B(OPENSSL_sk_num)(names);
  for (size_t index = 0; index < count; index++) {
    const void *name = B(OPENSSL_sk_value)(names, index);
    receive(context, B(CRYPTO_BUFFER_data)(name), B(CRYPTO_BUFFER_len)(name));
  }
}

void uls_tls_ask_for_staple(void *ssl) { B(SSL_enable_ocsp_stapling)(ssl); }

uls_tls_bytes uls_tls_staple(void *ssl) {
  uls_tls_bytes staple = {NULL, 0};
  B(SSL_get0_ocsp_response)(ssl, &staple.data, &staple.length);
  return staple;
}
