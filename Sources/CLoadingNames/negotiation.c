#define _GNU_SOURCE
#include "negotiation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// RFC 2744's types with MIT Kerberos' layout, declared here so that building needs no GSSAPI headers.
typedef uint32_t gss_status;
typedef struct { size_t length; void *value; } gss_buffer;
typedef struct { uint32_t length; void *elements; } gss_oid_desc;
typedef struct { size_t count; gss_oid_desc *elements; } gss_oid_set_desc;
typedef void *gss_handle;

enum {
  gss_initiate = 1,
  gss_mutual = 2,
  gss_complete = 0,
  gss_continue_needed = 1,
  gss_error_mask = (int)0xffff0000,
  gss_code_major = 1,
  gss_code_minor = 2,
};

struct uls_negotiation {
  gss_handle context;
  gss_handle target;
  gss_handle credential;
};

static struct {
  gss_status (*import_name)(gss_status *, gss_buffer *, gss_oid_desc *, gss_handle *);
  gss_status (*release_name)(gss_status *, gss_handle *);
  gss_status (*acquire)(gss_status *, gss_handle, uint32_t, gss_oid_set_desc *, int, gss_handle *, gss_oid_set_desc **, uint32_t *);
  gss_status (*acquire_with_password)(
      gss_status *, gss_handle, gss_buffer *, uint32_t, gss_oid_set_desc *, int, gss_handle *, gss_oid_set_desc **, uint32_t *);
  gss_status (*set_mechanisms)(gss_status *, gss_handle, gss_oid_set_desc *);
  gss_status (*release_credential)(gss_status *, gss_handle *);
  gss_status (*init_context)(
      gss_status *, gss_handle, gss_handle *, gss_handle, gss_oid_desc *, uint32_t, uint32_t, void *, gss_buffer *, gss_oid_desc **,
      gss_buffer *, uint32_t *, uint32_t *);
  gss_status (*delete_context)(gss_status *, gss_handle *, gss_buffer *);
  gss_status (*release_buffer)(gss_status *, gss_buffer *);
  gss_status (*display_status)(gss_status *, gss_status, int, gss_oid_desc *, uint32_t *, gss_buffer *);
} gss;
static int is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Object identifiers: SPNEGO 1.3.6.1.5.5.2 (RFC 4178), Kerberos 1.2.840.113554.1.2.2 (RFC 1964), and the name types "service@host" and "user name" of
// RFC 2744, appendix A.
static gss_oid_desc spnego = {6, "\x2b\x06\x01\x05\x05\x02"};
static gss_oid_desc kerberos = {9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
static gss_oid_desc host_service = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
static gss_oid_desc user_name = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x01"};

static void look_up(void) {
  void *library = dlopen("libgssapi_krb5.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&gss.import_name = dlsym(library, "gss_import_name");
  *(void **)&gss.release_name = dlsym(library, "gss_release_name");
  *(void **)&gss.acquire = dlsym(library, "gss_acquire_cred");
  *(void **)&gss.acquire_with_password = dlsym(library, "gss_acquire_cred_with_password");
  *(void **)&gss.set_mechanisms = dlsym(library, "gss_set_neg_mechs");
  *(void **)&gss.release_credential = dlsym(library, "gss_release_cred");
  *(void **)&gss.init_context = dlsym(library, "gss_init_sec_context");
  *(void **)&gss.delete_context = dlsym(library, "gss_delete_sec_context");
  *(void **)&gss.release_buffer = dlsym(library, "gss_release_buffer");
  *(void **)&gss.display_status = dlsym(library, "gss_display_status");
  // A library that is too old to have gss_set_neg_mechs counts as missing.
  is_available = gss.import_name && gss.release_name && gss.acquire && gss.acquire_with_password && gss.set_mechanisms &&
                 gss.release_credential && gss.init_context && gss.delete_context && gss.release_buffer && gss.display_status;
}

int uls_negotiation_available(void) {
  pthread_once(&once, look_up);
  return is_available;
}

static int failed(gss_status status) { return (status & (uint32_t)gss_error_mask) != 0; }

// Writes the library's text for the mechanism's error (`minor`), or if that is 0 for the call's error (`major`).
static void describe(gss_status major, gss_status minor, char *message, size_t size) {
  if (!message || size == 0) return;
  gss_status ignored = 0;
  uint32_t more = 0;
  gss_buffer text = {0, NULL};
  gss_status result = minor ? gss.display_status(&ignored, minor, gss_code_minor, &kerberos, &more, &text)
                            : gss.display_status(&ignored, major, gss_code_major, NULL, &more, &text);
  if (failed(result)) {
    snprintf(message, size, "GSSAPI status %#x", (unsigned)major);
    return;
  }
  snprintf(message, size, "%.*s", (int)text.length, (const char *)text.value);
  gss.release_buffer(&ignored, &text);
}

static gss_status import(const char *text, gss_oid_desc *type, gss_handle *name, gss_status *minor) {
  gss_buffer buffer = {strlen(text), (void *)text};
  return gss.import_name(minor, &buffer, type, name);
}

static gss_status acquire(uls_negotiation *negotiation, const char *user, const char *password, gss_status *minor) {
  gss_oid_set_desc mechanisms = {1, &spnego};
  if (!user || !password) {
    return gss.acquire(minor, NULL, 0, &mechanisms, gss_initiate, &negotiation->credential, NULL, NULL);
  }
  gss_handle name = NULL;
  gss_status status = import(user, &user_name, &name, minor);
  if (failed(status)) return status;
  gss_buffer secret = {strlen(password), (void *)password};
  status = gss.acquire_with_password(
      minor, name, &secret, 0, &mechanisms, gss_initiate, &negotiation->credential, NULL, NULL);
  gss_status ignored = 0;
  gss.release_name(&ignored, &name);
  return status;
}

// Limits SPNEGO to Kerberos. Otherwise it would offer every installed mechanism, such as NTLM by a plug-in.
static gss_status restrict_to_kerberos(gss_handle credential, gss_status *minor) {
  gss_oid_set_desc mechanisms = {1, &kerberos};
  return gss.set_mechanisms(minor, credential, &mechanisms);
}

uls_negotiation *uls_negotiation_begin(
    const char *service, const char *user, const char *password, char *message, size_t message_size) {
  if (!uls_negotiation_available()) {
    if (message && message_size) snprintf(message, message_size, "libgssapi_krb5.so.2 is not installed");
    return NULL;
  }
  uls_negotiation *negotiation = calloc(1, sizeof *negotiation);
  if (!negotiation) return NULL;
  gss_status minor = 0;
  gss_status status = import(service, &host_service, &negotiation->target, &minor);
  if (!failed(status)) status = acquire(negotiation, user, password, &minor);
  if (!failed(status)) status = restrict_to_kerberos(negotiation->credential, &minor);
  if (failed(status)) {
    describe(status, minor, message, message_size);
    uls_negotiation_end(negotiation);
    return NULL;
  }
  return negotiation;
}

uls_negotiation_status uls_negotiation_step(
    uls_negotiation *negotiation, const uint8_t *in, size_t in_length, uint8_t **out, size_t *out_length, char *message,
    size_t message_size) {
  *out = NULL;
  *out_length = 0;
  gss_status minor = 0, ignored = 0;
  gss_buffer input = {in_length, (void *)in};
  gss_buffer output = {0, NULL};
  // GSS_C_MUTUAL_FLAG: the server has to authenticate too. Without GSS_C_DELEG_FLAG the user's tickets are never passed on to the server.
  gss_status status = gss.init_context(
      &minor, negotiation->credential, &negotiation->context, negotiation->target, &spnego, gss_mutual, 0, NULL,
      in_length ? &input : NULL, NULL, &output, NULL, NULL);
  if (failed(status)) {
    describe(status, minor, message, message_size);
    gss.release_buffer(&ignored, &output);
    return ULS_NEGOTIATION_FAILED;
  }
  if (output.length > 0) {
    *out = malloc(output.length);
    if (*out) {
      memcpy(*out, output.value, output.length);
      *out_length = output.length;
    }
  }
  int is_short_of_memory = output.length > 0 && !*out;
  gss.release_buffer(&ignored, &output);
  if (is_short_of_memory) return ULS_NEGOTIATION_FAILED;
  return status & gss_continue_needed ? ULS_NEGOTIATION_CONTINUES : ULS_NEGOTIATION_DONE;
}

void uls_negotiation_end(uls_negotiation *negotiation) {
  gss_status ignored = 0;
  if (negotiation->context) gss.delete_context(&ignored, &negotiation->context, NULL);
  if (negotiation->credential) gss.release_credential(&ignored, &negotiation->credential);
  if (negotiation->target) gss.release_name(&ignored, &negotiation->target);
  free(negotiation);
}
