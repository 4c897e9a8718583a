#ifndef ULS_BORING_SSL_HPKE_H
#define ULS_BORING_SSL_HPKE_H

#include <stddef.h>
#include <stdint.h>

// Hybrid public key encryption (RFC 9180) in base mode, as the BoringSSL inside NIOSSL computes it. Algorithms have the numbers of IANA's registry
// of HPKE: DHKEM of P-256 (0x0010) and of X25519 (0x0020); HKDF of SHA-256 (1) and SHA-384 (2); AES-128-GCM (1), AES-256-GCM (2) and
// ChaCha20-Poly1305 (3).

enum { ULS_HPKE_ENCAPSULATED_MAXIMUM = 65, ULS_AEAD_NONCE = 12, ULS_AEAD_TAG = 16 };

/// The length of a recipient's public key, and of the encapsulated secret, in bytes; 0 for an unknown algorithm.
size_t uls_hpke_key_length(uint16_t kem);
/// The length of the hash of a key derivation function (KDF) in bytes; 0 for an unknown algorithm.
size_t uls_hpke_hash_length(uint16_t kdf);
/// The length of the key of an AEAD in bytes; 0 for an unknown algorithm.
size_t uls_aead_key_length(uint16_t aead);

/// Creates a sender's context for the recipient's public key `key`, to be freed by uls_hpke_free, and writes the encapsulated secret, of
/// uls_hpke_key_length bytes, to `encapsulated`. NULL for unknown algorithms or an invalid key.
void *uls_hpke_sender(
    uint16_t kem, uint16_t kdf, uint16_t aead, const uint8_t *key, size_t key_length, const void *info, size_t info_length,
    uint8_t *encapsulated);
/// Generates a key pair; each key has at most ULS_HPKE_ENCAPSULATED_MAXIMUM bytes. Returns the private key's length; 0 for an unknown algorithm.
size_t uls_hpke_make_keys(uint16_t kem, uint8_t *private_key, uint8_t *public_key);
/// Creates the recipient's context from the sender's encapsulated secret, to be freed by uls_hpke_free. NULL for unknown algorithms or invalid keys.
void *uls_hpke_recipient(
    uint16_t kem, uint16_t kdf, uint16_t aead, const uint8_t *private_key, size_t key_length, const uint8_t *encapsulated,
    size_t encapsulated_length, const void *info, size_t info_length);
/// Encrypts the next message of the context: writes `length` + ULS_AEAD_TAG bytes to `out`. Returns 0 on failure.
int uls_hpke_seal(void *context, const void *plain, size_t length, uint8_t *out);
/// Decrypts the next message of the context: writes `length` - ULS_AEAD_TAG bytes to `out`, which must have space for `length`. Returns 0 if the
/// message wasn't encrypted by the sender's context.
int uls_hpke_open(void *context, const void *sealed, size_t length, uint8_t *out);
/// Derives a secret of `length` bytes that sender and recipient share, for another use named by `label` (RFC 9180, 5.3). Returns 0 if it is too long.
int uls_hpke_export(const void *context, const void *label, size_t label_length, uint8_t *secret, size_t length);
void uls_hpke_free(void *context);

/// Encrypts with a key of uls_aead_key_length bytes and a nonce of ULS_AEAD_NONCE bytes: writes `length` + ULS_AEAD_TAG bytes to `out`. Returns 0 on
/// failure.
int uls_aead_seal(uint16_t aead, const uint8_t *key, const uint8_t *nonce, const void *plain, size_t length, uint8_t *out);
/// Decrypts: writes `length` - ULS_AEAD_TAG bytes to `out`. Returns 0 if the bytes weren't encrypted with this key and nonce.
int uls_aead_open(uint16_t aead, const uint8_t *key, const uint8_t *nonce, const void *sealed, size_t length, uint8_t *out);

#endif
