// The benchmark client over Go's net/http: one processor for goroutines, CONCURRENCY of them, one client. Same command line and same line
// of output as the other clients. The standard library only.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	bigLength  = 1 << 30
	bufferSize = 512 << 10
)

type arguments struct {
	scenario, url, certificateFile, file string
	count, concurrency                   int
}

func (a arguments) isBig() bool      { return strings.Contains(a.scenario, "1g") }
func (a arguments) isHTTP2() bool    { return strings.Contains(a.scenario, "h2") }
func (a arguments) isInFlight() bool { return strings.HasPrefix(a.scenario, "inflight-") }
func (a arguments) keepsBody() bool  { return !a.isBig() || strings.HasSuffix(a.scenario, "1g-memory") }
func (a arguments) downloads() bool  { return strings.HasSuffix(a.scenario, "1g-file") }
func (a arguments) uploads() bool    { return strings.HasSuffix(a.scenario, "1g-upload") }
func (a arguments) resumes() bool    { return strings.HasSuffix(a.scenario, "-ticket") }

func (a arguments) expected() int {
	switch {
	case a.uploads():
		return 0
	case a.isBig():
		return bigLength
	case strings.Contains(a.scenario, "64k"):
		return 64 << 10
	default:
		return 1 << 10
	}
}

func parse(words []string) (arguments, error) {
	var a arguments
	var positional []string
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--cacert" && i+1 < len(words):
			i++
			a.certificateFile = words[i]
		case words[i] == "--file" && i+1 < len(words):
			i++
			a.file = words[i]
		default:
			positional = append(positional, words[i])
		}
	}
	if len(positional) != 4 {
		return a, errors.New("usage: go-peer SCENARIO URL COUNT CONCURRENCY [--cacert FILE] [--file FILE]")
	}
	a.scenario, a.url = positional[0], positional[1]
	a.count, _ = strconv.Atoi(positional[2])
	a.concurrency, _ = strconv.Atoi(positional[3])
	if a.count < 1 || a.concurrency < 1 {
		return a, errors.New("COUNT and CONCURRENCY must be whole numbers above zero")
	}
	if a.concurrency > a.count {
		a.concurrency = a.count
	}
	if (a.downloads() || a.uploads()) && a.file == "" {
		return a, errors.New("this scenario needs --file FILE")
	}
	return a, nil
}

// newClient makes the client of all requests. A session cache is an option of Go's TLS; without it, no connection resumes a session.
func newClient(a arguments) (*http.Client, error) {
	configuration := &tls.Config{}
	if a.certificateFile != "" {
		text, err := os.ReadFile(a.certificateFile)
		if err != nil {
			return nil, err
		}
		configuration.RootCAs = x509.NewCertPool()
		configuration.RootCAs.AppendCertsFromPEM(text)
	}
	if a.resumes() {
		configuration.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	transport := &http.Transport{
		TLSClientConfig:     configuration,
		MaxIdleConns:        a.concurrency,
		MaxIdleConnsPerHost: a.concurrency,
		ForceAttemptHTTP2:   a.isHTTP2(),
	}
	if !a.isHTTP2() {
		transport.MaxConnsPerHost = a.concurrency
		// Without it, what HTTP/2 there is would be chosen.
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	if a.isBig() {
		transport.ReadBufferSize, transport.WriteBufferSize = bufferSize, bufferSize
	}
	return &http.Client{Transport: transport}, nil
}

// A worker makes one request after another.
type worker struct {
	client    *http.Client
	arguments arguments
	buffer    []byte
}

func (w *worker) load(requested string, expected int) error {
	request, err := w.request(requested)
	if err != nil {
		return err
	}
	response, err := w.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case 200, 201, 204, 206:
	default:
		return fmt.Errorf("status %d", response.StatusCode)
	}
	if response.ProtoMajor == 2 != w.arguments.isHTTP2() {
		return fmt.Errorf("the reply came over %s", response.Proto)
	}
	received, err := w.receive(response.Body, response.ContentLength)
	if err == nil && received != expected {
		err = fmt.Errorf("a body had %d bytes instead of %d", received, expected)
	}
	return err
}

func (w *worker) request(requested string) (*http.Request, error) {
	if w.arguments.uploads() {
		file, err := os.Open(w.arguments.file)
		if err != nil {
			return nil, err
		}
		// The transport closes the file.
		request, err := http.NewRequest("PUT", w.arguments.url, file)
		if err == nil {
			request.ContentLength = bigLength
		}
		return request, err
	}
	request, err := http.NewRequest("GET", w.arguments.url, nil)
	if err == nil && requested != "" {
		request.Header.Set("Range", requested)
	}
	return request, err
}

// receive keeps the body, writes it to the file or drops it; it returns the body's length.
func (w *worker) receive(body io.Reader, length int64) (int, error) {
	if w.arguments.keepsBody() {
		// As much as has been announced at first, within reason; it grows by doubling.
		room := length + bytes.MinRead
		if length < 0 || length > 1<<20 {
			room = 64 << 10
		}
		data := bytes.NewBuffer(make([]byte, 0, room))
		count, err := data.ReadFrom(body)
		return int(count), err
	}
	if w.buffer == nil {
		w.buffer = make([]byte, bufferSize)
	}
	target := io.Discard
	if w.arguments.downloads() {
		file, err := os.Create(w.arguments.file)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		target = file
	}
	// The target's own ReadFrom would read with a smaller buffer.
	count, err := io.CopyBuffer(struct{ io.Writer }{target}, body, w.buffer)
	return int(count), err
}

// share has the workers make `count` requests together.
func share(workers []*worker, count int, requested string, expected int) error {
	ends := make(chan error, len(workers))
	for i, each := range workers {
		part := count / len(workers)
		if i < count%len(workers) {
			part++
		}
		go func(w *worker) {
			for ; part > 0; part-- {
				if err := w.load(requested, expected); err != nil {
					ends <- err
					return
				}
			}
			ends <- nil
		}(each)
	}
	for range workers {
		if err := <-ends; err != nil {
			return err
		}
	}
	return nil
}

// warmUp makes about 5% of the measured work, and opens every connection. Over HTTP/2 the first request goes alone, so that the others
// find its connection. An upload can't be asked for in part: its connection is opened in the measured part.
func warmUp(workers []*worker, a arguments) error {
	if a.uploads() {
		return nil
	}
	if a.isBig() {
		length := bigLength / 20
		return share(workers[:1], 1, fmt.Sprintf("bytes=0-%d", length-1), length)
	}
	if err := share(workers[:1], 1, "", a.expected()); err != nil {
		return err
	}
	count := a.count / 20
	if count < a.concurrency {
		count = a.concurrency
	}
	return share(workers, count, "", a.expected())
}

// inFlight starts requests that the server doesn't answer, and returns the anonymous memory in KiB that each has added. The URL with
// `1k` in place of `stall` is answered.
func inFlight(client *http.Client, a arguments) (float64, error) {
	answered := a
	answered.url = strings.Replace(a.url, "/stall", "/1k", 1)
	if err := share([]*worker{{client: client, arguments: answered}}, 20, "", 1<<10); err != nil {
		return 0, err
	}
	runtime.GC()
	before := memory("RssAnon")
	all, cancel := context.WithCancel(context.Background())
	defer cancel()
	ends := make(chan error, a.concurrency)
	for i := 0; i < a.concurrency; i++ {
		request, err := http.NewRequestWithContext(all, "GET", a.url, nil)
		if err != nil {
			return 0, err
		}
		go func() {
			_, err := client.Do(request)
			ends <- fmt.Errorf("a load that is to be stalled has ended: %v", err)
		}()
	}
	for last, quiet := 0.0, 0; quiet < 4; {
		time.Sleep(250 * time.Millisecond)
		if used := processMicroseconds(); used-last > 5000 {
			last, quiet = used, 0
		} else {
			quiet++
		}
	}
	select {
	case err := <-ends:
		return 0, err
	default:
		return (memory("RssAnon") - before) / float64(a.concurrency), nil
	}
}

func processMicroseconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec)*1e6 + float64(usage.Utime.Usec+usage.Stime.Usec)
}

// memory returns one of the kernel's figures of the process's memory in KiB.
func memory(name string) float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 1 && fields[0] == name+":" {
			value, _ := strconv.ParseFloat(fields[1], 64)
			return value
		}
	}
	return 0
}

func measure() error {
	runtime.GOMAXPROCS(1)
	a, err := parse(os.Args[1:])
	if err != nil {
		return err
	}
	client, err := newClient(a)
	if err != nil {
		return err
	}
	if a.isInFlight() {
		kibibytes, err := inFlight(client, a)
		if err == nil {
			fmt.Printf("{\"peak_mib\": %.1f, \"kib_per_connection\": %.1f}\n", memory("VmHWM")/1024, kibibytes)
		}
		return err
	}
	workers := make([]*worker, a.concurrency)
	for i := range workers {
		workers[i] = &worker{client: client, arguments: a}
	}
	if err := warmUp(workers, a); err != nil {
		return err
	}
	used, start := processMicroseconds(), time.Now()
	if err := share(workers, a.count, "", a.expected()); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	used = processMicroseconds() - used
	rate, throughput := fmt.Sprintf("%.1f", float64(a.count)/seconds), "null"
	if a.isBig() {
		rate, throughput = "null", fmt.Sprintf("%.3f", float64(bigLength)*float64(a.count)/seconds/1e9)
	}
	fmt.Printf("{\"cpu_us_per_request\": %.2f, \"requests_per_second\": %s, \"gigabytes_per_second\": %s, \"peak_mib\": %.1f}\n",
		used/float64(a.count), rate, throughput, memory("VmHWM")/1024)
	return nil
}

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
