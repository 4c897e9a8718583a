#include "CLoadingBoringSSL.h"

#include "boringssl.h"

// Builds a chain for display where the evaluation has failed. It contains only what is proved by signatures: each authority's key has signed the
// certificate before. Names prove nothing, as a peer can send certificates with any name.

// Limits against a peer that sends many certificates with the same name, each of which has to be tried.
enum { PATH_MAXIMUM = 16, SIGNATURES_MAXIMUM = 48 };

typedef struct {
  // The certificates that the peer sent; they outlive the search.
  STACK_OF(X509) *sent;
  // The context for finding issuers in the store.
  X509_STORE_CTX *ctx;
  int signatures;
  X509 *path[PATH_MAXIMUM];
  int length;
  // The longest path so far, or the one that ends at a root.
  X509 *best[PATH_MAXIMUM];
  int best_length;
} path_search;

static int is_self_issued(X509 *certificate) {
  return X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0;
}

static int is_in_path(const path_search *search, X509 *certificate) {
  for (int index = 0; index < search->length; index++) {
    if (X509_cmp(search->path[index], certificate) == 0) return 1;
  }
  return 0;
}

static int has_signed(path_search *search, X509 *issuer, X509 *subject) {
  if (X509_check_issued(issuer, subject) != 0 || !X509_check_ca(issuer)) return 0;
  // A signature with a broken digest or by a weak key proves nothing.
  if (uls_tls_has_weak_signature(subject) || uls_tls_is_weak_key(issuer) || search->signatures == 0) return 0;
  search->signatures--;
  EVP_PKEY *key = X509_get0_pubkey(issuer);
  return key != NULL && X509_verify(subject, key) == 1;
}

static int extend(path_search *search);

// Tries to extend the path by one of `issuers`, from index `first` on. Returns 1 if a path that ends at a root was found.
static int extend_by(path_search *search, const STACK_OF(X509) *issuers, size_t first) {
  X509 *last = search->path[search->length - 1];
  size_t count = issuers == NULL ? 0 : sk_X509_num(issuers);
  for (size_t index = first; index < count; index++) {
    X509 *issuer = sk_X509_value(issuers, index);
    if (is_in_path(search, issuer) || !has_signed(search, issuer, last)) continue;
    search->path[search->length++] = issuer;
    int is_complete = extend(search);
    search->length--;
    if (is_complete) return 1;
  }
  return 0;
}

// Keeps the path as the best if it is the longest or ends at a root, and tries to extend it. Returns 1 if the best path ends at a root.
static int extend(path_search *search) {
  X509 *last = search->path[search->length - 1];
  int is_complete = search->length > 1 && is_self_issued(last);
  if (search->length > search->best_length || is_complete) {
    for (int index = 0; index < search->length; index++) {
      X509_up_ref(search->path[index]);
      if (index < search->best_length) X509_free(search->best[index]);
      search->best[index] = search->path[index];
    }
    for (int index = search->length; index < search->best_length; index++) X509_free(search->best[index]);
    search->best_length = search->length;
  }
  if (is_complete || is_self_issued(last) || search->length == PATH_MAXIMUM) return is_complete;
  if (extend_by(search, search->sent, 1)) return 1;
  STACK_OF(X509) *stored = X509_STORE_CTX_get1_certs(search->ctx, X509_get_issuer_name(last));
  is_complete = extend_by(search, stored, 0);
  uls_tls_free_certificates(stored);
  return is_complete;
}

static void search_path(X509_STORE *store, STACK_OF(X509) *sent, uls_tls_receiver receive, void *context) {
  path_search search = {.sent = sent, .signatures = SIGNATURES_MAXIMUM, .length = 1};
  search.path[0] = sk_X509_value(sent, 0);
  search.ctx = X509_STORE_CTX_new();
  if (search.ctx != NULL && X509_STORE_CTX_init(search.ctx, store, search.path[0], sent)) extend(&search);
  for (int index = 0; index < search.best_length; index++) {
    uls_tls_hand_over(search.best[index], receive, context);
    X509_free(search.best[index]);
  }
  X509_STORE_CTX_free(search.ctx);
}

void uls_tls_signed_path(void *store, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context) {
  STACK_OF(X509) *sent = sk_X509_new_null();
  for (size_t index = 0; sent != NULL && index < count; index++) {
    X509 *certificate = uls_tls_certificate_from(chain[index]);
    if (certificate != NULL && sk_X509_push(sent, certificate) == 0) {
      X509_free(certificate);
      certificate = NULL;
    }
    // Without a readable first certificate there is no path; other unreadable certificates are skipped.
    if (certificate == NULL && index == 0) break;
  }
  if (sent != NULL && sk_X509_num(sent) > 0) search_path(store, sent, receive, context);
  uls_tls_free_certificates(sent);
  ERR_clear_error();
}
