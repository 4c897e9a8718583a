#include "CLoadingBoringSSL.h"

#include "boringssl.h"

// The path that is shown of a chain that isn't trusted. It holds what is proved alone: each certificate is that of an authority whose key has
// signed the one before. Names prove nothing, for a peer can send a certificate of any name.

// A peer chooses how many certificates of one name it sends, and each of them may have to be tried.
enum { PATH_MAXIMUM = 16, SIGNATURES_MAXIMUM = 48 };

typedef struct {
  // What was sent; all of it outlives the search.
  void *sent;
  // Looks for issuers in the store.
  void *ctx;
  int signatures;
  void *path[PATH_MAXIMUM];
  int length;
  // The longest path so far, or the one that ends at a root.
  void *best[PATH_MAXIMUM];
  int best_length;
} path_search;

static int is_self_issued(void *certificate) {
  return B(X509_NAME_cmp)(B(X509_get_subject_name)(certificate), B(X509_get_issuer_name)(certificate)) == 0;
}

static int is_in_path(const path_search *search, void *certificate) {
  for (int index = 0; index < search->length; index++) {
    if (B(X509_cmp)(search->path[index], certificate) == 0) return 1;
  }
  return 0;
}

static int has_signed(path_search *search, void *issuer, void *subject) {
  if (B(X509_check_issued)(issuer, subject) != 0 || !B(X509_check_ca)(issuer)) return 0;
  // A broken digest and a short key prove nothing.
  if (uls_tls_has_weak_signature(subject) || uls_tls_is_weak_key(issuer) || search->signatures == 0) return 0;
  search->signatures--;
  void *key = B(X509_get0_pubkey)(issuer);
  return key != NULL && B(X509_verify)(subject, key) == 1;
}

static int extend(path_search *search);

// Whether a path that goes on with one of `issuers` ends at a root.
static int extend_by(path_search *search, void *issuers, size_t first) {
  void *last = search->path[search->length - 1];
  size_t count = issuers == NULL ? 0 : B(OPENSSL_sk_num)(issuers);
  for (size_t index = first; index < count; index++) {
    void *issuer = B(OPENSSL_sk_value)(issuers, index);
    if (is_in_path(search, issuer) || !has_signed(search, issuer, last)) continue;
    search->path[search->length++] = issuer;
    int is_complete = extend(search);
    search->length--;
    if (is_complete) return 1;
  }
  return 0;
}

// Keeps the path if it is the longest, and looks for those who may have signed its end. Whether one that ends at a root is kept now.
static int extend(path_search *search) {
  void *last = search->path[search->length - 1];
  int is_complete = search->length > 1 && is_self_issued(last);
  if (search->length > search->best_length || is_complete) {
    for (int index = 0; index < search->length; index++) {
      B(X509_up_ref)(search->path[index]);
      if (index < search->best_length) B(X509_free)(search->best[index]);
      search->best[index] = search->path[index];
    }
    for (int index = search->length; index < search->best_length; index++) B(X509_free)(search->best[index]);
    search->best_length = search->length;
  }
  if (is_complete || is_self_issued(last) || search->length == PATH_MAXIMUM) return is_complete;
  if (extend_by(search, search->sent, 1)) return 1;
  void *stored = B(X509_STORE_CTX_get1_certs)(search->ctx, B(X509_get_issuer_name)(last));
  is_complete = extend_by(search, stored, 0);
  for (size_t index = 0; stored != NULL && index < B(OPENSSL_sk_num)(stored); index++) B(X509_free)(B(OPENSSL_sk_value)(stored, index));
  B(OPENSSL_sk_free)(stored);
  return is_complete;
}

static void search_path(void *store, void *sent, uls_tls_receiver receive, void *context) {
  path_search search = {.sent = sent, .signatures = SIGNATURES_MAXIMUM, .length = 1};
  search.path[0] = B(OPENSSL_sk_value)(sent, 0);
  search.ctx = B(X509_STORE_CTX_new)();
  if (search.ctx != NULL && B(X509_STORE_CTX_init)(search.ctx, store, search.path[0], sent)) extend(&search);
  for (int index = 0; index < search.best_length; index++) {
    uls_tls_hand_over(search.best[index], receive, context);
    B(X509_free)(search.best[index]);
  }
  B(X509_STORE_CTX_free)(search.ctx);
}

void uls_tls_signed_path(void *store, const uls_tls_bytes *chain, size_t count, uls_tls_receiver receive, void *context) {
  void *sent = B(OPENSSL_sk_new_null)();
  for (size_t index = 0; sent != NULL && index < count; index++) {
    void *certificate = uls_tls_certificate_from(chain[index]);
    if (certificate != NULL && B(OPENSSL_sk_push)(sent, certificate) == 0) {
      B(X509_free)(certificate);
      certificate = NULL;
    }
    // Without the peer's own certificate there is no path; another that can't be read signs none.
    if (certificate == NULL && index == 0) break;
  }
  if (sent != NULL && B(OPENSSL_sk_num)(sent) > 0) search_path(store, sent, receive, context);
  for (size_t index = 0; sent != NULL && index < B(OPENSSL_sk_num)(sent); index++) B(X509_free)(B(OPENSSL_sk_value)(sent, index));
  B(OPENSSL_sk_free)(sent);
  B(ERR_clear_error)();
}
