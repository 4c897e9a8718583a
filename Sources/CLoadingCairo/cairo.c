#include "CLoadingCairo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The list of cairo's functions for the macros below. For each: its result type, its name without the prefix `cairo_`, its parameters, and their
// names.
#define FUNCTIONS(X) \
  X(loading_cairo_surface *, image_surface_create, (int format, int width, int height), (format, width, height)) \
  X(loading_cairo_surface *, image_surface_create_for_data, (unsigned char *data, int format, int width, int height, int stride), \
    (data, format, width, height, stride)) \
  X(loading_cairo_surface *, image_surface_create_from_png_stream, (loading_cairo_read read, void *closure), (read, closure)) \
  X(unsigned char *, image_surface_get_data, (loading_cairo_surface *surface), (surface)) \
  X(int, image_surface_get_stride, (loading_cairo_surface *surface), (surface)) \
  X(int, image_surface_get_width, (loading_cairo_surface *surface), (surface)) \
  X(int, image_surface_get_height, (loading_cairo_surface *surface), (surface)) \
  X(int, surface_write_to_png_stream, (loading_cairo_surface *surface, loading_cairo_write write, void *closure), \
    (surface, write, closure)) \
  X(int, surface_status, (loading_cairo_surface *surface), (surface)) \
  X(void, surface_flush, (loading_cairo_surface *surface), (surface)) \
  X(void, surface_destroy, (loading_cairo_surface *surface), (surface)) \
  X(const char *, status_to_string, (int status), (status)) \
  X(loading_cairo_context *, create, (loading_cairo_surface *surface), (surface)) \
  X(void, destroy, (loading_cairo_context *context), (context)) \
  X(int, status, (loading_cairo_context *context), (context)) \
  X(void, save, (loading_cairo_context *context), (context)) \
  X(void, restore, (loading_cairo_context *context), (context)) \
  X(void, push_group, (loading_cairo_context *context), (context)) \
  X(void, pop_group_to_source, (loading_cairo_context *context), (context)) \
  X(void, set_matrix, (loading_cairo_context *context, const loading_cairo_matrix *matrix), (context, matrix)) \
  X(void, set_operator, (loading_cairo_context *context, int operation), (context, operation)) \
  X(void, set_antialias, (loading_cairo_context *context, int antialias), (context, antialias)) \
  X(void, set_fill_rule, (loading_cairo_context *context, int rule), (context, rule)) \
  X(void, set_line_width, (loading_cairo_context *context, double width), (context, width)) \
  X(void, set_line_cap, (loading_cairo_context *context, int cap), (context, cap)) \
  X(void, set_line_join, (loading_cairo_context *context, int join), (context, join)) \
  X(void, set_miter_limit, (loading_cairo_context *context, double limit), (context, limit)) \
  X(void, set_dash, (loading_cairo_context *context, const double *dashes, int count, double offset), (context, dashes, count, offset)) \
  X(void, new_path, (loading_cairo_context *context), (context)) \
  X(void, move_to, (loading_cairo_context *context, double x, double y), (context, x, y)) \
  X(void, line_to, (loading_cairo_context *context, double x, double y), (context, x, y)) \
  X(void, curve_to, (loading_cairo_context *context, double x1, double y1, double x2, double y2, double x3, double y3), \
    (context, x1, y1, x2, y2, x3, y3)) \
  X(void, close_path, (loading_cairo_context *context), (context)) \
  X(void, fill, (loading_cairo_context *context), (context)) \
  X(void, stroke, (loading_cairo_context *context), (context)) \
  X(void, clip, (loading_cairo_context *context), (context)) \
  X(void, paint, (loading_cairo_context *context), (context)) \
  X(void, paint_with_alpha, (loading_cairo_context *context, double alpha), (context, alpha)) \
  X(void, set_source_rgba, (loading_cairo_context *context, double red, double green, double blue, double alpha), \
    (context, red, green, blue, alpha)) \
  X(void, set_source, (loading_cairo_context *context, loading_cairo_pattern *pattern), (context, pattern)) \
  X(loading_cairo_pattern *, pattern_create_for_surface, (loading_cairo_surface *surface), (surface)) \
  X(loading_cairo_pattern *, pattern_create_linear, (double x0, double y0, double x1, double y1), (x0, y0, x1, y1)) \
  X(loading_cairo_pattern *, pattern_create_radial, (double x0, double y0, double r0, double x1, double y1, double r1), \
    (x0, y0, r0, x1, y1, r1)) \
  X(void, pattern_add_color_stop_rgba, (loading_cairo_pattern *pattern, double offset, double red, double green, double blue, double alpha), \
    (pattern, offset, red, green, blue, alpha)) \
  X(void, pattern_set_extend, (loading_cairo_pattern *pattern, int extend), (pattern, extend)) \
  X(void, pattern_destroy, (loading_cairo_pattern *pattern), (pattern)) \
  X(void, select_font_face, (loading_cairo_context *context, const char *family, int slant, int weight), \
    (context, family, slant, weight)) \
  X(void, set_font_size, (loading_cairo_context *context, double size), (context, size)) \
  X(void, font_extents, (loading_cairo_context *context, loading_cairo_font_extents_t *extents), (context, extents)) \
  X(void, text_extents, (loading_cairo_context *context, const char *text, loading_cairo_text_extents_t *extents), \
    (context, text, extents)) \
  X(void, show_text, (loading_cairo_context *context, const char *text), (context, text))

typedef struct font_options font_options;

struct functions {
#define DECLARE(result, name, parameters, arguments) result(*name) parameters;
  FUNCTIONS(DECLARE)
#undef DECLARE
  font_options *(*font_options_create)(void);
  void (*font_options_set_hint_style)(font_options *, int);
  void (*font_options_set_hint_metrics)(font_options *, int);
  void (*set_font_options)(loading_cairo_context *, const font_options *);
  void (*font_options_destroy)(font_options *);
};

enum { hint_style_none = 1, hint_metrics_off = 1 };

static struct functions cairo;
static char unavailable_reason[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Writes the address of a cairo function to the pointer at `place`. Returns 0, with a text in `message`, if the library doesn't have it.
static int look_up(void *library, void *place, const char *name, char *message, size_t size) {
  *(void **)place = dlsym(library, name);
  if (*(void **)place) return 1;
  snprintf(message, size, "libcairo.so.2 lacks the function %s; version 1.12 or a newer one is needed", name);
  return 0;
}

// Fills in `functions` from the library `name`. Returns 0, with a text in `message`, if the library or one of the functions is missing.
static int load(const char *name, struct functions *functions, char *message, size_t size) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    snprintf(message, size, "%s can't be loaded (%s); Debian and Ubuntu have it in the package libcairo2", name, error ? error : "no reason");
    return 0;
  }
#define LOOK_UP(result, name, parameters, arguments) look_up(library, &functions->name, "cairo_" #name, message, size) &&
  int complete = FUNCTIONS(LOOK_UP)
      look_up(library, &functions->font_options_create, "cairo_font_options_create", message, size) &&
      look_up(library, &functions->font_options_set_hint_style, "cairo_font_options_set_hint_style", message, size) &&
      look_up(library, &functions->font_options_set_hint_metrics, "cairo_font_options_set_hint_metrics", message, size) &&
      look_up(library, &functions->set_font_options, "cairo_set_font_options", message, size) &&
      look_up(library, &functions->font_options_destroy, "cairo_font_options_destroy", message, size);
#undef LOOK_UP
  if (!complete) dlclose(library);
  return complete;
}

static void load_cairo(void) { load("libcairo.so.2", &cairo, unavailable_reason, sizeof unavailable_reason); }

const char *loading_cairo_unavailable_reason(void) {
  pthread_once(&once, load_cairo);
  return unavailable_reason[0] ? unavailable_reason : NULL;
}

const char *loading_cairo_try(const char *library) {
  static _Thread_local char message[sizeof unavailable_reason];
  struct functions functions;
  return load(library, &functions, message, sizeof message) ? NULL : message;
}

#define CALL(result, name, parameters, arguments) \
  result loading_cairo_##name parameters { return cairo.name arguments; }
FUNCTIONS(CALL)
#undef CALL

void loading_cairo_use_unhinted_text(loading_cairo_context *context) {
  font_options *options = cairo.font_options_create();
  cairo.font_options_set_hint_style(options, hint_style_none);
  cairo.font_options_set_hint_metrics(options, hint_metrics_off);
  cairo.set_font_options(context, options);
  cairo.font_options_destroy(options);
}
