// Parts of certificates and keys.

#include "boringssl.h"
#include "peer_trust.h"

enum { NAME_COMMON = 13, NAME_ORGANIZATION = 17 };

typedef int (*encoder)(void *value, uint8_t **out);

static void hand_over_encoded(void *value, encoder encode, uls_tls_receiver receive, void *context) {
  uint8_t *bytes = NULL;
  int length = encode(value, &bytes);
  if (length > 0) receive(context, bytes, (size_t)length);
  B(OPENSSL_free)(bytes);
}

static int encode_key_info(void *certificate, uint8_t **out) {
  return B(i2d_X509_PUBKEY)(B(X509_get_X509_PUBKEY)(certificate), out);
}

static void hand_over_name(void *certificate, int nid, uls_tls_receiver receive, void *context) {
  void *name = B(X509_get_subject_name)(certificate);
  int last = -1;
  for (int next = -1; (next = B(X509_NAME_get_index_by_NID)(name, nid, next)) >= 0;) last = next;
  if (last < 0) return;
  unsigned char *text = NULL;
  int length = B(ASN1_STRING_to_UTF8)(&text, B(X509_NAME_ENTRY_get_data)(B(X509_NAME_get_entry)(name, last)));
  if (length >= 0) receive(context, text, (size_t)length);
  B(OPENSSL_free)(text);
}

static void hand_over_string(const void *string, uls_tls_receiver receive, void *context) {
  receive(context, B(ASN1_STRING_get0_data)(string), (size_t)B(ASN1_STRING_length)(string));
}

static void hand_over_tls_feature(void *certificate, uls_tls_receiver receive, void *context) {
  void *identifier = B(OBJ_txt2obj)("1.3.6.1.5.5.7.1.24", 1);
  int index = B(X509_get_ext_by_OBJ)(certificate, identifier, -1);
  if (index >= 0) hand_over_string(B(X509_EXTENSION_get_data)(B(X509_get_ext)(certificate, index)), receive, context);
  B(ASN1_OBJECT_free)(identifier);
}

int uls_tls_certificate_part(uls_tls_bytes bytes, enum uls_tls_part part, uls_tls_receiver receive, void *context) {
  void *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  switch (part) {
    case ULS_TLS_PART_KEY_INFO: hand_over_encoded(certificate, encode_key_info, receive, context); break;
    case ULS_TLS_PART_COMMON_NAME: hand_over_name(certificate, NAME_COMMON, receive, context); break;
    case ULS_TLS_PART_ORGANIZATION: hand_over_name(certificate, NAME_ORGANIZATION, receive, context); break;
    case ULS_TLS_PART_SUBJECT: hand_over_encoded(B(X509_get_subject_name)(certificate), B(i2d_X509_NAME), receive, context); break;
    case ULS_TLS_PART_ISSUER: hand_over_encoded(B(X509_get_issuer_name)(certificate), B(i2d_X509_NAME), receive, context); break;
    case ULS_TLS_PART_SERIAL: hand_over_string(B(X509_get0_serialNumber)(certificate), receive, context); break;
    case ULS_TLS_PART_TLS_FEATURE: hand_over_tls_feature(certificate, receive, context); break;
  }
  B(X509_free)(certificate);
  B(ERR_clear_error)();
  return 1;
}

int uls_tls_certificate_validity(uls_tls_bytes bytes, int64_t *not_before, int64_t *not_after) {
  void *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  int result = B(ASN1_TIME_to_posix)(B(X509_get0_notBefore)(certificate), not_before) &&
               B(ASN1_TIME_to_posix)(B(X509_get0_notAfter)(certificate), not_after);
  B(X509_free)(certificate);
  return result;
}

static void *key_from(uls_tls_bytes info) {
  const uint8_t *position = info.data;
  void *key = B(d2i_PUBKEY)(NULL, &position, (long)info.length);
  if (key == NULL) B(ERR_clear_error)();
  return key;
}

static int encode_key(void *key, uint8_t **out) { return B(i2d_PublicKey)(key, out); }

int uls_tls_key(uls_tls_bytes info, enum uls_tls_key_kind *kind, int *bits, uls_tls_receiver receive, void *context) {
  void *key = key_from(info);
  if (key == NULL) return 0;
  switch (B(EVP_PKEY_id)(key)) {
    case KEY_RSA:
    case KEY_RSA_PSS: *kind = ULS_TLS_KEY_RSA; break;
    case KEY_EC: *kind = ULS_TLS_KEY_EC; break;
    case KEY_ED25519: *kind = ULS_TLS_KEY_ED25519; break;
    default: *kind = ULS_TLS_KEY_OTHER;
  }
  *bits = B(EVP_PKEY_bits)(key);
  if (*kind == ULS_TLS_KEY_RSA || *kind == ULS_TLS_KEY_EC) hand_over_encoded(key, encode_key, receive, context);
  B(EVP_PKEY_free)(key);
  B(ERR_clear_error)();
  return 1;
}

void uls_tls_sha256(uls_tls_bytes bytes, uint8_t *digest) { B(SHA256)(bytes.data, bytes.length, digest); }

int uls_tls_signature_is_valid(uls_tls_bytes key_info, int digest_bits, uls_tls_bytes message, uls_tls_bytes signature) {
  void *key = key_from(key_info);
  if (key == NULL) return 0;
  const void *digest = digest_bits == 512 ? B(EVP_sha512)() : digest_bits == 384 ? B(EVP_sha384)() : B(EVP_sha256)();
  void *ctx = B(EVP_MD_CTX_new)();
  int result = ctx != NULL && B(EVP_DigestVerifyInit)(ctx, NULL, digest, NULL, key) == 1 &&
               B(EVP_DigestVerify)(ctx, signature.data, signature.length, message.data, message.length) == 1;
  B(EVP_MD_CTX_free)(ctx);
  B(EVP_PKEY_free)(key);
  B(ERR_clear_error)();
  return result;
}
