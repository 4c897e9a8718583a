// A site over TLS 1.3 with Encrypted Client Hello (RFC 9849) by Go's own implementation, and the DNS over HTTPS that says its keys.
//
//	encrypted-hello FOLDER current|stale|none
//	encrypted-hello FOLDER PORT LIST
//
// It writes FOLDER/ca.pem, and prints a line with the site's port and the resolver's when both are served. The site is site.test, the resolver
// 127.0.0.1; the record of the site has the server's keys, others, or keys although the server has none. In the second form the site is another
// program's, at PORT, and its keys are in the file LIST: a list of configurations, or a single one.
package main

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func number(value int) []byte { return []byte{byte(value >> 8), byte(value)} }

func vector(bytes []byte) []byte { return append(number(len(bytes)), bytes...) }

// A configuration (ECHConfig; RFC 9849, 4) for a public key.
func configuration(identifier byte, key []byte, name string) []byte {
	content := append([]byte{identifier}, number(0x0020)...)
	content = append(content, vector(key)...)
	content = append(content, vector([]byte{0, 1, 0, 1, 0, 1, 0, 3})...)
	content = append(content, 64, byte(len(name)))
	content = append(content, name...)
	content = append(content, 0, 0)
	return append(number(0xFE0D), vector(content)...)
}

func certificate(folder string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, &key.PublicKey, key)
	check(err)
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "site.test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"site.test", "public.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	bytes, err := x509.CreateCertificate(rand.Reader, leaf, authority, &own.PublicKey, key)
	check(err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root})
	check(os.WriteFile(filepath.Join(folder, "ca.pem"), text, 0o644))
	return tls.Certificate{Certificate: [][]byte{bytes}, PrivateKey: own}
}

// The answer to a question of the DNS: 127.0.0.1, or a record that leads to svc.test and has keys.
func answer(question []byte, port int, list []byte) []byte {
	end := 12
	for end < len(question) && question[end] != 0 {
		end += int(question[end]) + 1
	}
	if end < 17 || end+5 > len(question) {
		return nil
	}
	kind := int(question[end+1])<<8 | int(question[end+2])
	// The record comes before the addresses: what is tried here isn't a race.
	if kind != 65 && string(question[13:17]) == "site" {
		time.Sleep(500 * time.Millisecond)
	}
	var data []byte
	switch kind {
	case 1:
		data = []byte{127, 0, 0, 1}
	case 65:
		data = append(number(1), 3, 's', 'v', 'c', 4, 't', 'e', 's', 't', 0)
		data = append(data, 0, 1, 0, 6, 2, 'h', '2', 2, 'h', '3')
		data = append(append(data, 0, 3, 0, 2), number(port)...)
		data = append(append(data, 0, 5), vector(list)...)
	}
	message := append(append([]byte{}, question[:2]...), 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
	message = append(message, question[12:end+5]...)
	if data != nil {
		message[7] = 1
		message = append(append(message, 0xC0, 12), number(kind)...)
		message = append(append(message, 0, 1, 0, 0, 0, 60), vector(data)...)
	}
	return message
}

func serve(listener net.Listener, settings *tls.Config, handler http.HandlerFunc) {
	server := &http.Server{Handler: handler, TLSConfig: settings}
	check(server.ServeTLS(listener, "", ""))
}

func resolve(listener net.Listener, pair tls.Certificate, port int, list []byte) {
	fmt.Println(port, listener.Addr().(*net.TCPAddr).Port)
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	serve(listener, settings, func(writer http.ResponseWriter, request *http.Request) {
		question, _ := io.ReadAll(io.LimitReader(request.Body, 65535))
		writer.Header().Set("Content-Type", "application/dns-message")
		writer.Write(answer(question, port, list))
	})
}

func main() {
	folder, mode := os.Args[1], os.Args[2]
	pair := certificate(folder)
	listen := func() net.Listener {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		return listener
	}
	dns := listen()
	if len(os.Args) > 3 {
		list, err := os.ReadFile(os.Args[3])
		check(err)
		if len(list) > 1 && list[0] == 0xFE && list[1] == 0x0D {
			list = vector(list)
		}
		port, err := strconv.Atoi(mode)
		check(err)
		resolve(dns, pair, port, list)
	}
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	check(err)
	other, err := ecdh.X25519().GenerateKey(rand.Reader)
	check(err)
	own := configuration(1, key.PublicKey().Bytes(), "public.test")
	said := own
	if mode != "current" {
		said = configuration(2, other.PublicKey().Bytes(), "public.test")
	}
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if mode != "none" {
		settings.EncryptedClientHelloKeys = []tls.EncryptedClientHelloKey{{Config: own, PrivateKey: key.Bytes(), SendAsRetry: true}}
	}
	site := listen()
	port := site.Addr().(*net.TCPAddr).Port
	go serve(site, settings, func(writer http.ResponseWriter, request *http.Request) {
		fmt.Fprintf(writer, "ECH %v, name %s, %s\n", request.TLS.ECHAccepted, request.TLS.ServerName, request.Proto)
	})
	resolve(dns, pair, port, vector(said))
}
