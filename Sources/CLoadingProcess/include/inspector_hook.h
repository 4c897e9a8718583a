#ifndef ULS_PROCESS_INSPECTOR_HOOK_H
#define ULS_PROCESS_INSPECTOR_HOOK_H

/// Passes the value of the environment variable URL_LOADING_INSPECT to the product URLLoadingInspector, which begins to record. Returns 0 if the
/// program isn't linked with that product, or the product was built without the package trait Inspector.
int uls_inspect(const char *value);

/// Passes a connected local socket to URLLoadingInspector. It answers with a line of JSON, then records and serves its page until the peer closes the
/// connection, and closes the socket. Returns 0 if the program isn't linked with that product, or the product was built without the package trait
/// Inspector; the socket then still belongs to the caller.
int uls_inspect_for(int connection);

#endif
