// The benchmark client over libcurl's multi interface: one thread, CONCURRENCY easy handles that are used again and again on
// kept-alive connections. Same command line and same line of output as the Swift clients.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct {
  const char *scenario, *url, *certificate_file, *file;
  long count, concurrency;
  int is_big, keeps_body, downloads, uploads, is_http2, stalls;
  size_t expected;
} arguments_t;

typedef struct {
  CURL *easy;
  char *body;
  size_t received, capacity;
  int keeps_body;
  FILE *target;
} load_t;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(1);
}

static arguments_t parse(int argc, char **argv) {
  arguments_t arguments = {0};
  const char *positional[4];
  int count = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--cacert") == 0 && i + 1 < argc) arguments.certificate_file = argv[++i];
    else if (strcmp(argv[i], "--file") == 0 && i + 1 < argc) arguments.file = argv[++i];
    else if (count < 4) positional[count++] = argv[i];
  }
  if (count != 4) fail("usage: libcurl-multi SCENARIO URL COUNT CONCURRENCY [--cacert FILE]", NULL);
  arguments.scenario = positional[0];
  arguments.url = positional[1];
  arguments.count = atol(positional[2]);
  arguments.concurrency = atol(positional[3]);
  if (arguments.count < 1 || arguments.concurrency < 1) fail("COUNT and CONCURRENCY must be whole numbers above zero", NULL);
  if (arguments.concurrency > arguments.count) arguments.concurrency = arguments.count;
  arguments.is_big = strstr(arguments.scenario, "1g") != NULL;
  arguments.is_http2 = strncmp(arguments.scenario, "h2-", 3) == 0 || strcmp(arguments.scenario, "inflight-h2") == 0;
  arguments.stalls = strncmp(arguments.scenario, "inflight-", 9) == 0;
  arguments.expected = arguments.is_big ? (size_t)1 << 30 : strstr(arguments.scenario, "64k") ? 64 << 10 : 1 << 10;
  arguments.keeps_body = strstr(arguments.scenario, "1g-memory") != NULL;
  arguments.downloads = strstr(arguments.scenario, "1g-file") != NULL;
  arguments.uploads = strstr(arguments.scenario, "1g-upload") != NULL;
  if ((arguments.downloads || arguments.uploads) && !arguments.file) fail("this scenario needs --file FILE", NULL);
  return arguments;
}

// A body that is kept grows by doubling, as Data and ByteBuffer do.
static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  load_t *load = context;
  size_t length = size * count;
  if (load->keeps_body) {
    if (load->received + length > load->capacity) {
      size_t capacity = load->capacity ? load->capacity : 65536;
      while (capacity < load->received + length) capacity *= 2;
      char *body = realloc(load->body, capacity);
      if (!body) return 0;
      load->body = body;
      load->capacity = capacity;
    }
    memcpy(load->body + load->received, bytes, length);
  }
  if (load->target && fwrite(bytes, 1, length, load->target) != length) return 0;
  load->received += length;
  return length;
}

static void prepare(load_t *load, const arguments_t *arguments) {
  load->easy = curl_easy_init();
  if (!load->easy) fail("no easy handle", NULL);
  load->keeps_body = arguments->keeps_body;
  curl_easy_setopt(load->easy, CURLOPT_URL, arguments->url);
  curl_easy_setopt(load->easy, CURLOPT_HTTP_VERSION, arguments->is_http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
  // All streams on one connection.
  if (arguments->is_http2) curl_easy_setopt(load->easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(load->easy, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(load->easy, CURLOPT_WRITEDATA, load);
  curl_easy_setopt(load->easy, CURLOPT_PRIVATE, load);
  curl_easy_setopt(load->easy, CURLOPT_NOSIGNAL, 1L);
  // Halves the cost of dropping a big body; makes no difference to the other scenarios.
  if (arguments->is_big && !arguments->keeps_body) curl_easy_setopt(load->easy, CURLOPT_BUFFERSIZE, 512L * 1024L);
  if (arguments->downloads) {
    load->target = fopen(arguments->file, "wb");
    if (!load->target) fail("the file could not be made", arguments->file);
  }
  if (arguments->uploads) {
    FILE *source = fopen(arguments->file, "rb");
    if (!source) fail("the file could not be opened", arguments->file);
    curl_easy_setopt(load->easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(load->easy, CURLOPT_READDATA, source);
    curl_easy_setopt(load->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)1 << 30);
    curl_easy_setopt(load->easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024L);
  }
  if (arguments->certificate_file) curl_easy_setopt(load->easy, CURLOPT_CAINFO, arguments->certificate_file);
}

static void begin(CURLM *multi, load_t *load, const char *range) {
  free(load->body);
  load->body = NULL;
  load->received = load->capacity = 0;
  if (load->target) rewind(load->target);
  curl_easy_setopt(load->easy, CURLOPT_RANGE, range);
  if (curl_multi_add_handle(multi, load->easy) != CURLM_OK) fail("curl_multi_add_handle failed", NULL);
}

static load_t *finish(CURLM *multi, const CURLMsg *message, size_t expected) {
  load_t *load = NULL;
  long status = 0;
  if (message->data.result != CURLE_OK) fail("transfer failed", curl_easy_strerror(message->data.result));
  curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &load);
  curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
  if ((status != 200 && status != 206 && status != 201 && status != 204) || load->received != expected) {
    fprintf(stderr, "status %ld, %zu bytes instead of %zu\n", status, load->received, expected);
    exit(1);
  }
  curl_multi_remove_handle(multi, load->easy);
  return load;
}

static void run(CURLM *multi, load_t *loads, long count, long concurrency, const char *range, size_t expected) {
  long started = 0, finished = 0;
  while (started < concurrency && started < count) begin(multi, &loads[started++], range);
  while (finished < count) {
    int running = 0, queued = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform failed", NULL);
    CURLMsg *message;
    int restarted = 0;
    while ((message = curl_multi_info_read(multi, &queued))) {
      load_t *load = finish(multi, message, expected);
      finished++;
      if (started < count) {
        begin(multi, load, range);
        started++;
        restarted = 1;
      }
    }
    // A handle that was just added sends its request in the next curl_multi_perform: no reason to sleep before it.
    if (!restarted && finished < count && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) {
      fail("curl_multi_poll failed", NULL);
    }
  }
}

static double process_microseconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// One of the kernel's figures of the process's memory; 0 where there is none.
static double memory_kibibytes(const char *name) {
  char line[256];
  double kibibytes = 0;
  size_t length = strlen(name);
  FILE *status = fopen("/proc/self/status", "r");
  if (!status) return 0;
  while (fgets(line, sizeof line, status)) {
    if (strncmp(line, name, length) == 0 && sscanf(line + length, ": %lf", &kibibytes) == 1) break;
  }
  fclose(status);
  return kibibytes;
}

// About 5% of the measured work: as many requests, or as much of the big document. Also opens every connection.
static void warm_up(CURLM *multi, load_t *loads, const arguments_t *arguments) {
  // An upload can't be asked for in part: its connection is opened in the measured part.
  if (arguments->uploads) return;
  if (arguments->is_big) {
    char range[64];
    size_t length = ((size_t)1 << 30) / 20;
    snprintf(range, sizeof range, "0-%zu", length - 1);
    run(multi, loads, 1, 1, range, length);
  } else {
    long count = arguments->count / 20;
    run(multi, loads, count > arguments->concurrency ? count : arguments->concurrency, arguments->concurrency, NULL, arguments->expected);
  }
}

// Loads that the server doesn't answer; prints the anonymous memory that each has added, its handle included. The URL with `1k` in place of
// `stall` is answered. Nothing tells that the server has all requests: but then the process has nothing to do.
static int measure_in_flight(CURLM *multi, load_t *loads, const arguments_t *arguments) {
  arguments_t answered = *arguments;
  char url[256];
  size_t length = strlen(arguments->url);
  if (length < 5 || length > 200) fail("a URL that ends with stall is needed", arguments->url);
  snprintf(url, sizeof url, "%.*s1k", (int)(length - 5), arguments->url);
  answered.url = url;
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, arguments->concurrency);
  load_t first = {0};
  prepare(&first, &answered);
  run(multi, &first, 20, 1, NULL, arguments->expected);
  double before = memory_kibibytes("RssAnon");
  for (long i = 0; i < arguments->concurrency; i++) {
    prepare(&loads[i], arguments);
    begin(multi, &loads[i], NULL);
  }
  int running = 0, quiet = 0;
  double used = 0;
  for (double until = now(); quiet < 4;) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform failed", NULL);
    if (curl_multi_poll(multi, NULL, 0, 50, NULL) != CURLM_OK) fail("curl_multi_poll failed", NULL);
    if (now() < until) continue;
    until = now() + 0.25;
    quiet = process_microseconds() - used > 10000 ? 0 : quiet + 1;
    used = process_microseconds();
  }
  if (running != arguments->concurrency) fail("a load that is to be stalled has ended", NULL);
  double each = (memory_kibibytes("RssAnon") - before) / (double)arguments->concurrency;
  printf("{\"peak_mib\": %.1f, \"kib_per_connection\": %.1f}\n", memory_kibibytes("VmHWM") / 1024, each);
  return 0;
}

int main(int argc, char **argv) {
  arguments_t arguments = parse(argc, argv);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  load_t *loads = calloc((size_t)arguments.concurrency, sizeof *loads);
  if (!multi || !loads) fail("out of memory", NULL);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, arguments.concurrency + 4);
  if (arguments.stalls) return measure_in_flight(multi, loads, &arguments);
  for (long i = 0; i < arguments.concurrency; i++) prepare(&loads[i], &arguments);
  warm_up(multi, loads, &arguments);

  double cpu = process_microseconds(), start = now();
  // An upload's answer has no body.
  run(multi, loads, arguments.count, arguments.concurrency, NULL, arguments.uploads ? 0 : arguments.expected);
  double seconds = now() - start;
  cpu = process_microseconds() - cpu;

  printf("{\"cpu_us_per_request\": %.2f, ", cpu / (double)arguments.count);
  if (arguments.is_big) {
    printf("\"requests_per_second\": null, \"gigabytes_per_second\": %.3f, ", (double)arguments.expected * (double)arguments.count / seconds / 1e9);
  } else {
    printf("\"requests_per_second\": %.1f, \"gigabytes_per_second\": null, ", (double)arguments.count / seconds);
  }
  printf("\"peak_mib\": %.1f}\n", memory_kibibytes("VmHWM") / 1024);
  for (long i = 0; i < arguments.concurrency; i++) {
    curl_easy_cleanup(loads[i].easy);
    free(loads[i].body);
  }
  free(loads);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  return 0;
}
