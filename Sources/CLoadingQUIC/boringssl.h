#ifndef LOADING_QUIC_BORINGSSL_H
#define LOADING_QUIC_BORINGSSL_H

#include <stddef.h>
#include <stdint.h>

// The functions of NIOSSL's BoringSSL that QUIC needs. NIOSSL has no public headers of them.

#define B(name) CNIOBoringSSL_##name

// MARK: keys

typedef struct uls_aes_key {
  uint32_t words[4 * 15];
  unsigned rounds;
} uls_aes_key;

extern const void *B(EVP_aead_aes_128_gcm)(void);
extern const void *B(EVP_aead_aes_256_gcm)(void);
extern const void *B(EVP_aead_chacha20_poly1305)(void);
extern void *B(EVP_AEAD_CTX_new)(const void *aead, const uint8_t *key, size_t length, size_t tag);
extern void B(EVP_AEAD_CTX_free)(void *ctx);
extern int B(EVP_AEAD_CTX_seal)(
    const void *ctx, uint8_t *out, size_t *written, size_t room, const uint8_t *nonce, size_t nonce_length, const uint8_t *in, size_t length,
    const uint8_t *ad, size_t ad_length);
extern int B(EVP_AEAD_CTX_open)(
    const void *ctx, uint8_t *out, size_t *written, size_t room, const uint8_t *nonce, size_t nonce_length, const uint8_t *in, size_t length,
    const uint8_t *ad, size_t ad_length);
extern int B(AES_set_encrypt_key)(const uint8_t *key, unsigned bits, uls_aes_key *out);
extern void B(AES_encrypt)(const uint8_t *in, uint8_t *out, const uls_aes_key *key);
extern void B(CRYPTO_chacha_20)(uint8_t *out, const uint8_t *in, size_t length, const uint8_t key[32], const uint8_t nonce[12], uint32_t counter);
extern int B(HKDF_extract)(
    uint8_t *out, size_t *written, const void *digest, const uint8_t *secret, size_t length, const uint8_t *salt, size_t salt_length);
extern int B(HKDF_expand)(
    uint8_t *out, size_t count, const void *digest, const uint8_t *key, size_t length, const uint8_t *info, size_t info_length);
extern const void *B(EVP_sha256)(void);
extern const void *B(EVP_sha384)(void);
extern size_t B(EVP_MD_size)(const void *digest);
extern uint8_t *B(HMAC)(
    const void *digest, const void *key, size_t key_length, const uint8_t *data, size_t length, uint8_t *out, unsigned *written);
extern int B(RAND_bytes)(uint8_t *out, size_t count);
extern int B(CRYPTO_memcmp)(const void *left, const void *right, size_t count);
extern void B(ERR_clear_error)(void);

// MARK: TLS

typedef struct uls_quic_method {
  int (*set_read_secret)(void *ssl, int level, const void *cipher, const uint8_t *secret, size_t length);
  int (*set_write_secret)(void *ssl, int level, const void *cipher, const uint8_t *secret, size_t length);
  int (*add_handshake_data)(void *ssl, int level, const uint8_t *data, size_t length);
  int (*flush_flight)(void *ssl);
  int (*send_alert)(void *ssl, int level, uint8_t alert);
} uls_quic_method;

enum { LEVEL_INITIAL = 0, LEVEL_EARLY = 1, LEVEL_HANDSHAKE = 2, LEVEL_APPLICATION = 3 };
enum {
  ERROR_WANT_READ = 2,
  ERROR_WANT_WRITE = 3,
  ERROR_WANT_X509_LOOKUP = 4,
  ERROR_PENDING_CERTIFICATE = 12,
  ERROR_EARLY_DATA_REJECTED = 15,
  ERROR_WANT_CERTIFICATE_VERIFY = 16,
};

extern int B(SSL_set_quic_method)(void *ssl, const uls_quic_method *method);
extern int B(SSL_provide_quic_data)(void *ssl, int level, const uint8_t *data, size_t length);
extern int B(SSL_process_quic_post_handshake)(void *ssl);
extern int B(SSL_set_quic_transport_params)(void *ssl, const uint8_t *params, size_t length);
extern void B(SSL_get_peer_quic_transport_params)(const void *ssl, const uint8_t **params, size_t *length);
extern int B(SSL_set_quic_early_data_context)(void *ssl, const uint8_t *context, size_t length);
extern void B(SSL_set_early_data_enabled)(void *ssl, int enabled);
extern int B(SSL_in_early_data)(const void *ssl);
extern int B(SSL_early_data_accepted)(const void *ssl);
extern void B(SSL_reset_early_data_reject)(void *ssl);
extern void B(SSL_set_connect_state)(void *ssl);
extern void B(SSL_set_accept_state)(void *ssl);
extern int B(SSL_do_handshake)(void *ssl);
extern int B(SSL_get_error)(const void *ssl, int result);
extern int B(SSL_set_min_proto_version)(void *ssl, uint16_t version);
extern int B(SSL_set_max_proto_version)(void *ssl, uint16_t version);
extern int B(SSL_get_ex_new_index)(long argl, void *argp, void *unused, void *dup, void *free_func);
extern int B(SSL_set_ex_data)(void *ssl, int index, void *data);
extern void *B(SSL_get_ex_data)(const void *ssl, int index);
extern uint16_t B(SSL_CIPHER_get_protocol_id)(const void *cipher);
extern void B(SSL_free)(void *ssl);

#endif
