#include "name_constraints.h"

#include <string.h>

// Name constraints (RFC 5280, 4.2.1.10). BoringSSL doesn't support constraints on IP addresses, and reports an unsupported type where it meets them.
// Then this file checks all names below that authority. Constraints on types other than DNS names and IP addresses are refused there.

enum { SEQUENCE = 0x30, PERMITTED = 0xA0, EXCLUDED = 0xA1 };
enum { TYPE = 0x1F, DNS_NAME = 2, IP_ADDRESS = 7 };

typedef struct {
  const uint8_t *at, *end;
} reader;

// Reads the next DER element. Returns 0 at the end, or if the element is malformed.
static int take(reader *from, uint8_t *tag, reader *content) {
  if (from->end - from->at < 2) return 0;
  *tag = *from->at++;
  size_t length = *from->at++;
  if (length >= 0x80) {
    size_t digits = length & 0x7F;
    if (digits == 0 || digits > 4 || (size_t)(from->end - from->at) < digits) return 0;
    for (length = 0; digits > 0; digits--) length = length << 8 | *from->at++;
  }
  if ((size_t)(from->end - from->at) < length) return 0;
  *content = (reader){from->at, from->at + length};
  from->at += length;
  return 1;
}

static int extension(const X509 *certificate, int kind, reader *content) {
  int index = X509_get_ext_by_NID(certificate, kind, -1);
  if (index < 0) return 0;
  const ASN1_OCTET_STRING *data = X509_EXTENSION_get_data(X509_get_ext(certificate, index));
  const uint8_t *bytes = ASN1_STRING_get0_data(data);
  reader all = {bytes, bytes + ASN1_STRING_length(data)};
  uint8_t tag;
  return take(&all, &tag, content) && tag == SEQUENCE;
}

static size_t size(reader of) { return (size_t)(of.end - of.at); }

static uint8_t lowercased(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

// Whether a DNS name is in a subtree. RFC 5280: "Any DNS name that can be constructed by simply adding zero or more labels to the left-hand side of
// the name satisfies the name constraint."
static int is_below(reader name, reader base) {
  if (size(base) == 0) return 1;
  if (size(name) < size(base)) return 0;
  const uint8_t *end = name.end - size(base);
  for (size_t index = 0; index < size(base); index++) {
    if (lowercased(end[index]) != lowercased(base.at[index])) return 0;
  }
  return end == name.at || base.at[0] == '.' || end[-1] == '.';
}

// Whether an IP address is in a range: an address followed by its mask, "encoded in the style of RFC 4632 (CIDR)".
static int is_in_range(reader address, reader range) {
  size_t length = size(address);
  if (size(range) != 2 * length) return 0;
  for (size_t index = 0; index < length; index++) {
    if ((address.at[index] ^ range.at[index]) & range.at[length + index]) return 0;
  }
  return 1;
}

typedef enum { UNCONSTRAINED, OUTSIDE, INSIDE, UNKNOWN } place;

// Compares a name with the subtrees of its type: INSIDE one, OUTSIDE of all, UNCONSTRAINED if there are none, UNKNOWN if one isn't supported.
static place look(uint8_t type, reader name, reader subtrees) {
  place result = UNCONSTRAINED;
  uint8_t tag;
  reader subtree, base;
  while (subtrees.at < subtrees.end) {
    if (!take(&subtrees, &tag, &subtree) || tag != SEQUENCE || !take(&subtree, &tag, &base)) return UNKNOWN;
    if ((tag & TYPE) != type) continue;
    // The minimum and maximum fields, which RFC 5280 doesn't use, aren't supported.
    if (subtree.at < subtree.end || (type != DNS_NAME && type != IP_ADDRESS)) return UNKNOWN;
    if (type == IP_ADDRESS && size(base) != 8 && size(base) != 32) return UNKNOWN;
    if (type == DNS_NAME ? is_below(name, base) : is_in_range(name, base)) return INSIDE;
    result = OUTSIDE;
  }
  return result;
}

static uls_tls_name_verdict check(reader names, reader constraints) {
  uint8_t type, tag;
  reader name, subtrees;
  while (names.at < names.end) {
    if (!take(&names, &type, &name)) return ULS_TLS_NAMES_UNKNOWN;
    reader rest = constraints;
    while (rest.at < rest.end) {
      if (!take(&rest, &tag, &subtrees) || (tag != PERMITTED && tag != EXCLUDED)) return ULS_TLS_NAMES_UNKNOWN;
      place place = look(type & TYPE, name, subtrees);
      if (place == UNKNOWN) return ULS_TLS_NAMES_UNKNOWN;
      if (tag == PERMITTED && place == OUTSIDE) return ULS_TLS_NAMES_NOT_PERMITTED;
      if (tag == EXCLUDED && place == INSIDE) return ULS_TLS_NAMES_EXCLUDED;
    }
  }
  return ULS_TLS_NAMES_ALLOWED;
}

static int is_self_issued(const X509 *certificate) {
  return X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0;
}

uls_tls_name_verdict uls_tls_check_names(const STACK_OF(X509) *chain, size_t *depth) {
  size_t count = sk_X509_num(chain);
  reader names, constraints;
  for (size_t subject = 0; subject < count; subject++) {
    const X509 *certificate = sk_X509_value(chain, subject);
    // RFC 5280: "Name constraints are not applied to self-issued certificates (unless the certificate is the final certificate in the path)."
    if ((subject > 0 && is_self_issued(certificate)) || !extension(certificate, NID_subject_alt_name, &names)) continue;
    for (size_t authority = subject + 1; authority < count; authority++) {
      if (!extension(sk_X509_value(chain, authority), NID_name_constraints, &constraints)) continue;
      *depth = subject;
      uls_tls_name_verdict verdict = check(names, constraints);
      if (verdict != ULS_TLS_NAMES_ALLOWED) return verdict;
    }
  }
  return ULS_TLS_NAMES_ALLOWED;
}

// Whether the verification on this thread has met constraints of an unsupported type. Only this error doesn't end it: uls_tls_check_names checks the
// names afterwards.
static __thread int has_unknown_constraints;

static int on_result(int is_good, X509_STORE_CTX *ctx) {
  if (is_good || X509_STORE_CTX_get_error(ctx) != ULS_TLS_NAMES_UNKNOWN) return is_good;
  has_unknown_constraints = 1;
  return 1;
}

int uls_tls_verify(X509_STORE_CTX *ctx) {
  has_unknown_constraints = 0;
  X509_STORE_CTX_set_verify_cb(ctx, on_result);
  return X509_verify_cert(ctx) == 1;
}

int uls_tls_names_need_checking(void) { return has_unknown_constraints; }
