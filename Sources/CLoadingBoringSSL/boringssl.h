#ifndef LOADING_BORINGSSL_H
#define LOADING_BORINGSSL_H

#include <stddef.h>
#include <stdint.h>

#include "CLoadingBoringSSL.h"

// The functions of NIOSSL's BoringSSL that peer_trust.c, signed_path.c and certificate_parts.c call. NIOSSL has no public headers of them.

#define B(name) CNIOBoringSSL_##name

extern void *B(X509_STORE_new)(void);
extern void B(X509_STORE_free)(void *store);
extern int B(X509_STORE_up_ref)(void *store);
extern int B(X509_STORE_load_locations)(void *store, const char *file, const char *folder);
extern int B(X509_STORE_add_cert)(void *store, void *certificate);
extern void *B(X509_STORE_get1_objects)(void *store);
extern void B(X509_OBJECT_free)(void *object);
extern void *B(X509_OBJECT_get0_X509)(const void *object);
extern void B(SSL_CTX_set_cert_store)(void *ctx, void *store);

extern void *B(X509_STORE_CTX_new)(void);
extern void B(X509_STORE_CTX_free)(void *ctx);
extern int B(X509_STORE_CTX_init)(void *ctx, void *store, void *leaf, void *chain);
extern int B(X509_STORE_CTX_set_default)(void *ctx, const char *name);
extern void *B(X509_STORE_CTX_get0_param)(void *ctx);
extern void *B(X509_STORE_CTX_get0_chain)(const void *ctx);
extern int B(X509_STORE_CTX_get_error)(const void *ctx);
extern int B(X509_STORE_CTX_get_error_depth)(const void *ctx);
extern int B(X509_verify_cert)(void *ctx);
extern void B(X509_STORE_CTX_set_verify_cb)(void *ctx, int (*callback)(int is_good, void *ctx));
extern void *B(X509_STORE_CTX_get1_certs)(void *ctx, const void *name);
extern const char *B(X509_verify_cert_error_string)(long error);
extern int B(X509_VERIFY_PARAM_set1_host)(void *param, const char *name, size_t length);
extern int B(X509_VERIFY_PARAM_set1_ip_asc)(void *param, const char *address);
extern void B(X509_VERIFY_PARAM_set_hostflags)(void *param, unsigned flags);
extern int B(X509_VERIFY_PARAM_set_flags)(void *param, unsigned long flags);
extern void B(X509_VERIFY_PARAM_set_time_posix)(void *param, int64_t time);

extern void *B(d2i_X509)(void **out, const uint8_t **in, long length);
extern int B(i2d_X509)(void *certificate, uint8_t **out);
extern void B(X509_free)(void *certificate);
extern int B(X509_up_ref)(void *certificate);
extern int B(X509_cmp)(const void *left, const void *right);
extern int B(X509_check_issued)(void *issuer, void *subject);
extern int B(X509_check_ca)(void *certificate);
extern int B(X509_verify)(void *certificate, void *key);
extern void *B(X509_get_subject_name)(const void *certificate);
extern void *B(X509_get_issuer_name)(const void *certificate);
extern int B(X509_NAME_cmp)(const void *left, const void *right);
extern int B(i2d_X509_NAME)(void *name, uint8_t **out);
extern int B(X509_NAME_get_index_by_NID)(const void *name, int nid, int after);
extern void *B(X509_NAME_get_entry)(const void *name, int index);
extern void *B(X509_NAME_ENTRY_get_data)(const void *entry);
extern int B(ASN1_STRING_to_UTF8)(unsigned char **out, const void *string);
extern const unsigned char *B(ASN1_STRING_get0_data)(const void *string);
extern int B(ASN1_STRING_length)(const void *string);
extern void *B(X509_get0_serialNumber)(const void *certificate);
extern const void *B(X509_get0_notBefore)(const void *certificate);
extern const void *B(X509_get0_notAfter)(const void *certificate);
extern int B(ASN1_TIME_to_posix)(const void *time, int64_t *out);
extern int B(X509_get_signature_nid)(const void *certificate);
extern void *B(X509_get0_pubkey)(const void *certificate);
extern void *B(X509_get_X509_PUBKEY)(const void *certificate);
extern int B(i2d_X509_PUBKEY)(const void *key, uint8_t **out);
extern void *B(OBJ_txt2obj)(const char *text, int only_numbers);
extern void B(ASN1_OBJECT_free)(void *object);
extern int B(X509_get_ext_by_NID)(const void *certificate, int nid, int after);
extern int B(X509_get_ext_by_OBJ)(const void *certificate, const void *object, int after);
extern void *B(X509_get_ext)(const void *certificate, int index);
extern void *B(X509_EXTENSION_get_data)(const void *extension);

extern void *B(d2i_PUBKEY)(void **out, const uint8_t **in, long length);
extern int B(i2d_PublicKey)(const void *key, uint8_t **out);
extern int B(EVP_PKEY_id)(const void *key);
extern int B(EVP_PKEY_bits)(const void *key);
extern void B(EVP_PKEY_free)(void *key);
extern uint8_t *B(SHA256)(const uint8_t *data, size_t length, uint8_t *out);
extern const void *B(EVP_sha256)(void);
extern const void *B(EVP_sha384)(void);
extern const void *B(EVP_sha512)(void);
extern void *B(EVP_MD_CTX_new)(void);
extern void B(EVP_MD_CTX_free)(void *ctx);
extern int B(EVP_DigestVerifyInit)(void *ctx, void **key_ctx, const void *type, void *engine, void *key);
extern int B(EVP_DigestVerify)(void *ctx, const uint8_t *signature, size_t signature_length, const uint8_t *data, size_t length);

extern void B(SSL_set_custom_verify)(void *ssl, int mode, int (*callback)(void *ssl, uint8_t *alert));
extern void *B(SSL_get_peer_full_cert_chain)(const void *ssl);
extern const void *B(SSL_get0_server_requested_CAs)(const void *ssl);
extern void B(SSL_enable_ocsp_stapling)(void *ssl);
extern void B(SSL_get0_ocsp_response)(const void *ssl, const uint8_t **out, size_t *length);
extern const uint8_t *B(CRYPTO_BUFFER_data)(const void *buffer);
extern size_t B(CRYPTO_BUFFER_len)(const void *buffer);

extern void *B(OPENSSL_sk_new_null)(void);
extern size_t B(OPENSSL_sk_num)(const void *stack);
extern void *B(OPENSSL_sk_value)(const void *stack, size_t index);
extern size_t B(OPENSSL_sk_push)(void *stack, void *element);
extern void B(OPENSSL_sk_free)(void *stack);
extern void B(OPENSSL_free)(void *memory);
extern void B(ERR_clear_error)(void);

enum { KEY_RSA = 6, KEY_EC = 408, KEY_RSA_PSS = 912, KEY_ED25519 = 949 };

// The certificate in DER that these bytes are, to be freed; NULL if they are none.
void *uls_tls_certificate_from(uls_tls_bytes bytes);
// Gives `receive` the certificate in DER.
void uls_tls_hand_over(void *certificate, uls_tls_receiver receive, void *context);
// Whether the certificate's key is too short to prove anything.
int uls_tls_is_weak_key(void *certificate);
// Whether the certificate was signed with a digest that is broken.
int uls_tls_has_weak_signature(void *certificate);

#endif
