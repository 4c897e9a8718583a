#include "revocation.h"

#include <limits.h>
#include <stdlib.h>

// Certificate revocation lists (RFC 5280, 5 and 6.3). They are consulted after a chain has been verified, as the issuer's key is known then.

struct uls_tls_lists {
  STACK_OF(X509_CRL) *all;
};

void *uls_tls_lists_new(void) {
  struct uls_tls_lists *lists = malloc(sizeof *lists);
  if (lists == NULL) return NULL;
  lists->all = sk_X509_CRL_new_null();
  if (lists->all == NULL) {
    free(lists);
    return NULL;
  }
  return lists;
}

void uls_tls_lists_free(void *lists) {
  if (lists == NULL) return;
  sk_X509_CRL_pop_free(((struct uls_tls_lists *)lists)->all, X509_CRL_free);
  free(lists);
}

// Whether an entry has a critical extension, as in indirect CRLs, which name the certificate's issuer (RFC 5280, 5.3.3). "If a CRL contains a
// critical CRL entry extension that the application cannot process, then the application MUST NOT use that CRL".
static int is_indirect(X509_CRL *list) {
  const STACK_OF(X509_REVOKED) *entries = X509_CRL_get_REVOKED(list);
  size_t count = entries == NULL ? 0 : sk_X509_REVOKED_num(entries);
  for (size_t index = 0; index < count; index++) {
    if (X509_REVOKED_get_ext_by_critical(sk_X509_REVOKED_value(entries, index), 1, -1) >= 0) return 1;
  }
  return 0;
}

// Adds the list, which it owns from now on; an indirect one is ignored. Returns 0 if memory is short.
static int add(struct uls_tls_lists *lists, X509_CRL *list) {
  if (is_indirect(list)) {
    X509_CRL_free(list);
    return 1;
  }
  if (sk_X509_CRL_push(lists->all, list) != 0) return 1;
  X509_CRL_free(list);
  return 0;
}

size_t uls_tls_lists_add(void *lists, uls_tls_bytes bytes) {
  struct uls_tls_lists *target = lists;
  const uint8_t *position = bytes.data;
  X509_CRL *list = bytes.length > LONG_MAX ? NULL : d2i_X509_CRL(NULL, &position, (long)bytes.length);
  if (list != NULL) {
    // A list followed by other bytes is refused.
    int is_whole = position == bytes.data + bytes.length;
    if (!is_whole) X509_CRL_free(list);
    return is_whole && add(target, list);
  }
  ERR_clear_error();
  BIO *text = BIO_new_mem_buf(bytes.data, (ossl_ssize_t)bytes.length);
  size_t count = 0;
  while (text != NULL && (list = PEM_read_bio_X509_CRL(text, NULL, NULL, NULL)) != NULL && add(target, list)) count++;
  // "No start line" is the end; anything else is a list that can't be read.
  uint32_t error = ERR_peek_last_error();
  int is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  BIO_free(text);
  ERR_clear_error();
  return is_end ? count : 0;
}

static int is_signed(X509_CRL *list, X509 *issuer) {
  // The issuer's key must be allowed to sign CRLs (RFC 5280, 6.3.3 (f)); without a key usage extension it is.
  if ((X509_get_key_usage(issuer) & X509v3_KU_CRL_SIGN) == 0) return 0;
  EVP_PKEY *key = X509_get0_pubkey(issuer);
  return key != NULL && X509_CRL_verify(list, key) == 1;
}

// Whether the list proves, for every certificate of its issuer that isn't in it, that it isn't revoked now: the list is current and has no critical
// extension, such as those of partial lists and delta CRLs.
static int is_complete(X509_CRL *list, int64_t now) {
  int64_t start, end;
  const ASN1_TIME *next = X509_CRL_get0_nextUpdate(list);
  return X509_CRL_get_ext_by_critical(list, 1, -1) < 0 && next != NULL && ASN1_TIME_to_posix(X509_CRL_get0_lastUpdate(list), &start) &&
         ASN1_TIME_to_posix(next, &end) && start <= now && now <= end;
}

uls_tls_revocation uls_tls_check_revocation(const void *lists, X509 *certificate, X509 *issuer, int64_t now, int proves) {
  const struct uls_tls_lists *all = lists;
  uls_tls_revocation result = ULS_TLS_REVOCATION_UNKNOWN;
  size_t count = sk_X509_CRL_num(all->all);
  for (size_t index = 0; index < count; index++) {
    X509_CRL *list = sk_X509_CRL_value(all->all, index);
    if (X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_issuer_name(certificate)) != 0) continue;
    X509_REVOKED *entry = NULL;
    // 1: the certificate is in the list; 2: it is as no longer on hold, in a delta CRL. A revocation also counts in an outdated list. The signature,
    // over a list that may be very long, is only verified if the result depends on it.
    int place = X509_CRL_get_REVOKED(list) == NULL ? 0 : X509_CRL_get0_by_cert(list, &entry, certificate);
    if (place == 1 && is_signed(list, issuer)) return ULS_TLS_REVOKED;
    if (place == 0 && proves && result == ULS_TLS_REVOCATION_UNKNOWN && is_complete(list, now) && is_signed(list, issuer)) {
      result = ULS_TLS_NOT_REVOKED;
    }
  }
  return result;
}
