#if Inspector
  extension PageScript {
    /// The part of the script with the details view of one transfer.
    static let details = #"""
      const tabNames = ["Overview", "Request", "Response", "Timing", "Messages"];

      function select(number) {
        state.selected = number;
        state.details = null;
        const index = state.shown.findIndex(row => row.n === number);
        if (index >= 0) {
          const scroll = $("scroll"), top = index * rowHeight;
          if (top < scroll.scrollTop) scroll.scrollTop = top;
          else if (top + rowHeight > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + rowHeight - scroll.clientHeight;
        }
        $("details").hidden = number === null;
        draw();
        if (number !== null) loadDetails(number);
      }

      async function loadDetails(number) {
        if (state.embedded) {
          state.details = state.embedded.details[number];
          return drawDetails();
        }
        try {
          const answer = await fetch("api/transfer/" + number);
          if (!answer.ok) throw new Error();
          const details = await answer.json();
          if (state.selected !== number) return;
          state.details = details;
        } catch {
          if (state.selected !== number) return;
          if (!state.details) $("panel").replaceChildren(el("p", { class: "faint", text: "This transfer isn't kept any more." }));
          return;
        }
        drawDetails();
      }

      function showTab(name) {
        state.tab = name;
        drawDetails();
      }

      function drawDetails() {
        const details = state.details;
        if (!details) return;
        const names = tabNames.filter(name => name !== "Messages" || details.messages.length);
        if (!names.includes(state.tab)) state.tab = "Overview";
        $("tabs").replaceChildren(...names.map(name => el("button", {
          type: "button", role: "tab", "aria-selected": String(name === state.tab), tabindex: name === state.tab ? "0" : "-1",
          text: name === "Messages" ? "Messages (" + (details.messages.length + details.droppedMessages) + ")" : name, onclick: () => showTab(name)
        })));
        const row = fromRow(details.row);
        const parts = { Overview: overview, Request: requestPart, Response: responsePart, Timing: timingPart, Messages: messagesPart };
        $("panel").setAttribute("aria-label", state.tab);
        $("panel").replaceChildren(...parts[state.tab](row, details).filter(Boolean));
      }

      function facts(pairs) {
        const list = el("dl");
        for (const [name, value, kind] of pairs) {
          if (value === undefined || value === null || value === "") continue;
          list.append(el("dt", { text: name }), el("dd", { text: String(value), class: kind || "" }));
        }
        return list;
      }

      function overview(row, details) {
        const entry = details.entry, own = entry._urlLoading, connection = own.connection;
        const parts = [facts([
          ["URL", row.url], ["Method", row.method], ["Status", row.status ? row.status + " " + entry.response.statusText : "", row.isBad ? "bad" : ""],
          ["State", row.state, row.state === "failed" ? "bad" : ""],
          ["Error", own.failure ? own.failure.name + (own.failure.code ? " (" + own.failure.code + ")" : "") : "", "bad"],
          ["", own.failure ? own.failure.message : ""], ["Failed while", own.failure ? own.failure.phase : ""],
          ["Began", new Date(row.start).toISOString()], ["Took", time(row.duration)],
          ["Received", bytes(row.received) + " on the wire, " + bytes(row.decoded) + " decoded"], ["Sent", bytes(row.sent)],
          ["Task", "session " + row.session + ", task " + row.task + ", " + row.kind], ["Description", row.description]
        ])];
        parts.push(el("h2", { text: "Answered by" }), facts([
          ["Source", { network: "the network", cache: "the cache", other: "no network" }[row.source] || row.source],
          ["Cache", own.cache ? own.cache.decision + ": " + cacheReason(own.cache.reason) : ""]
        ]));
        if (connection) parts.push(el("h2", { text: "Connection" }), facts([
          ["Number", "#" + row.connection + (connection.isReused ? ", reused" : ", opened for this transfer")],
          ["Protocol", connection.protocol], ["Server", (entry.serverIPAddress || "") + (connection.port ? " port " + connection.port : "")],
          ["From port", connection.localPort], ["TLS", connection.tls ? connection.tls + ", cipher suite 0x" + (connection.cipherSuite || 0).toString(16) : ""],
          ["", connection.isTLSResumed ? "session resumed" : ""], ["Proxy", connection.isProxied ? "yes" : ""],
          ["Key exchange", keyExchange(connection.keyExchangeGroup)],
          ["Client hello", connection.encryptedHello && connection.encryptedHello !== "unused" ? "encryption " + connection.encryptedHello : ""],
          ["First flight", connection.earlyData && !connection.isReused ? "requests " + connection.earlyData : ""],
          ["Trust", connection.isTrustOverridden ? "accepted by the app against the evaluation" : "", "warn"],
          ...(connection.certificates || []).flatMap(certificate)
        ]));
        if (own.events) parts.push(el("h2", { text: "Events" }), facts(own.events.map(event => [time(event.time), event.text])));
        const others = [...state.all.values()].filter(other => other.session === row.session && other.task === row.task && other.n !== row.n);
        if (others.length && row.task) {
          const list = el("p");
          for (const other of others.slice(0, 30)) {
            list.append(el("button", { type: "button", text: "#" + other.n + " " + statusText(other) + " " + other.method, onclick: () => select(other.n) }), " ");
          }
          parts.push(el("h2", { text: "Same task" }), list);
        }
        return parts;
      }

      function keyExchange(number) {
        return { 23: "P-256", 24: "P-384", 25: "P-521", 29: "X25519", 4588: "X25519MLKEM768" }[number] || (number ? "group " + number : "");
      }

      function certificate(one) {
        const end = one.validUntil ? ", valid until " + one.validUntil.slice(0, 10) : "";
        return [
          ["Certificate", (one.name || "without a name") + (one.issuer ? ", issued by " + one.issuer : "") + end],
          ["", one.names.length ? "for " + one.names.slice(0, 8).join(", ") + (one.names.length > 8 ? " and " + (one.names.length - 8) + " more" : "") : ""],
          ["", "SHA-256 " + one.sha256]
        ];
      }

      function cacheReason(name) {
        return {
          nothingStored: "nothing stored fits the request", policy: "the cache policy says so", fresh: "the stored response is fresh",
          stale: "the stored response is stale", staleMustRevalidate: "the stored response is stale and must be validated",
          staleWhileRevalidate: "stale, but within stale-while-revalidate", responseNoCache: "the stored response has no-cache",
          noValidator: "nothing to validate the stored response with", requestNoStore: "the request has no-store",
          requestNoCache: "the request has no-cache", requestOnlyIfCached: "the request has only-if-cached",
          requestMinFresh: "the request has min-fresh", requestMaxAge: "the request has max-age", requestMaxStale: "the request has max-stale"
        }[name] || name;
      }

      function fieldTable(title, fields) {
        if (!fields || !fields.length) return [];
        return [el("h2", { text: title }), facts(fields.map(field => [field.name, field.value === "" ? "(empty)" : field.value]))];
      }

      function requestPart(row, details) {
        const request = details.entry.request;
        const parts = [...fieldTable("Fields", request.headers), ...fieldTable("Query", request.queryString), ...fieldTable("Cookies", request.cookies)];
        const body = request.postData;
        if (body) parts.push(el("h2", { text: "Body, " + bytes(request.bodySize) }), ...bodyParts(body.text, body._encoding === "base64", body.mimeType, body._truncatedAt, row.n, "request"));
        return parts.length ? parts : [el("p", { class: "faint", text: "No fields." })];
      }

      function responsePart(row, details) {
        const response = details.entry.response, content = response.content;
        const parts = [...fieldTable("Fields", response.headers), ...fieldTable("Cookies", response.cookies), ...fieldTable("Trailers", details.entry._urlLoading.trailers)];
        if (content.text !== undefined) {
          const ratio = content.compression ? ", " + bytes(row.received) + " on the wire" : "";
          parts.push(el("h2", { text: "Body, " + bytes(content.size) + ratio }));
          parts.push(...bodyParts(content.text, content.encoding === "base64", content.mimeType, content._truncatedAt, row.n, "response"));
        }
        return parts.length ? parts : [el("p", { class: "faint", text: row.state === "active" ? "Waiting for the response." : "No response." })];
      }

      function timingPart(row) {
        const end = row.phases[10] === null ? Math.max(1, Date.now() - row.start) : Math.max(0.001, row.phases[10]);
        const grid = el("div", { class: "phases" });
        const add = (title, kind, from, to) => {
          if (from === null || from === undefined) return;
          const stop = to === null || to === undefined ? end : to;
          const bar = el("i", { class: kind });
          bar.style.left = Math.min(99.5, 100 * from / end) + "%";
          bar.style.width = Math.max(0, 100 * (stop - from) / end) + "%";
          grid.append(el("span", { text: title }), el("span", { class: "track" }, bar), el("span", { text: time(Math.max(0, stop - from)), class: "num" }));
        };
        const p = row.phases;
        const firstWork = [row.reused ? null : p[0], row.reused ? null : p[2], p[6]].filter(value => value !== null).sort((a, b) => a - b)[0];
        add("Waiting for a connection", "blocked", 0, firstWork === undefined ? end : firstWork);
        if (!row.reused) {
          add("Name lookup", "lookup", p[0], p[1]);
          add("Connecting", "connect", p[2], p[4] === null ? p[3] : p[4]);
          add("TLS", "tls", p[4], p[5]);
        }
        add("Sending", "send", p[6], p[7] === null ? p[8] : p[7]);
        add("Waiting for the response", "wait", p[7] === null ? p[6] : p[7], p[8]);
        add("Receiving", "receive", p[8], p[10]);
        return [grid, el("p", { class: "faint", text: "In all " + time(row.phases[10]) + (row.reused ? ", on a connection that was there" : "") })];
      }
      """#
  }
#endif
