#ifndef ULS_QUIC_VERSIONS_H
#define ULS_QUIC_VERSIONS_H

// Common names for what ngtcp2 and nghttp3 name differently in their versions 0.12 and 0.8 (Debian 12), and 1.x.

#if !__has_include(<ngtcp2/ngtcp2.h>) || !__has_include(<nghttp3/nghttp3.h>)
#error "the package trait HTTP3 needs ngtcp2 and nghttp3: install libngtcp2-dev and libnghttp3-dev (Debian, Ubuntu), or leave the trait out"
#endif
#include <nghttp3/nghttp3.h>
#include <ngtcp2/ngtcp2.h>

#if NGTCP2_VERSION_NUM >= 0x010000
#define ULS_NGTCP2_1 1
#define N_LEVEL_TYPE ngtcp2_encryption_level
#define N_LEVEL_INITIAL NGTCP2_ENCRYPTION_LEVEL_INITIAL
#define N_LEVEL_HANDSHAKE NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE
#define N_LEVEL_APPLICATION NGTCP2_ENCRYPTION_LEVEL_1RTT
#define N_LEVEL_EARLY NGTCP2_ENCRYPTION_LEVEL_0RTT
#define n_install_early_key ngtcp2_conn_install_0rtt_key
#define n_set_early_crypto_ctx ngtcp2_conn_set_0rtt_crypto_ctx
#define n_decode_remote_params ngtcp2_conn_decode_and_set_remote_transport_params
#define n_early_data_rejected ngtcp2_conn_tls_early_data_rejected
#define n_handshake_completed ngtcp2_conn_tls_handshake_completed
#define n_shutdown_stream(conn, id, code) ngtcp2_conn_shutdown_stream(conn, 0, id, code)
#define n_shutdown_stream_write(conn, id, code) ngtcp2_conn_shutdown_stream_write(conn, 0, id, code)
#define n_shutdown_stream_read(conn, id, code) ngtcp2_conn_shutdown_stream_read(conn, 0, id, code)
#define n_close_error ngtcp2_ccerr
#define n_close_error_default ngtcp2_ccerr_default
#define n_close_error_transport ngtcp2_ccerr_set_liberr
#define n_close_error_alert ngtcp2_ccerr_set_tls_alert
#define n_close_error_application ngtcp2_ccerr_set_application_error
#define N_CLOSE_TRANSPORT NGTCP2_CCERR_TYPE_TRANSPORT
#define N_CLOSE_APPLICATION NGTCP2_CCERR_TYPE_APPLICATION
#define n_statistics ngtcp2_conn_info
#define n_get_statistics ngtcp2_conn_get_conn_info
#define n_token(header) ((ngtcp2_vec){(uint8_t *)(header).token, (header).tokenlen})
#else
#define ULS_NGTCP2_1 0
#define N_LEVEL_TYPE ngtcp2_crypto_level
#define N_LEVEL_INITIAL NGTCP2_CRYPTO_LEVEL_INITIAL
#define N_LEVEL_HANDSHAKE NGTCP2_CRYPTO_LEVEL_HANDSHAKE
#define N_LEVEL_APPLICATION NGTCP2_CRYPTO_LEVEL_APPLICATION
#define N_LEVEL_EARLY NGTCP2_CRYPTO_LEVEL_EARLY
#define n_install_early_key ngtcp2_conn_install_early_key
#define n_set_early_crypto_ctx ngtcp2_conn_set_early_crypto_ctx
#define n_decode_remote_params ngtcp2_conn_decode_remote_transport_params
#define n_early_data_rejected ngtcp2_conn_early_data_rejected
#define n_handshake_completed ngtcp2_conn_handshake_completed
#define n_shutdown_stream ngtcp2_conn_shutdown_stream
#define n_shutdown_stream_write ngtcp2_conn_shutdown_stream_write
#define n_shutdown_stream_read ngtcp2_conn_shutdown_stream_read
#define n_close_error ngtcp2_connection_close_error
#define n_close_error_default ngtcp2_connection_close_error_default
#define n_close_error_transport ngtcp2_connection_close_error_set_transport_error_liberr
#define n_close_error_alert ngtcp2_connection_close_error_set_transport_error_tls_alert
#define n_close_error_application ngtcp2_connection_close_error_set_application_error
#define N_CLOSE_TRANSPORT NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_TRANSPORT
#define N_CLOSE_APPLICATION NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION
#define n_statistics ngtcp2_conn_stat
#define n_get_statistics ngtcp2_conn_get_conn_stat
#define n_token(header) ((header).token)
#endif

// Whether nghttp3 reports the peer's SETTINGS (recv_settings). If not, incoming.c reads them as well.
#define ULS_NGHTTP3_TELLS_SETTINGS (NGHTTP3_VERSION_NUM >= 0x010000)

#endif
