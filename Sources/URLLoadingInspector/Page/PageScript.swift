#if Inspector
  /// The page's script, in parts. What is recorded gets into the page by `textContent` alone; the policy forbids markup made of strings.
  enum PageScript {
    static let text = ["\"use strict\";", base, list, details, pretty, connections, start].joined(separator: "\n")

    /// State, elements, texts.
    private static let base = #"""
      const $ = id => document.getElementById(id);
      const rowHeight = 26;
      const columnNames = ["n", "session", "task", "kind", "state", "method", "url", "status", "type", "start", "received", "sent", "decoded",
        "source", "connection", "protocol", "reused", "cache", "error", "messages", "phases", "address", "description"];
      const state = {
        all: new Map(), shown: [], filter: "", errors: false, slow: false, messages: false, sort: "n", down: false,
        selected: null, tab: "Overview", view: "list", paused: false, details: null, embedded: null, first: 0, last: 1
      };

      function el(name, props, ...children) {
        const node = document.createElement(name);
        for (const [key, value] of Object.entries(props || {})) {
          if (key === "class") node.className = value;
          else if (key === "text") node.textContent = value;
          else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
          else node.setAttribute(key, value);
        }
        for (const child of children) if (child !== null && child !== undefined) node.append(child);
        return node;
      }

      function fromRow(values) {
        const row = {};
        columnNames.forEach((name, index) => { row[name] = values[index]; });
        let rest = row.url, host = "";
        const mark = row.url.indexOf("://");
        if (mark > 0) {
          const end = row.url.slice(mark + 3).search(/[\/?#]/);
          host = end < 0 ? row.url.slice(mark + 3) : row.url.slice(mark + 3, mark + 3 + end);
          rest = end < 0 ? "/" : row.url.slice(mark + 3 + end);
        }
        row.host = host;
        row.path = rest;
        row.duration = row.phases[10];
        row.isBad = row.error !== "" && row.state !== "cancelled" || row.status >= 400;
        row.text = [row.url, row.method, row.status, row.type, row.error, row.description, row.state].join(" ").toLowerCase();
        return row;
      }

      function bytes(count) {
        if (count < 1000) return count + " B";
        if (count < 1e6) return (count / 1e3).toFixed(count < 1e4 ? 1 : 0) + " kB";
        if (count < 1e9) return (count / 1e6).toFixed(count < 1e7 ? 1 : 0) + " MB";
        return (count / 1e9).toFixed(1) + " GB";
      }

      function time(ms) {
        if (ms === null || ms === undefined) return "…";
        if (ms < 1) return ms.toFixed(2) + " ms";
        if (ms < 1000) return ms.toFixed(ms < 10 ? 1 : 0) + " ms";
        return ms < 60000 ? (ms / 1000).toFixed(2) + " s" : (ms / 60000).toFixed(1) + " min";
      }

      function statusText(row) {
        if (row.status) return String(row.status);
        if (row.state === "failed") return "failed";
        if (row.state === "cancelled") return "ended";
        return row.state === "active" ? "…" : "–";
      }
      """#

    /// The list: filter, order, the rows that are seen.
    private static let list = #"""
      const columns = [
        ["n", "#", row => row.n], ["status", "Status", row => row.status], ["method", "Method", row => row.method],
        ["name", "Name", row => row.host + row.path], ["type", "Type", row => row.type],
        ["size", "Size", row => row.received], ["time", "Time", row => row.duration === null ? Infinity : row.duration],
        ["fall", "Waterfall", row => row.start]
      ];

      function makeColumns() {
        for (const [key, title] of columns) {
          const button = el("button", { type: "button", text: title, tabindex: "-1", onclick: () => sortBy(key) });
          $("columns").append(el("span", { role: "columnheader", class: "c-" + key, id: "column-" + key }, button));
        }
        showSort();
      }

      function sortBy(key) {
        state.down = state.sort === key ? !state.down : false;
        state.sort = key;
        showSort();
        arrange();
      }

      function showSort() {
        for (const [key, title] of columns) {
          const head = $("column-" + key);
          head.firstChild.textContent = title + (key === state.sort ? (state.down ? " ▾" : " ▴") : "");
          if (key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
          else head.removeAttribute("aria-sort");
        }
      }

      function makeFilter() {
        const tests = [];
        for (const word of state.filter.toLowerCase().split(/\s+/).filter(Boolean)) {
          const isNot = word.startsWith("-") && word.length > 1;
          const plain = isNot ? word.slice(1) : word;
          const [, key, value] = plain.match(/^(status|host|type|method|slower|larger|state):(.*)$/) || [];
          let test = row => row.text.includes(plain);
          if (key === "status") test = row => String(row.status).startsWith(value.replace(/x+$/, ""));
          if (key === "host") test = row => row.host.toLowerCase().includes(value);
          if (key === "type") test = row => row.type.toLowerCase().includes(value);
          if (key === "method") test = row => row.method.toLowerCase() === value;
          if (key === "state") test = row => row.state.startsWith(value);
          if (key === "slower") test = row => (row.duration || 0) > Number(value);
          if (key === "larger") test = row => row.received > Number(value);
          tests.push(isNot ? row => !test(row) : test);
        }
        if (state.errors) tests.push(row => row.isBad);
        if (state.slow) tests.push(row => (row.duration || 0) > 1000);
        if (state.messages) tests.push(row => row.messages > 0);
        return row => tests.every(test => test(row));
      }

      let isArrangePlanned = false;
      function planArrange() {
        if (isArrangePlanned) return;
        isArrangePlanned = true;
        requestAnimationFrame(() => { isArrangePlanned = false; arrange(); });
      }

      function arrange() {
        const scroll = $("scroll");
        const isAtEnd = state.follows && state.sort === "n" && !state.down && scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight - rowHeight;
        const passes = makeFilter();
        state.shown = [...state.all.values()].filter(passes);
        const value = columns.find(column => column[0] === state.sort)[2];
        const way = state.down ? -1 : 1;
        if (state.sort !== "n" || state.down) {
          state.shown.sort((a, b) => {
            const [x, y] = [value(a), value(b)];
            return (x < y ? -1 : x > y ? 1 : a.n - b.n) * way;
          });
        }
        state.first = Infinity;
        state.last = -Infinity;
        for (const row of state.shown) {
          state.first = Math.min(state.first, row.start);
          state.last = Math.max(state.last, row.start + (row.duration || 0));
        }
        $("space").style.height = state.shown.length * rowHeight + "px";
        $("grid").setAttribute("aria-rowcount", String(state.shown.length + 1));
        $("empty").hidden = state.shown.length > 0;
        $("empty").textContent = state.all.size ? "No transfer passes the filter." : "Nothing has been recorded yet.";
        if (isAtEnd && state.selected === null) scroll.scrollTop = scroll.scrollHeight;
        draw();
        tellStatus();
        if (state.view === "connections") drawConnections();
      }

      function tellStatus(away) {
        let received = 0, sent = 0, bad = 0;
        for (const row of state.shown) { received += row.received; sent += row.sent; if (row.isBad) bad += 1; }
        const count = state.shown.length === state.all.size ? state.all.size + " transfers" : state.shown.length + " of " + state.all.size + " transfers";
        const parts = [count, bytes(received) + " received", bytes(sent) + " sent"];
        if (bad) parts.push(bad + " with errors");
        if (state.paused) parts.push("paused");
        if (away) parts.unshift("The program is gone or doesn't answer");
        $("status").className = away ? "away" : "";
        $("status").textContent = parts.join(" · ");
      }

      const spans = [["lookup", 0, 1], ["connect", 2, 3], ["tls", 4, 5], ["send", 6, 7], ["wait", 7, 8], ["receive", 8, 10]];

      function bars(row, first, length) {
        const end = row.phases[10] === null ? Math.max(0, Date.now() - row.start) : row.phases[10];
        const place = value => 100 * (row.start + value - first) / length;
        const parts = [];
        function bar(kind, from, to) {
          const node = el("i", { class: kind });
          node.style.left = Math.max(0, Math.min(99.5, place(from))) + "%";
          node.style.width = Math.max(0, 100 * (Math.min(to, end) - from) / length) + "%";
          parts.push(node);
        }
        bar("blocked", 0, end);
        for (const [kind, from, to] of spans) {
          const begin = row.phases[from];
          if (begin === null || row.reused && from < 6) continue;
          const stop = row.phases[to] === null ? end : row.phases[to];
          if (stop >= begin) bar(kind, begin, stop);
        }
        return parts;
      }

      function draw() {
        const scroll = $("scroll"), rows = $("rows");
        const begin = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - 8);
        const end = Math.min(state.shown.length, begin + Math.ceil(scroll.clientHeight / rowHeight) + 16);
        const length = Math.max(1, state.last - state.first);
        const nodes = [];
        for (let index = begin; index < end; index += 1) nodes.push(rowNode(state.shown[index], index, length));
        rows.replaceChildren(...nodes);
        rows.style.transform = "translateY(" + begin * rowHeight + "px)";
        $("columns").style.setProperty("--gutter", scroll.offsetWidth - scroll.clientWidth + "px");
        const chosen = document.getElementById("row-" + state.selected);
        if (chosen) $("grid").setAttribute("aria-activedescendant", chosen.id);
        else $("grid").removeAttribute("aria-activedescendant");
      }

      function rowNode(row, index, length) {
        const node = el("div", {
          role: "row", id: "row-" + row.n, "aria-rowindex": String(index + 2), "aria-selected": String(row.n === state.selected),
          class: "row" + (row.isBad ? " bad" : "") + (row.state === "active" ? " active" : ""), onclick: () => select(row.n)
        });
        const cell = (key, text, kind) => {
          const span = el("span", { role: "gridcell", class: "c-" + key + (kind ? " " + kind : ""), text: text });
          node.append(span);
          return span;
        };
        cell("n", row.n, "num faint");
        cell("status", statusText(row));
        cell("method", row.kind === "webSocket" ? "WS" : row.method);
        const name = cell("name", "");
        name.title = row.url;
        name.append(el("span", { class: "faint", text: row.host }), row.path);
        cell("type", row.source === "cache" ? "from cache" : row.type.split(";")[0], "faint");
        cell("size", row.source === "cache" ? "cache" : row.messages ? row.messages + " msg" : bytes(row.received), "num");
        cell("time", time(row.duration), "num");
        const fall = cell("fall", "", "fall");
        fall.append(...bars(row, state.first, length));
        return node;
      }
      """#

    /// One transfer.
    private static let details = #"""
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

      function messagesPart(row, details) {
        const parts = [];
        if (details.droppedMessages) parts.push(el("p", { class: "faint", text: details.droppedMessages + " older messages aren't kept." }));
        for (const message of details.messages) {
          const text = message.text ? message.content : "binary, base64: " + message.content;
          parts.push(el("div", { class: "message" + (message.sent ? " sent" : "") },
            el("span", { class: "faint", text: (message.sent ? "↑ sent " : "↓ received ") + "at " + time(message.time) + ", " + bytes(message.size) }),
            message.text ? prettyText(text, "") : el("pre", { text: text })));
        }
        return parts;
      }
      """#

    /// Bodies.
    private static let pretty = #"""
      const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon"];
      const prettyLimit = 200000;

      function bodyParts(text, isBase64, type, cutAt, number, side) {
        const parts = [];
        const plainType = (type || "").split(";")[0].trim().toLowerCase();
        if (cutAt !== undefined) parts.push(el("p", { class: "warn", text: "Only the first " + bytes(cutAt) + " are recorded." }));
        if (isBase64 && imageTypes.includes(plainType) && cutAt === undefined) {
          const image = el("img", { alt: "The body as an image" });
          const url = URL.createObjectURL(new Blob([fromBase64(text)], { type: plainType }));
          image.addEventListener("load", () => URL.revokeObjectURL(url));
          image.src = url;
          parts.push(image);
        } else if (isBase64) {
          parts.push(el("pre", { text: hexDump(fromBase64(text)) }));
        } else {
          parts.push(prettyText(text, plainType));
        }
        if (!state.embedded) {
          parts.push(el("p", {}, el("a", { href: "api/body/" + number + "/" + side, download: "", text: "Save the body" })));
        }
        return parts;
      }

      function fromBase64(text) {
        return Uint8Array.from(atob(text), character => character.charCodeAt(0));
      }

      function hexDump(array) {
        const lines = [];
        for (let start = 0; start < Math.min(array.length, 4096); start += 16) {
          const line = array.slice(start, start + 16);
          const digits = [...line].map(byte => byte.toString(16).padStart(2, "0")).join(" ");
          const characters = [...line].map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
          lines.push(start.toString(16).padStart(6, "0") + "  " + digits.padEnd(48) + " " + characters);
        }
        if (array.length > 4096) lines.push("… " + bytes(array.length) + " in all");
        return lines.join("\n");
      }

      function prettyText(text, type) {
        const pre = el("pre");
        let shown = text.slice(0, prettyLimit);
        const looksLikeJSON = type.includes("json") || /^\s*[{[]/.test(shown);
        if (looksLikeJSON && text.length <= prettyLimit) {
          try {
            colour(pre, JSON.stringify(JSON.parse(text), null, 2));
            return pre;
          } catch { /* Cut off, or no JSON. */ }
        }
        if (type === "application/x-www-form-urlencoded") shown = shown.split("&").join("\n");
        pre.textContent = shown + (text.length > prettyLimit ? "\n… " + bytes(text.length) + " in all" : "");
        return pre;
      }

      function colour(pre, text) {
        const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
        let end = 0;
        for (const match of text.matchAll(pattern)) {
          pre.append(text.slice(end, match.index));
          if (match[1]) pre.append(el("span", { class: match[2] ? "key" : "str", text: match[1] }), match[2] || "");
          else pre.append(el("span", { class: "val", text: match[0] }));
          end = match.index + match[0].length;
        }
        pre.append(text.slice(end));
      }
      """#

    /// Which transfers shared which connection.
    private static let connections = #"""
      function drawConnections() {
        const groups = new Map();
        for (const row of state.shown) {
          if (!row.connection) continue;
          if (!groups.has(row.connection)) groups.set(row.connection, []);
          groups.get(row.connection).push(row);
        }
        const nodes = [...groups.keys()].sort((a, b) => a - b).slice(-200).map(number => connectionNode(number, groups.get(number)));
        if (!nodes.length) nodes.push(el("p", { class: "faint", text: "No transfer has used a connection." }));
        $("connections").replaceChildren(...nodes);
      }

      function connectionNode(number, rows) {
        const first = Math.min(...rows.map(row => row.start));
        const last = Math.max(...rows.map(row => row.start + (row.duration || 0)));
        const length = Math.max(1, last - first);
        // Each transfer gets the first lane that is free.
        const lanes = [];
        const track = el("div", { class: "track" });
        for (const row of rows.slice(-500)) {
          const begin = row.start + (row.phases[6] || 0), end = row.start + (row.duration || 0);
          let lane = lanes.findIndex(free => free <= begin);
          if (lane < 0) lane = lanes.push(0) - 1;
          lanes[lane] = end;
          const bar = el("button", {
            type: "button", class: row.isBad ? "bad" : "", title: "#" + row.n + " " + row.method + " " + row.url, "aria-label": "#" + row.n + " " + row.method + " " + row.path,
            onclick: () => select(row.n)
          });
          bar.style.left = Math.min(99.5, 100 * (begin - first) / length) + "%";
          bar.style.width = Math.max(0, 100 * (end - begin) / length) + "%";
          bar.style.top = lane * 17 + 2 + "px";
          track.append(bar);
        }
        track.style.height = lanes.length * 17 + 3 + "px";
        const row = rows[0];
        return el("div", { class: "connection" },
          el("strong", { text: "#" + number + " " + row.host }),
          el("span", { class: "faint", text: " " + row.protocol + (row.address ? ", " + row.address : "") + " · " + rows.length + (rows.length === 1 ? " transfer" : " transfers") + ", " + lanes.length + " at once · " + bytes(rows.reduce((sum, each) => sum + each.received, 0)) + " in " + time(length) }),
          track);
      }

      function showView(name) {
        state.view = name;
        $("list").hidden = name !== "list";
        $("connections").hidden = name !== "connections";
        $("view-list").setAttribute("aria-selected", String(name === "list"));
        $("view-connections").setAttribute("aria-selected", String(name === "connections"));
        if (name === "connections") drawConnections(); else draw();
      }
      """#

    /// Keys, the event stream, the beginning.
    private static let start = #"""
      function move(by) {
        const index = state.shown.findIndex(row => row.n === state.selected);
        const next = index < 0 ? (by > 0 ? 0 : state.shown.length - 1) : Math.max(0, Math.min(state.shown.length - 1, index + by));
        if (state.shown[next]) select(state.shown[next].n);
      }

      function onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isTyping = event.target.id === "filter";
        if (event.key === "Escape") {
          if (isTyping) { $("filter").value = ""; setFilter(); $("grid").focus(); } else select(null);
          return;
        }
        if (isTyping) {
          if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); $("grid").focus(); if (state.selected === null) move(1); }
          return;
        }
        if (event.key === "/") { event.preventDefault(); $("filter").focus(); return; }
        const inTabs = event.target.closest && event.target.closest("#tabs");
        if (inTabs && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
          const names = [...$("tabs").children];
          const index = names.findIndex(node => node.getAttribute("aria-selected") === "true") + (event.key === "ArrowRight" ? 1 : -1);
          names[(index + names.length) % names.length].click();
          [...$("tabs").children].find(node => node.getAttribute("aria-selected") === "true").focus();
          return;
        }
        if (event.target.closest && event.target.closest("#panel")) return;
        const page = Math.max(1, Math.floor($("scroll").clientHeight / rowHeight) - 1);
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9, j: 1, k: -1 };
        if (steps[event.key] !== undefined && state.view === "list") { event.preventDefault(); move(steps[event.key]); }
      }

      function setFilter() {
        state.filter = $("filter").value;
        state.errors = $("only-errors").checked;
        state.slow = $("only-slow").checked;
        state.messages = $("only-messages").checked;
        arrange();
      }

      async function post(path) { await fetch("api/" + path, { method: "POST" }).catch(() => tellStatus(true)); }

      async function copy(text, button) {
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          const area = el("textarea");
          area.value = text;
          document.body.append(area);
          area.select();
          document.execCommand("copy");
          area.remove();
        }
        const title = button.textContent;
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = title; }, 1200);
      }

      function take(message) {
        state.follows = !message.reset && !state.embedded;
        if (message.reset) state.all.clear();
        for (const number of state.all.keys()) {
          if (number >= message.first) break;
          state.all.delete(number);
        }
        let isSelectedChanged = false;
        for (const values of message.rows) {
          const row = fromRow(values);
          state.all.set(row.n, row);
          if (row.n === state.selected) isSelectedChanged = true;
        }
        state.paused = message.paused;
        $("pause").setAttribute("aria-pressed", String(message.paused));
        $("pause").textContent = message.paused ? "Resume" : "Pause";
        if (state.selected !== null && !state.all.has(state.selected)) select(null);
        else if (isSelectedChanged) loadDetails(state.selected);
        planArrange();
      }

      function listen() {
        const source = new EventSource("api/events");
        source.onmessage = event => take(JSON.parse(event.data));
        source.onerror = () => tellStatus(true);
      }

      function begin() {
        $("title").textContent = document.title;
        makeColumns();
        $("scroll").addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
        new ResizeObserver(() => draw()).observe($("scroll"));
        for (const id of ["filter", "only-errors", "only-slow", "only-messages"]) $(id).addEventListener("input", setFilter);
        $("pause").addEventListener("click", () => post(state.paused ? "resume" : "pause"));
        $("clear").addEventListener("click", () => post("clear"));
        $("close").addEventListener("click", () => { select(null); $("grid").focus(); });
        $("copy-curl").addEventListener("click", event => state.details && copy(state.details.curl, event.target));
        $("copy-swift").addEventListener("click", event => state.details && copy(state.details.swift, event.target));
        $("view-list").addEventListener("click", () => showView("list"));
        $("view-connections").addEventListener("click", () => showView("connections"));
        document.addEventListener("keydown", onKey);
        const recording = $("recording");
        if (!recording) return listen();
        state.embedded = JSON.parse(recording.textContent);
        for (const node of document.querySelectorAll(".actions")) node.hidden = true;
        take({ reset: true, first: 0, paused: false, rows: state.embedded.rows });
      }

      begin();
      """#
  }
#endif
