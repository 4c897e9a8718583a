// Reads parts of certificates and public keys.

#include "boringssl.h"
#include "peer_trust.h"

// Calls `receive` with bytes that BoringSSL has encoded, unless `length` says that it failed or there are none, and frees them.
static void hand_over_encoded(int length, uint8_t *bytes, uls_tls_receiver receive, void *context) {
  if (length > 0) receive(context, bytes, (size_t)length);
  OPENSSL_free(bytes);
}

static void hand_over_name(X509 *certificate, int nid, uls_tls_receiver receive, void *context) {
  X509_NAME *name = X509_get_subject_name(certificate);
  int last = -1;
  for (int next = -1; (next = X509_NAME_get_index_by_NID(name, nid, next)) >= 0;) last = next;
  if (last < 0) return;
  unsigned char *text = NULL;
  int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, last)));
  if (length >= 0) receive(context, text, (size_t)length);
  OPENSSL_free(text);
}

static void hand_over_string(const ASN1_STRING *string, uls_tls_receiver receive, void *context) {
  receive(context, ASN1_STRING_get0_data(string), (size_t)ASN1_STRING_length(string));
}

static void hand_over_tls_feature(X509 *certificate, uls_tls_receiver receive, void *context) {
  ASN1_OBJECT *identifier = OBJ_txt2obj("1.3.6.1.5.5.7.1.24", 1);
  int index = X509_get_ext_by_OBJ(certificate, identifier, -1);
  if (index >= 0) hand_over_string(X509_EXTENSION_get_data(X509_get_ext(certificate, index)), receive, context);
  ASN1_OBJECT_free(identifier);
}

int uls_tls_certificate_part(uls_tls_bytes bytes, enum uls_tls_part part, uls_tls_receiver receive, void *context) {
  X509 *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  uint8_t *encoded = NULL;
  int length = 0;
  switch (part) {
    case ULS_TLS_PART_KEY_INFO: length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded); break;
    case ULS_TLS_PART_COMMON_NAME: hand_over_name(certificate, NID_commonName, receive, context); break;
    case ULS_TLS_PART_ORGANIZATION: hand_over_name(certificate, NID_organizationName, receive, context); break;
    case ULS_TLS_PART_SUBJECT: length = i2d_X509_NAME(X509_get_subject_name(certificate), &encoded); break;
    case ULS_TLS_PART_ISSUER: length = i2d_X509_NAME(X509_get_issuer_name(certificate), &encoded); break;
    case ULS_TLS_PART_SERIAL: hand_over_string(X509_get0_serialNumber(certificate), receive, context); break;
    case ULS_TLS_PART_TLS_FEATURE: hand_over_tls_feature(certificate, receive, context); break;
  }
  hand_over_encoded(length, encoded, receive, context);
  X509_free(certificate);
  ERR_clear_error();
  return 1;
}

int uls_tls_certificate_validity(uls_tls_bytes bytes, int64_t *not_before, int64_t *not_after) {
  X509 *certificate = uls_tls_certificate_from(bytes);
  if (certificate == NULL) return 0;
  int result = ASN1_TIME_to_posix(X509_get0_notBefore(certificate), not_before) &&
               ASN1_TIME_to_posix(X509_get0_notAfter(certificate), not_after);
  X509_free(certificate);
  return result;
}

static EVP_PKEY *key_from(uls_tls_bytes info) {
  const uint8_t *position = info.data;
  EVP_PKEY *key = d2i_PUBKEY(NULL, &position, (long)info.length);
  if (key == NULL) ERR_clear_error();
  return key;
}

int uls_tls_key(uls_tls_bytes info, enum uls_tls_key_kind *kind, int *bits, uls_tls_receiver receive, void *context) {
  EVP_PKEY *key = key_from(info);
  if (key == NULL) return 0;
  switch (EVP_PKEY_id(key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS: *kind = ULS_TLS_KEY_RSA; break;
    case EVP_PKEY_EC: *kind = ULS_TLS_KEY_EC; break;
    case EVP_PKEY_ED25519: *kind = ULS_TLS_KEY_ED25519; break;
    default: *kind = ULS_TLS_KEY_OTHER;
  }
  *bits = EVP_PKEY_bits(key);
  if (*kind == ULS_TLS_KEY_RSA || *kind == ULS_TLS_KEY_EC) {
    uint8_t *encoded = NULL;
    hand_over_encoded(i2d_PublicKey(key, &encoded), encoded, receive, context);
  }
  EVP_PKEY_free(key);
  ERR_clear_error();
  return 1;
}

void uls_tls_sha256(uls_tls_bytes bytes, uint8_t *digest) { SHA256(bytes.data, bytes.length, digest); }

int uls_tls_signature_is_valid(uls_tls_bytes key_info, int digest_bits, uls_tls_bytes message, uls_tls_bytes signature) {
  EVP_PKEY *key = key_from(key_info);
  if (key == NULL) return 0;
  const EVP_MD *digest = digest_bits == 512 ? EVP_sha512() : digest_bits == 384 ? EVP_sha384() : EVP_sha256();
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  int result = ctx != NULL && EVP_DigestVerifyInit(ctx, NULL, digest, NULL, key) == 1 &&
               EVP_DigestVerify(ctx, signature.data, signature.length, message.data, message.length) == 1;
  EVP_MD_CTX_free(ctx);
  EVP_PKEY_free(key);
  ERR_clear_error();
  return result;
}
