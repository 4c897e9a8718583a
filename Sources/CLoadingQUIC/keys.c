#ifdef LOADING_HTTP3

#include <stdlib.h>
#include <string.h>

#include "internal.h"

// Packet protection (RFC 9001, 5): ngtcp2's callbacks for encryption and key derivation, by BoringSSL.

static const uint8_t salt_v1[] = {0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17,
                                  0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a};

enum { CIPHER_AES_128 = 0x1301, CIPHER_AES_256 = 0x1302, CIPHER_CHACHA20 = 0x1303 };

/// The key for header protection (RFC 9001, 5.4), of AES or ChaCha20.
typedef struct header_key {
  int is_chacha;
  AES_KEY aes;
  uint8_t chacha[32];
} header_key;

// MARK: the algorithms of a cipher suite

static size_t key_length(const EVP_AEAD *aead) { return aead == EVP_aead_aes_128_gcm() ? 16 : 32; }

static void fill(ngtcp2_crypto_ctx *ctx, const EVP_AEAD *aead, const EVP_MD *digest, uint64_t encryptions, uint64_t failures) {
  memset(ctx, 0, sizeof(*ctx));
  ctx->aead.native_handle = (void *)aead;
  ctx->aead.max_overhead = TAG_LENGTH;
  ctx->md.native_handle = (void *)digest;
  // The algorithm for header protection follows from the AEAD; `header_key` knows which it is.
  ctx->hp.native_handle = (void *)aead;
  ctx->max_encryption = encryptions;
  ctx->max_decryption_failure = failures;
}

ngtcp2_crypto_ctx uls_initial_ctx(void) {
  ngtcp2_crypto_ctx ctx;
  fill(&ctx, EVP_aead_aes_128_gcm(), EVP_sha256(), 0, 0);
  return ctx;
}

ngtcp2_crypto_aead uls_retry_aead(void) { return uls_initial_ctx().aead; }

int uls_ctx_of_cipher(const SSL_CIPHER *cipher, ngtcp2_crypto_ctx *ctx) {
  // The limits for the use of one key (RFC 9001, 6.6).
  switch (SSL_CIPHER_get_protocol_id(cipher)) {
    case CIPHER_AES_128: fill(ctx, EVP_aead_aes_128_gcm(), EVP_sha256(), 1ull << 23, 1ull << 52); return 0;
    case CIPHER_AES_256: fill(ctx, EVP_aead_aes_256_gcm(), EVP_sha384(), 1ull << 23, 1ull << 52); return 0;
    case CIPHER_CHACHA20: fill(ctx, EVP_aead_chacha20_poly1305(), EVP_sha256(), UINT64_MAX, 1ull << 36); return 0;
    default: return -1;
  }
}

// MARK: key derivation

/// HKDF-Expand-Label (RFC 8446, 7.1) with an empty context: derives `count` bytes from a secret. Returns 0 for success.
static int expand_label(uint8_t *out, size_t count, const EVP_MD *digest, const uint8_t *secret, size_t length, const char *label) {
  uint8_t info[64];
  size_t label_length = strlen(label);
  size_t position = 0;
  info[position++] = (uint8_t)(count >> 8);
  info[position++] = (uint8_t)count;
  info[position++] = (uint8_t)(6 + label_length);
  memcpy(info + position, "tls13 ", 6);
  position += 6;
  memcpy(info + position, label, label_length);
  position += label_length;
  info[position++] = 0;
  return HKDF_expand(out, count, digest, secret, length, info, position) ? 0 : -1;
}

static int make_aead(const ngtcp2_crypto_ctx *ctx, const uint8_t *secret, size_t length, ngtcp2_crypto_aead_ctx *out, uint8_t *iv) {
  uint8_t key[32];
  const EVP_AEAD *aead = ctx->aead.native_handle;
  const EVP_MD *digest = ctx->md.native_handle;
  size_t count = key_length(aead);
  out->native_handle = NULL;
  if (expand_label(key, count, digest, secret, length, "quic key") || expand_label(iv, IV_LENGTH, digest, secret, length, "quic iv")) return -1;
  out->native_handle = EVP_AEAD_CTX_new(aead, key, count, TAG_LENGTH);
  explicit_bzero(key, sizeof(key));
  return out->native_handle == NULL ? -1 : 0;
}

static int make_cipher(const ngtcp2_crypto_ctx *ctx, const uint8_t *secret, size_t length, ngtcp2_crypto_cipher_ctx *out) {
  uint8_t bytes[32];
  const EVP_AEAD *aead = ctx->aead.native_handle;
  size_t count = key_length(aead);
  out->native_handle = NULL;
  header_key *key = calloc(1, sizeof(*key));
  if (key == NULL) return -1;
  if (expand_label(bytes, count, ctx->md.native_handle, secret, length, "quic hp")) {
    free(key);
    return -1;
  }
  key->is_chacha = aead == EVP_aead_chacha20_poly1305();
  if (key->is_chacha) {
    memcpy(key->chacha, bytes, sizeof(key->chacha));
  } else {
    AES_set_encrypt_key(bytes, (unsigned)count * 8, &key->aes);
  }
  explicit_bzero(bytes, sizeof(bytes));
  out->native_handle = key;
  return 0;
}

/// The keys that protect packets of one direction at one encryption level.
typedef struct protection {
  ngtcp2_crypto_aead_ctx aead;
  uint8_t iv[IV_LENGTH];
  ngtcp2_crypto_cipher_ctx cipher;
} protection;

static void drop(protection *made) {
  uls_on_delete_aead(NULL, &made->aead, NULL);
  uls_on_delete_cipher(NULL, &made->cipher, NULL);
}

static int make(const ngtcp2_crypto_ctx *ctx, const uint8_t *secret, size_t length, protection *out) {
  memset(out, 0, sizeof(*out));
  if (make_aead(ctx, secret, length, &out->aead, out->iv) || make_cipher(ctx, secret, length, &out->cipher)) {
    drop(out);
    return -1;
  }
  return 0;
}

// MARK: installing keys

int uls_install_initial_keys(uls_h3 *connection, const ngtcp2_cid *id) {
  uint8_t initial[64], client[32], server[32];
  size_t length = 0;
  const EVP_MD *digest = EVP_sha256();
  ngtcp2_crypto_ctx ctx = uls_initial_ctx();
  protection rx, tx;
  if (!HKDF_extract(initial, &length, digest, id->data, id->datalen, salt_v1, sizeof(salt_v1))) return -1;
  if (expand_label(client, 32, digest, initial, length, "client in") || expand_label(server, 32, digest, initial, length, "server in")) return -1;
  ngtcp2_conn_set_initial_crypto_ctx(connection->quic, &ctx);
  if (make(&ctx, connection->is_server ? client : server, 32, &rx)) return -1;
  if (make(&ctx, connection->is_server ? server : client, 32, &tx)) {
    drop(&rx);
    return -1;
  }
  int result = ngtcp2_conn_install_initial_key(
      connection->quic, &rx.aead, rx.iv, &rx.cipher, &tx.aead, tx.iv, &tx.cipher, IV_LENGTH);
  if (result != 0) {
    drop(&rx);
    drop(&tx);
  }
  return result;
}

int uls_install_key(
    uls_h3 *connection, int is_read, enum ssl_encryption_level_t level, const SSL_CIPHER *cipher, const uint8_t *secret, size_t length) {
  ngtcp2_conn *quic = connection->quic;
  ngtcp2_crypto_ctx ctx;
  protection made;
  if (uls_ctx_of_cipher(cipher, &ctx)) return -1;
  if (level == ssl_encryption_early_data) {
    n_set_early_crypto_ctx(quic, &ctx);
  } else {
    ngtcp2_conn_set_crypto_ctx(quic, &ctx);
  }
  if (make(&ctx, secret, length, &made)) return -1;
  int result = -1;
  switch (level) {
    case ssl_encryption_early_data: result = n_install_early_key(quic, &made.aead, made.iv, IV_LENGTH, &made.cipher); break;
    case ssl_encryption_handshake:
      result = is_read ? ngtcp2_conn_install_rx_handshake_key(quic, &made.aead, made.iv, IV_LENGTH, &made.cipher)
                       : ngtcp2_conn_install_tx_handshake_key(quic, &made.aead, made.iv, IV_LENGTH, &made.cipher);
      break;
    case ssl_encryption_application:
      result = is_read ? ngtcp2_conn_install_rx_key(quic, secret, length, &made.aead, made.iv, IV_LENGTH, &made.cipher)
                       : ngtcp2_conn_install_tx_key(quic, secret, length, &made.aead, made.iv, IV_LENGTH, &made.cipher);
      break;
    default: break;
  }
  if (result != 0) drop(&made);
  return result;
}

EVP_AEAD_CTX *uls_aead_for_retry(void) {
  return EVP_AEAD_CTX_new(EVP_aead_aes_128_gcm(), (const uint8_t *)NGTCP2_RETRY_KEY_V1, 16, TAG_LENGTH);
}

int uls_set_retry_aead(uls_h3 *connection) {
  ngtcp2_crypto_aead aead = uls_retry_aead();
  ngtcp2_crypto_aead_ctx ctx = {uls_aead_for_retry()};
  if (ctx.native_handle == NULL) return -1;
  ngtcp2_conn_set_retry_aead(connection->quic, &aead, &ctx);
  return 0;
}

// MARK: ngtcp2's callbacks

int uls_on_encrypt(
    uint8_t *out, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *ctx, const uint8_t *in, size_t length, const uint8_t *nonce,
    size_t nonce_length, const uint8_t *ad, size_t ad_length) {
  (void)aead;
  size_t written = 0;
  int is_done = EVP_AEAD_CTX_seal(
      ctx->native_handle, out, &written, length + TAG_LENGTH, nonce, nonce_length, in, length, ad, ad_length);
  return is_done ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

_Thread_local int uls_has_decrypted;

int uls_on_decrypt(
    uint8_t *out, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *ctx, const uint8_t *in, size_t length, const uint8_t *nonce,
    size_t nonce_length, const uint8_t *ad, size_t ad_length) {
  (void)aead;
  size_t written = 0;
  if (EVP_AEAD_CTX_open(ctx->native_handle, out, &written, length, nonce, nonce_length, in, length, ad, ad_length)) {
    uls_has_decrypted = 1;
    return 0;
  }
  ERR_clear_error();
  return NGTCP2_ERR_DECRYPT;
}

int uls_on_hp_mask(uint8_t *out, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *ctx, const uint8_t *sample) {
  (void)hp;
  const header_key *key = ctx->native_handle;
  if (key->is_chacha) {
    static const uint8_t nothing[NGTCP2_HP_MASKLEN] = {0};
    uint32_t counter = sample[0] | (uint32_t)sample[1] << 8 | (uint32_t)sample[2] << 16 | (uint32_t)sample[3] << 24;
    CRYPTO_chacha_20(out, nothing, sizeof(nothing), key->chacha, sample + 4, counter);
  } else {
    uint8_t block[16];
    AES_encrypt(sample, block, &key->aes);
    memcpy(out, block, NGTCP2_HP_MASKLEN);
  }
  return 0;
}

int uls_on_update_key(
    ngtcp2_conn *quic, uint8_t *rx_secret, uint8_t *tx_secret, ngtcp2_crypto_aead_ctx *rx_ctx, uint8_t *rx_iv, ngtcp2_crypto_aead_ctx *tx_ctx,
    uint8_t *tx_iv, const uint8_t *rx, const uint8_t *tx, size_t length, void *self) {
  (void)self;
  const ngtcp2_crypto_ctx *ctx = ngtcp2_conn_get_crypto_ctx(quic);
  const EVP_MD *digest = ctx->md.native_handle;
  if (expand_label(rx_secret, length, digest, rx, length, "quic ku") || expand_label(tx_secret, length, digest, tx, length, "quic ku") ||
      make_aead(ctx, rx_secret, length, rx_ctx, rx_iv)) {
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  if (make_aead(ctx, tx_secret, length, tx_ctx, tx_iv)) {
    uls_on_delete_aead(quic, rx_ctx, NULL);
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  return 0;
}

void uls_on_delete_aead(ngtcp2_conn *quic, ngtcp2_crypto_aead_ctx *ctx, void *self) {
  (void)quic, (void)self;
  if (ctx->native_handle != NULL) EVP_AEAD_CTX_free(ctx->native_handle);
  ctx->native_handle = NULL;
}

void uls_on_delete_cipher(ngtcp2_conn *quic, ngtcp2_crypto_cipher_ctx *ctx, void *self) {
  (void)quic, (void)self;
  if (ctx->native_handle != NULL) explicit_bzero(ctx->native_handle, sizeof(header_key));
  free(ctx->native_handle);
  ctx->native_handle = NULL;
}

#endif
